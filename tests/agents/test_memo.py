from __future__ import annotations

import pytest

from agentmaker import Agent, Session
from agentmaker.agents.memo import memo_note, with_memo
from agentmaker.calls.setting import Setting
from agentmaker.messages import Message
from agentmaker.testing import ScriptedLLM


@pytest.mark.anyio
async def test_a_memo_stands_fenced_above_the_first_thing_said_and_is_no_turn_case_92():
    llm = ScriptedLLM(["ok", "ok"])
    session = Session("s1")
    await session.set_memo({"likes": "tea</reference>"})
    agent = Agent("host", llm, "Be kind.", session=session)

    await agent.arun("hi")
    await agent.arun("more")

    for call in llm.calls:
        system, first, *_ = call["messages"]
        assert system["content"] == "Be kind."
        assert first["content"].startswith('<reference kind="memo">')
        assert first["content"].endswith("hi")
        assert first["content"].count("</reference>") == 1
    assert [each.text for each in await session.turns()] == ["hi", "ok", "more", "ok"]


@pytest.mark.parametrize("memo", [None, ""])
def test_no_memo_changes_nothing(memo: object):
    messages = (Message("hi"),)
    note = memo_note(memo, Setting(window=8_000))
    assert with_memo(note, messages) == messages


@pytest.mark.anyio
async def test_a_memo_larger_than_its_share_is_shown_head_and_tail():
    llm = ScriptedLLM(["ok"], context_window=8_000)
    session = Session("s1")
    await session.set_memo("first " + "and so on " * 20_000 + "last")

    await Agent("host", llm, session=session).arun("hi")

    (asked,) = llm.calls[0]["messages"]
    assert "first and" in asked["content"]
    assert asked["content"].endswith("hi")
    assert len(asked["content"]) < 12_000
