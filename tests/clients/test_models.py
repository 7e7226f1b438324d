from __future__ import annotations

import logging
import socket

import pytest

from agentmaker.clients.models import (
    MAX_OUTPUTS,
    WINDOWS,
    ModelFacts,
    facts_of,
    known_window,
    max_output_of,
)
from agentmaker.clients.profiles import PROFILES
from agentmaker.errors import ConfigError


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o",
        "GPT-4o",
        "openai/gpt-4o",
        "azure/gpt-4o",
        "gpt-4o-2024-11-20",
        "openai/gpt-4o-2024-11-20",
        "gpt-4o-20241120",
        "gpt-4o@2024-11-20",
        "ft:gpt-4o-2024-08-06:acme::id",
    ],
)
def test_provider_version_and_date_around_a_name_do_not_matter(name):
    assert facts_of(name) == ModelFacts(window=128_000, max_output=16_384)


@pytest.mark.parametrize("name", ["my-deploy-01", "qwen3:14b", "", "mixtral:8x7b", "llama3:latest"])
def test_what_nobody_knows_is_none(name):
    assert facts_of(name) == ModelFacts(None, None)


def test_a_local_size_tag_is_not_taken_for_the_hosted_model():
    assert facts_of("deepseek-r1").window is not None
    assert facts_of("deepseek-r1:7b").window is None


@pytest.mark.parametrize("provider", ["ollama", "vllm", "lmstudio"])
def test_a_local_server_decides_its_window_itself(provider):
    assert facts_of("gpt-4o", provider=provider).window is None


def test_an_unknown_provider_is_taken_for_a_gateway():
    assert facts_of("gpt-4o", provider="our-proxy") == facts_of("gpt-4o")


def test_a_dated_version_has_its_own_cap():
    assert facts_of("gpt-4o-2024-05-13").max_output == 4_096


def test_the_same_name_can_mean_another_window_at_another_provider():
    assert facts_of("deepseek-v4-flash", provider="deepseek").window == 1_000_000


@pytest.mark.parametrize("name", sorted(WINDOWS))
def test_our_own_windows_are_found(name):
    assert facts_of(name).window == WINDOWS[name]


@pytest.mark.parametrize("table", [WINDOWS, MAX_OUTPUTS])
def test_our_tables_are_sorted_and_positive(table):
    assert list(table) == sorted(table)
    assert all(value > 0 for value in table.values())


@pytest.mark.parametrize("provider", [name for name, one in PROFILES.items() if one.model])
def test_every_default_model_has_a_known_window(provider):
    assert (facts_of(PROFILES[provider].model, provider=provider).window or 0) >= 32_768


def test_a_lookup_uses_no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert facts_of("mistral/never-asked-before").window is None


def test_the_call_comes_before_the_client_the_table_and_the_fallback():
    given = {"call": 1_000, "client": 2_000, "fallback": 4_000}
    assert known_window("gpt-4o", **given) == 1_000
    assert known_window("gpt-4o", **{**given, "call": None}) == 2_000
    assert known_window("gpt-4o", fallback=4_000) == 128_000
    assert known_window("my-deploy-02", fallback=4_000) == 4_000
    assert known_window("my-deploy-02") is None


def test_the_fallback_is_logged_once_for_each_model(caplog):
    with caplog.at_level(logging.WARNING, logger="agentmaker"):
        for _ in range(3):
            known_window("my-deploy-03", fallback=4_000)
    assert [r.getMessage() for r in caplog.records] == [
        "the window of model 'my-deploy-03' is not known: using fallback_window=4000; "
        "give the model's own window to override it"
    ]


@pytest.mark.parametrize("value", [0, -1, 1.5, "8000", True])
@pytest.mark.parametrize("place", ["call", "client", "fallback"])
def test_a_window_that_is_no_positive_number_is_refused(place, value):
    with pytest.raises(ConfigError, match="window must be a positive whole number of tokens"):
        known_window("gpt-4o", **{place: value})


@pytest.mark.parametrize(
    "name", ["gpt-4o", "openai/gpt-4o-2024-11-20", "qwen3:14b", "", *MAX_OUTPUTS]
)
@pytest.mark.parametrize("provider", [None, "OpenAI", "ollama"])
def test_the_most_of_a_reply_is_the_same_with_and_without_the_window(name, provider):
    most = max_output_of(name, provider=provider)
    assert most == facts_of(name, provider=provider).max_output
