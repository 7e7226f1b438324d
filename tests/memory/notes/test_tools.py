from __future__ import annotations

import json

import pytest

from agentmaker.context.allocation import ContextConfig
from agentmaker.context.builder import ContextBuilder
from agentmaker.context.sources import Grant
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.notes.notes import Notes
from agentmaker.messages import ToolCall
from agentmaker.prompts import PROMPT_PACKS
from agentmaker.scope import Scope
from agentmaker.tokens import count_tokens
from agentmaker.tools import ToolRegistry, run_calls

pytestmark = pytest.mark.anyio

ANN = Scope(user="ann", session="s")


@pytest.fixture(params=["folder", "store"])
def notes(request, tmp_path):
    return Notes(tmp_path if request.param == "folder" else MemoryStore())


async def used(notes: Notes, name: str, *, tokens: int = 500, scope: Scope = ANN, **arguments):
    call = ToolCall(id="c", name=name, arguments=json.dumps(arguments))
    grant = Grant(tokens=tokens, deadline=None, counter=count_tokens)
    (outcome,) = await run_calls([call], ToolRegistry(notes.tools()), grant=grant, scope=scope)
    return outcome


async def test_a_model_writes_reads_finds_and_lists_notes(notes):
    assert "Plan" in (await used(notes, "note_write", title="Plan", text="By train.")).text
    await used(notes, "note_write", title="Plan", text="On 3 May.", append=True)
    assert (await used(notes, "note_read", title="Plan")).text == "By train.\nOn 3 May."
    assert (await used(notes, "note_list")).text == "- Plan: By train."
    found = (await used(notes, "note_search", words="may")).text
    assert found == "- Plan: By train.\nOn 3 May."


async def test_without_notes_the_tools_say_so(notes):
    assert (await used(notes, "note_list")).text == "(no notes)"
    assert (await used(notes, "note_search", words="x")).text == "(no notes)"


async def test_a_mistake_is_told_in_words_to_act_on(notes):
    await used(notes, "note_write", title="Travel plan", text="By train.")
    outcome = await used(notes, "note_read", title="Travel")
    assert outcome.failed
    assert "use one of the nearest titles, 'Travel plan'" in outcome.text
    assert "ToolError" not in outcome.text


async def test_a_mistake_is_told_in_the_language_of_the_notes():
    notes = Notes(MemoryStore(), prompts=PROMPT_PACKS["zh"])
    outcome = await used(notes, "note_read", title="Travel")
    assert "没有笔记 'Travel'：请先写下它" in outcome.text


async def test_a_long_note_is_read_in_parts_that_fit_what_is_granted(notes):
    text = "\n".join(f"line {number} of a long note" for number in range(300))
    await used(notes, "note_write", title="Long", text=text)
    read, start = "", 0
    for _ in range(100):
        outcome = await used(notes, "note_read", title="Long", start=start, tokens=200)
        assert count_tokens(outcome.text) <= 200
        part, marker, rest = outcome.text.rpartition("\n[")
        if not marker:
            read += outcome.text
            break
        read += part
        start = int(rest.rpartition("start=")[2].rstrip("]"))
        assert start == len(read)
    assert read == text


async def test_lists_and_finds_fit_what_is_granted(notes):
    for number in range(40):
        await used(notes, "note_write", title=f"Note {number}", text="about this and that " * 40)
    listed = (await used(notes, "note_list", tokens=100)).text
    assert count_tokens(listed) <= 100
    assert "are not listed" in listed
    assert count_tokens((await used(notes, "note_search", words="that", tokens=100)).text) <= 100


async def test_with_hardly_any_room_a_list_is_cut_and_a_note_is_still_read_to_its_end(notes):
    await used(notes, "note_write", title="Plan of the year", text="abc", gist="What to do")
    assert (await used(notes, "note_list", tokens=3)).text == "- Plan of th"
    assert (await used(notes, "note_read", title="Plan of the year", tokens=0)).text == (
        "a\n[2 characters more: read on with start=1]"
    )


async def test_whose_notes_it_is_comes_from_the_run_and_never_from_the_model():
    """Case 97."""
    notes = Notes(MemoryStore())
    await used(notes, "note_write", title="Secret", text="swordfish", scope=Scope(user="bob"))
    outcome = await used(notes, "note_search", words="swordfish", user_id="bob", scope=ANN)
    assert outcome.failed
    assert "swordfish" not in outcome.text
    outcome = await used(notes, "note_read", title="Secret", scope=ANN)
    assert outcome.failed
    for tool in notes.tools():
        assert not {"scope", "grant", "user"} & set(tool.parameters["properties"])


async def test_only_writing_is_not_to_be_repeated(notes):
    assert {tool.name: tool.idempotent for tool in notes.tools()} == {
        "note_write": False,
        "note_read": True,
        "note_search": True,
        "note_list": True,
    }


@pytest.mark.parametrize("language", sorted(PROMPT_PACKS))
async def test_the_tools_are_described_in_the_language_of_the_prompts(language):
    prompts = PROMPT_PACKS[language]
    for tool in Notes(MemoryStore(), prompts=prompts).tools():
        assert tool.description == prompts.text(f"notes.tool.{tool.name.removeprefix('note_')}")


class TestSource:
    async def test_gives_the_notes_about_the_question_as_candidates(self, notes):
        theirs = notes.of(ANN)
        await theirs.write("Budget", "The budget is 4,200 EUR.")
        await theirs.write("Weather", "It rains.")
        found = await notes.source().afetch(
            "What is our budget?", ANN, grant=Grant(500, None, count_tokens)
        )
        (only,) = found
        assert (only.id, only.source) == ("Budget", "memory")
        assert only.content == "Budget: The budget is 4,200 EUR."
        assert 0 < only.score <= 1

    async def test_has_a_quota_of_the_builder_and_finds_chinese(self, notes):
        await notes.of(ANN).write("项目", "年度预算是一百万元。")
        block = await ContextBuilder(ContextConfig(max_tokens=1_000)).abuild_block(
            query="预算多少？", sources=[notes.source()], scope=ANN
        )
        assert "[Memory]\n- 项目: 年度预算是一百万元。" in block

    async def test_cuts_a_note_that_would_take_all_the_room(self, notes):
        await notes.of(ANN).write("Budget", "The budget is high. " * 500)
        (only,) = await notes.source().afetch("budget", ANN, grant=Grant(100, None, count_tokens))
        assert count_tokens(only.content) <= 50

    async def test_gives_nobody_the_notes_of_another(self):
        notes = Notes(MemoryStore())
        await notes.of(Scope(user="bob")).write("Budget", "secret")
        grant = Grant(500, None, count_tokens)
        assert await notes.source().afetch("budget", ANN, grant=grant) == []

    async def test_may_be_named_otherwise(self, notes):
        assert notes.source().name == "memory"
        assert notes.source("notes").name == "notes"
