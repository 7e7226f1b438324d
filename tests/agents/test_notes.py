from __future__ import annotations

from pathlib import Path

import pytest

from agentmaker import Agent, AgentConfig, ConfigError, NotePolicy, Notes
from agentmaker.testing import ScriptedLLM

pytestmark = pytest.mark.anyio


def look(at: int) -> str:
    """Look at something."""
    return f"thing {at}"


async def test_an_agent_with_notes_has_their_tools_and_sees_their_index(tmp_path: Path):
    notes = Notes(tmp_path)
    await notes.write("Prices", "Tea costs 3 euros.")
    llm = ScriptedLLM([ScriptedLLM.tool_call("note_read", {"title": "Prices"}), "3 euros"])

    await Agent("clerk", llm, notes=notes).arun("What is tea?")

    asked = llm.calls[0]["messages"][0]["content"]
    assert asked.startswith('<reference kind="notes">')
    assert "Prices" in asked
    assert asked.endswith("What is tea?")
    names = [each["function"]["name"] for each in llm.calls[0]["tools"]]
    assert names == ["note_write", "note_read", "note_search", "note_list"]
    assert "Tea costs 3 euros." in llm.calls[1]["messages"][-1]["content"]


@pytest.mark.parametrize("given", ["notes", Path("notes"), 5])
def test_what_are_no_notes_is_refused_by_name(given: object):
    with pytest.raises(ConfigError, match=r"notes must be a Notes\(\.\.\.\), not"):
        Agent("clerk", ScriptedLLM([]), notes=given)


async def test_the_index_stands_still_while_a_run_writes_notes(tmp_path: Path):
    write = ScriptedLLM.tool_call("note_write", {"title": "A", "text": "a"})
    llm = ScriptedLLM([write, "done"])

    await Agent("clerk", llm, notes=Notes(tmp_path)).arun("Write")

    assert llm.calls[0]["messages"][0] == llm.calls[1]["messages"][0]
    assert [each.name for each in await Notes(tmp_path).list()] == ["A"]


async def test_an_agent_is_reminded_of_its_notes_at_the_interval_it_was_given(tmp_path: Path):
    steps = [ScriptedLLM.tool_call("look", {"at": at}) for at in range(3)]
    write = ScriptedLLM.tool_call("note_write", {"title": "A", "text": "a"})
    llm = ScriptedLLM([*steps, write, *steps, "done"])
    config = AgentConfig(notes=NotePolicy(every=3))
    await Agent("clerk", llm, tools=[look], notes=Notes(tmp_path), config=config).arun("Look")

    last = [call["messages"][-1]["content"] for call in llm.calls[1:]]
    reminded = [at for at, text in enumerate(last, 1) if "note" in text and "thing" in text]
    assert reminded == [3, 7]


async def test_an_agent_without_notes_is_not_reminded():
    steps = [ScriptedLLM.tool_call("look", {"at": at}) for at in range(12)]
    llm = ScriptedLLM([*steps, "done"])
    await Agent("clerk", llm, tools=[look]).arun("Look")

    assert llm.calls[-1]["messages"][-1]["content"] == "thing 11"
