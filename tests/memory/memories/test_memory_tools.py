from __future__ import annotations

import json

import pytest

from agentmaker import Memory, Scope, count_tokens
from agentmaker.context.sources import Grant
from agentmaker.messages import ToolCall
from agentmaker.prompts import PROMPT_PACKS
from agentmaker.tools import ToolRegistry, run_calls

pytestmark = pytest.mark.anyio

CHAT = Scope(user="ann", session="chat")
LATER = Scope(user="ann", session="later")


async def used(memory, name, *, scope=CHAT, tokens=500, pack="en", **arguments):
    call = ToolCall(id="c", name=name, arguments=json.dumps(arguments))
    grant = Grant(tokens=tokens, deadline=None, counter=count_tokens)
    registry = ToolRegistry(memory.tools(prompts=PROMPT_PACKS[pack]))
    (outcome,) = await run_calls([call], registry, grant=grant, scope=scope)
    return outcome


async def test_a_model_remembers_finds_in_another_session_and_forgets():
    memory = Memory()
    added = (await used(memory, "memory_add", content="likes\ntea", importance=0.9)).text
    id = added.removeprefix("Remembered as ")
    assert (await used(memory, "memory_search", query="tea", scope=LATER)).text == (
        f"- {id}: likes tea"
    )
    assert (await used(memory, "memory_forget", id=id)).text == f"Forgotten: {id}"
    assert "no memory" in (await used(memory, "memory_forget", id=id)).text
    assert (await used(memory, "memory_search", query="tea")).text == "(no memories)"


async def test_the_scope_comes_from_the_run_and_no_argument_names_another_as_case_97_asks():
    memory = Memory()
    await memory.add("bob's secret tea", scope=Scope(user="bob"))
    for arguments in ({}, {"scope": {"user": "bob"}}, {"user": "bob"}):
        outcome = await used(memory, "memory_search", query="tea", **arguments)
        assert "secret" not in outcome.text
    for each in memory.tools():
        assert "scope" not in json.dumps(each.parameters)


async def test_a_memory_bound_to_a_scope_stays_there_whoever_runs():
    memory = Memory(scope=Scope(app="shop"))
    await used(memory, "memory_add", content="closed on Mondays")
    assert [each.content for each in await memory.all()] == ["closed on Mondays"]


async def test_a_mistake_is_told_in_words_to_act_on():
    outcome = await used(Memory(), "memory_add", content="x", importance=8)
    assert outcome.failed
    assert "importance must be a number from 0 to 1" in outcome.text


async def test_many_memories_are_cut_to_what_is_granted():
    memory = Memory(scope=Scope())
    for number in range(10):
        await memory.add(f"tea number {number} " + "word " * 50)
    outcome = await used(memory, "memory_search", query="tea", tokens=100)
    assert count_tokens(outcome.text) <= 100


async def test_the_tools_speak_the_language_of_the_prompts():
    assert (await used(Memory(), "memory_search", query="茶", pack="zh")).text == "（没有记忆）"
