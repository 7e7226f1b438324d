from __future__ import annotations

import re
from pathlib import Path

import pytest

import agentmaker
from agentmaker.calls.forms.dialects import DEFAULT, DIALECTS, Dialect, changes, choices
from agentmaker.clients.hosts import RULES, suggested
from agentmaker.clients.profiles import PROFILES
from agentmaker.testing import ModelServer

PAGE = (Path(__file__).parents[2] / "docs" / "dialects.md").read_text(encoding="utf-8")


def wants(base_url: str, model: str = "m") -> dict[str, object]:
    return changes(suggested(base_url, model))


@pytest.mark.parametrize("base_url", ["", "http://localhost:8000/v1", "https://llm.example.com/v1"])
@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5", "phi-4", "llama-4", "gemma4:31b"])
def test_case_101_a_server_nobody_knows_gets_the_conversation_as_it_is(base_url, model):
    assert suggested(base_url, model) == DEFAULT


@pytest.mark.parametrize("model", ["o1", "o3-mini", "gpt-5", "gpt-5.2-chat", "ft:o4-mini:org"])
def test_reasoning_models_of_openai_take_the_cap_by_its_newer_name(model):
    for host in ("api.openai.com", "my-resource.openai.azure.com"):
        assert wants(f"https://{host}/v1", model) == {"cap": "max_completion_tokens"}
    assert wants("https://api.openai.com/v1", "gpt-4o") == {}


@pytest.mark.parametrize(
    "host", ["api.deepseek.com", "api.moonshot.cn", "open.bigmodel.cn", "dashscope.aliyuncs.com"]
)
def test_case_101_hosts_known_to_refuse_the_developer_role_do_not_get_it(host):
    assert wants(f"https://{host}/v1")["developer"] == "system"


def test_case_104_hosts_that_want_thoughts_back_and_hosts_that_refuse_them():
    assert wants("https://api.deepseek.com", "deepseek-v4")["reasoning"] == "require"
    assert wants("https://api.moonshot.ai/v1", "kimi-k2.5")["reasoning"] == "require"
    assert "reasoning" not in wants("https://api.moonshot.ai/v1", "moonshot-v1-8k")
    assert wants("https://api.groq.com/openai/v1")["reasoning"] == "strip"


@pytest.mark.parametrize("base_url", ["", "https://openrouter.ai/api/v1"])
@pytest.mark.parametrize("model", ["mistralai/Mistral-Small-3.2", "ministral-3b-latest"])
def test_models_of_mistral_want_turns_wherever_they_are(base_url, model):
    assert wants(base_url, model) == changes(DIALECTS["mistral"])


def test_a_host_s_wishes_come_on_top_of_its_model_s():
    dialect = suggested("https://api.mistral.ai/v1", "mistral-large-latest")
    assert (dialect.name, dialect.roles, dialect.cap) == ("mistral", "alternate", "max_tokens")


@pytest.mark.parametrize("model", ["gemma-2-9b-it", "google/gemma-3-27b-it", "gemma2:9b"])
def test_older_gemma_models_know_no_system_role(model):
    assert wants("", model) == {"roles": "alternate", "system": "user", "tools": "text"}


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        ("meta-llama/Llama-3.3-70B-Instruct", {"calls": "single"}),
        ("meta-llama/Llama-2-7b-chat-hf",
         {"roles": "alternate", "system": "one", "developer": "system", "tools": "text"}),
        ("CohereForAI/c4ai-command-r-v01",
         {"roles": "alternate", "system": "one", "developer": "system", "tools": "text"}),
        ("CohereForAI/aya-23-8B",
         {"roles": "alternate", "system": "one", "developer": "system", "tools": "text"}),
        ("command-r-plus-08-2024",
         {"roles": "alternate", "system": "one", "developer": "system"}),
        ("c4ai-command-r7b-12-2024", {"developer": "system"}),
        ("qwen2.5:14b", {"developer": "system"}),
        ("qwen3:14b", {"developer": "system", "empty_content": "empty"}),
        ("Qwen/Qwen3.5-9B",
         {"roles": "alternate", "system": "one", "developer": "system", "empty_content": "empty"}),
        ("deepseek-r1:8b", {"system": "one", "developer": "system"}),
        ("deepseek-ai/DeepSeek-V3.1", {"developer": "system"}),
        ("openai/gpt-oss-20b", {"system": "one", "empty_content": "empty"}),
        ("HuggingFaceTB/SmolLM3-3B", {"system": "one", "developer": "system"}),
        ("swiss-ai/Apertus-8B-Instruct",
         {"system": "one", "developer": "system", "content": "text"}),
        ("nvidia/Nemotron-H-8B-Reasoning-128K",
         {"system": "one", "developer": "system", "tools": "text"}),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", {"system": "one"}),
        ("LGAI-EXAONE/EXAONE-4.0-32B", {"developer": "system"}),
    ],
)  # fmt: skip
def test_what_the_templates_of_a_family_refuse_it_does_not_get(model, wanted):
    assert wants("", model) == wanted


