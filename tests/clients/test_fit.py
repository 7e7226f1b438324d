from __future__ import annotations

import copy
import socket
import warnings

import pytest

import agentmaker
from agentmaker import (
    AgentmakerConfig,
    CallableSource,
    ConfigError,
    ContextWindowExceeded,
    RetrievalResult,
    afit,
    fit,
)
from agentmaker.clients.fit import Fitter
from agentmaker.testing import violations
from tests.clients.asking import QUESTION, TOOL, Asked, step, talk, text_of, user

LONG = [*talk(100), *QUESTION]


def test_what_fits_leaves_as_it_came():
    fitted = fit(QUESTION, window=8_000)
    assert fitted.messages == QUESTION
    assert fitted.ledger.reductions == ()


def test_what_does_not_fit_is_reduced_and_the_room_is_filled():
    before = copy.deepcopy(LONG)
    fitted = fit(LONG, window=4_000)
    assert before == LONG
    ledger = fitted.ledger
    assert ledger.estimate + ledger["output"].used <= 4_000
    assert ledger.estimate >= 0.95 * (4_000 - ledger["output"].used - ledger["margin"].used)
    assert ledger.dropped > 0
    assert violations({"model": "m", "messages": fitted.messages}) == []


def test_a_dry_run_uses_no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was used")

    fit(QUESTION, window=8_000)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    fit(LONG, window=4_000, model="gpt-4o", tools=[TOOL])


def test_the_model_s_own_vocabulary_counts():
    pytest.importorskip("splintr")
    assert fit(QUESTION, window=8_000, model="gpt-4o").ledger.counter == "o200k_base"
    assert fit(QUESTION, window=8_000).ledger.counter == "estimate"


@pytest.mark.anyio
@pytest.mark.usefixtures("by_the_rule")
async def test_a_dry_run_is_what_a_client_would_send():
    filling = AgentmakerConfig.from_dict({"window_budget": {"low_water": 1.0}})
    asked = Asked(config=filling)
    await asked(LONG, tools=[TOOL])
    fitted = await afit(LONG, window=8_000, tools=[TOOL])
    assert fitted.messages == asked.sent[0]
    assert fitted.ledger == asked.sink.last.ledger


@pytest.mark.anyio
async def test_sources_are_asked():
    async def find(query):
        return [RetrievalResult(f"about {query}", 1.0, "rag")]

    fitted = await afit(QUESTION, window=8_000, sources=[CallableSource("rag", find)])
    assert "about How are you?" in text_of(fitted.messages[-1])
    assert [each.outcome for each in fitted.ledger.sources] == ["ok"]


@pytest.mark.usefixtures("by_the_rule")
def test_a_reserve_is_kept_free():
    assert fit(LONG, window=8_000, output_tokens=3_000).ledger["output"].used == 3_000


def test_no_tools_may_be_said_in_any_way():
    assert fit(QUESTION, window=8_000, tools=None) == fit(QUESTION, window=8_000, tools=[])


def test_a_conversation_without_a_question_is_fitted_too():
    assert fit([user("look"), *step(1)], window=8_000).messages[-1]["role"] == "tool"


@pytest.mark.anyio
async def test_the_sync_form_works_inside_a_running_loop_and_warns_at_most_once():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        first = fit(QUESTION, window=8_000)
        second = fit(QUESTION, window=8_000)
    assert first == second == await afit(QUESTION, window=8_000)
    assert len(seen) <= 1
    assert all("await afit(...) instead" in str(each.message) for each in seen)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"window": "8k"}, ConfigError, "window must be a positive whole number of tokens"),
        ({"window": -1}, ConfigError, "window must be a positive whole number of tokens"),
        ({"window": True}, ConfigError, "window must be a positive whole number of tokens"),
        ({"window": None}, ConfigError, "pass window="),
        ({"output_tokens": 0}, ConfigError, "output_tokens must be a positive whole number"),
        ({"output_tokens": 8_000}, ConfigError, "leaves nothing of window=8000"),
        ({"sources": 5}, ConfigError, "sources must be a list, not int"),
        ({"config": {}}, ConfigError, "config must be an AgentmakerConfig"),
        ({"dialect": "latin"}, ConfigError, "no dialect 'latin'"),
        ({"tools": TOOL}, TypeError, "tools must be a list of schemas"),
        ({"model": 5}, ConfigError, "model must be a name"),
    ],
)
def test_arguments_that_mean_nothing_are_refused(given, error, words):
    with pytest.raises(error, match=words):
        fit(QUESTION, **{"window": 8_000, **given})


@pytest.mark.usefixtures("by_the_rule")
def test_what_cannot_fit_says_which_part_is_too_large():
    with pytest.raises(ContextWindowExceeded, match="the question") as refused:
        fit([user("word " * 9_000)], window=8_000)
    assert refused.value.needed > refused.value.room


@pytest.mark.anyio
async def test_a_fitter_remembers_what_it_cut():
    fitter = Fitter(window=4_000)
    first = await fitter.fit(LONG)
    second = await fitter.fit([*LONG, {"role": "assistant", "content": "Fine."}, user("and?")])
    assert second.messages[: len(first.messages)] == first.messages
    assert second.ledger.prefix_kept == 1.0
    other = await fitter.fit(LONG, scope=agentmaker.Scope(user="alice"))
    assert other.ledger.prefix_kept is None


def test_what_is_done_to_the_result_changes_neither_the_given_nor_the_next_result():
    given = [{"role": "user", "content": [{"type": "text", "text": "one"}]}]
    fit(given, window=4_000).messages[0]["content"][0]["text"] = "two"
    assert given[0]["content"][0]["text"] == "one"
    assert fit(given, window=4_000).messages[0]["content"][0]["text"] == "one"
