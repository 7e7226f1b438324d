"""Sessions and notes in every kind of store, and random histories."""

from __future__ import annotations

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker.context.measure import messages_tokens
from agentmaker.memory.exchanges import exchanges, newest_within
from agentmaker.memory.notes.notes import Notes
from agentmaker.memory.recaps import with_recap, without_recap
from agentmaker.memory.session import Session
from agentmaker.messages import Message, joined_units, read_messages, units
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.scope import Scope
from agentmaker.tokens import count_tokens

LONG = "the report of the day goes on and on " * 6


def texts(messages) -> list[str]:
    return [message.text for message in messages]


def call(id: str) -> dict:
    made = {"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def result(id: str) -> dict:
    return {"role": "tool", "tool_call_id": id, "content": f"found {LONG}"}


@pytest.mark.anyio
class TestInEveryStore:
    async def test_a_session_is_found_again_with_recap_memo_and_turns(self, store):
        session = Session("s", store=store, summarizer=lambda text, instruction: "a recap")
        for number in range(4):
            await session.add(Message(f"ask {number}: {LONG}"), call(f"c{number}"))
            await session.add(result(f"c{number}"), Message(f"say {number}", "assistant"))
        assert (await session.compact()).outcome == "applied"
        await session.set_memo({"name": "Ann", "years": [1, 2]})
        await session.add(Message("and now?"))

        again = Session("s", store=store)
        assert await again.memo() == {"name": "Ann", "years": [1, 2]}
        assert len(await again.turns()) == 17
        shown = await again.history()
        assert "a recap" in shown[0].text
        assert [each.role for each in shown] == ["user", "assistant", "tool", "assistant", "user"]
        await again.add(Message("now", "assistant"))
        assert (await again.compact()).outcome == "applied"
        assert texts(await again.history())[1:] == ["now"]

    async def test_a_handler_sees_the_same_conversation(self, store):
        seen = []

        def keep_two(full, window, memo):
            seen.append((len(full), len(window), memo))
            return None, window[-2:], len(seen)

        session = Session("s", store=store, resize=keep_two)
        for text in "abcd":
            await session.add(Message(text))
        assert seen == [(1, 1, None), (2, 2, 1), (3, 3, 2), (4, 3, 3)]
        assert texts(await session.history()) == ["c", "d"]

    async def test_turns_added_at_the_same_time_stand_together_and_none_is_lost(self, store):
        async def add(name: str) -> None:
            await Session("s", store=store).add(Message(f"ask {name}"), Message(name, "assistant"))

        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(add, str(number))
        said = texts(await Session("s", store=store).turns())
        assert sorted(said[1::2]) == sorted(map(str, range(10)))
        assert said[::2] == [f"ask {name}" for name in said[1::2]]

    async def test_notes_are_kept_and_found(self, store):
        notes = Notes(store, scope=Scope(user="ann"))
        await notes.write("预算", "一百万元。")
        await notes.write("Log", "one")
        await notes.append("Log", "two")
        again = Notes(store, scope=Scope(user="ann"))
        assert (await again.read("Log")).text == "one\ntwo"
        assert [note.name for note in await again.search("万元")] == ["预算"]
        await notes.write("Log", "kraken")
        assert [note.name for note in await again.search("kraken")] == ["Log"]


@st.composite
def histories(draw) -> tuple[Message, ...]:
    """Conversations as they come: questions, answers, calls with results, pictures behind them."""
    said: list[dict] = []
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["ask", "say", "call", "call with picture"]))
        words = "word " * draw(st.integers(1, 60))
        if kind == "ask":
            said.append({"role": "user", "content": words})
        elif kind == "say":
            said.append({"role": "assistant", "content": words})
        else:
            said += [call(f"c{number}"), result(f"c{number}")]
        if kind == "call with picture":
            said.append({"role": "user", "content": [{"type": "image_url", "image_url": {}}]})
    return read_messages(said)


@given(history=histories(), room=st.integers(-10, 400))
def test_the_newest_that_fit_are_an_unbroken_end_of_whole_units(history, room):
    shown = newest_within(history, room, count_tokens)
    start = len(history) - len(shown)
    assert shown == history[start:]
    assert start in {unit.start for unit in joined_units(history)} | {len(history)}
    assert bool(shown) == bool(history)
    one = len(units(shown)) == 1 or all(each.role in ("tool", "user") for each in shown[1:])
    assert messages_tokens(shown, count_tokens) <= room or one


@given(history=histories())
def test_exchanges_cover_a_history_and_begin_with_what_the_user_said(history):
    found = exchanges(history)
    assert [index for each in found for index in each] == list(range(len(history)))
    assert all(history[each.start].role == "user" for each in found[1:])


@given(history=histories(), recap=st.text(st.characters(exclude_categories=("Cs",)), min_size=1))
def test_a_recap_that_was_put_on_comes_off_again(history, recap):
    system = Message("be kind", "system")
    for messages in (history, (system, *history)):
        shown = with_recap(recap, messages, DEFAULT_PROMPTS)
        assert without_recap(shown) == (recap, messages)


@settings(max_examples=60)
@given(histories(), st.lists(st.sampled_from(["compact", "resize", "memo"]), max_size=6))
def test_whatever_is_done_to_a_session_nothing_that_was_said_is_lost(history, done):
    def halve(full, window, memo):
        return None, window[len(window) // 2 :], None

    async def live() -> None:
        session = Session(
            resize={"halve": halve},
            analyse=lambda full, window, memo: memo,
            summarizer=lambda text, instruction: "a recap",
        )
        said: list[Message] = []
        for step in [*done, "add"]:
            if step == "compact":
                await session.compact()
            if step == "resize":
                await session.set_memo("halve")
            if step == "memo":
                await session.set_memo(None)
            await session.add(*history, Message(f"then {step}"))
            said += [*history, Message(f"then {step}")]
            assert await session.turns() == tuple(said)
            assert (await session.history())[-1].text.endswith(f"then {step}")

    anyio.run(live)