@pytest.mark.parametrize(
    ("model", "beside"),
    [
        ("mistralai/Mistral-7B-Instruct-v0.3", {"system": "user"}),
        ("mistralai/Mistral-Nemo-Instruct-2407", {"system": "user"}),
        ("mistralai/Mistral-Large-Instruct-2411", {"tools": "text"}),
        ("mistralai/Pixtral-12B-2409", {"tools": "text"}),
        ("mistralai/Devstral-Small-2507", {"empty_content": "empty"}),
        ("mistralai/Ministral-3-14B-Instruct-2512", {"empty_content": "empty"}),
        ("mistralai/Voxtral-Small-24B-2507", {}),
    ],
)
def test_some_models_of_mistral_want_more_than_turns(model, beside):
    assert wants("", model) == {**changes(DIALECTS["mistral"]), **beside}


def test_the_first_models_of_mistral_know_neither_system_messages_nor_tools():
    early = wants("", "mistralai/Mistral-7B-Instruct-v0.2")
    assert (early["system"], early["tools"]) == ("user", "text")
    assert "tools" not in wants("", "mistralai/Mistral-7B-Instruct-v0.3")


def test_a_port_may_tell_a_server():
    assert wants("http://localhost:11434/v1") == {"empty_content": "empty"}
    assert wants("http://ollama.example.com:11434/v1") == {"empty_content": "empty"}


def test_the_choice_that_learns_is_the_same_but_for_that():
    learning = suggested("https://api.deepseek.com", "deepseek-v4", learns=True)
    assert changes(learning).keys() - wants("https://api.deepseek.com").keys() == {"learns"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.host}-{rule.name}")
def test_every_rule_is_a_dialect_and_says_why(rule):
    assert changes(Dialect(**rule.wants)) == rule.wants
    assert rule.why
    assert rule.host != "*" or rule.model


def test_no_rule_is_for_what_a_profile_s_own_address_is_not():
    known = {rule.host for rule in RULES if rule.name in PROFILES}
    addresses = [profile.base_url for profile in PROFILES.values()]
    for host in known:
        pattern = re.escape(host).replace(r"\*", ".*")
        assert any(re.search(rf"//{pattern}(?:/|$)", address) for address in addresses), host


def test_the_page_has_every_field_with_its_values_and_every_rule():
    for name, values in choices().items():
        if name != "learns":
            row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))
            assert re.findall(r"`(\w+)`", row.split("|")[2]) == list(values)
    for rule in RULES:
        assert rule.host == "*" or f"`{rule.host}`" in PAGE
        families = re.findall(r"[a-z]{4,}", re.sub(r"\(\?:[^()]*\)\?", "", rule.model))
        assert [family for family in families if family not in PAGE] == []
        for key, value in rule.wants.items():
            assert f"`{key}={value}`" in PAGE


@pytest.mark.anyio
async def test_a_wrapped_client_and_its_copies_speak_by_the_address_they_have():
    server = ModelServer(strict=False)
    client = agentmaker.wrap(server.client(), window=8_000, sinks=())
    other = client.with_options(base_url="https://api.deepseek.com/v1")
    messages = [{"role": "developer", "content": "r"}, {"role": "user", "content": "q"}]
    for each in (client, other):
        await each.chat.completions.create(model="m", messages=messages)
    assert [received.messages[0]["role"] for received in server.requests] == ["developer", "system"]
