from __future__ import annotations

import logging

import anyio
import pytest

from agentmaker.errors import ConfigError, StoreError
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.session import Session
from agentmaker.messages import Message

pytestmark = pytest.mark.anyio


def texts(messages) -> list[str]:
    return [message.text for message in messages]


def newest(full, window, memo):
    return None, window[-2:], {"cuts": (memo or {"cuts": 0})["cuts"] + 1}


async def anewest(full, window, memo):
    await anyio.lowlevel.checkpoint()
    return newest(full, window, memo)


class Later:
    """Nobody can tell that what it returns is to be awaited."""

    def __call__(self, *given):
        return anewest(*given)


@pytest.mark.parametrize("handler", [newest, anewest, Later()])
async def test_a_handler_sync_or_async_decides_what_the_window_sees(handler):
    session = Session(resize=handler, max_length=12)
    for text in "abcd":
        await session.add(Message(text * 20))
    assert texts(await session.history()) == ["c" * 20, "d" * 20]
    assert len(await session.turns()) == 4
    assert await session.memo() == {"cuts": 3}


async def test_without_a_length_and_an_analysis_the_handler_runs_each_time():
    session = Session(resize=newest)
    for text in "abcd":
        await session.add(Message(text))
    assert await session.memo() == {"cuts": 4}
    assert texts(await session.history()) == ["c", "d"]


async def test_what_is_said_later_follows_what_the_handler_made():
    def recap(full, window, memo):
        return (
            (None, [{"role": "user", "content": "recap"}], None)
            if len(window) == 3
            else (None,) * 3
        )

    session = Session(resize=recap)
    for text in "abcd":
        await session.add(Message(text))
    assert texts(await session.history()) == ["recap", "d"]
    assert texts(await session.turns()) == ["a", "b", "c", "d"]


async def test_the_analysis_chooses_the_handler_by_name():
    seen = []

    async def analyse(full, window, memo):
        seen.append((len(full), len(window), memo))
        return {2: "half", 4: "memo"}.get(len(full))

    handlers = {
        "half": lambda full, window, memo: (None, window[-1:], None),
        "memo": lambda full, window, memo: (None, None, "noted"),
    }
    session = Session(resize=handlers, analyse=analyse)
    for text in "abcd":
        await session.add(Message(text))
    assert seen == [(1, 1, None), (2, 2, None), (3, 2, None), (4, 3, None)]
    assert texts(await session.history()) == ["b", "c", "d"]
    assert await session.memo() == "noted"


async def test_a_new_full_conversation_is_what_the_handlers_see_from_then_on():
    seen = []

    def drop_first(full, window, memo):
        seen.append((texts(full), texts(window)))
        return full[1:] if len(full) > 2 else None, None, None

    session = Session(resize=drop_first)
    for text in "abcd":
        await session.add(Message(text))
    assert seen[-1] == (["b", "c", "d"], ["b", "c", "d"])
    assert texts(await session.history()) == ["c", "d"]
    assert texts(await session.turns()) == ["a", "b", "c", "d"]


async def test_a_new_window_leaves_the_full_conversation_whole():
    seen = []

    def last(full, window, memo):
        seen.append(texts(full))
        return None, window[-1:], None

    session = Session(resize=last)
    for text in "abc":
        await session.add(Message(text))
    assert seen == [["a"], ["a", "b"], ["a", "b", "c"]]


@pytest.mark.parametrize(
    "made", [None, ("x",), (["no message"], None, None), (None, [7], None), ("text", None, None)]
)
async def test_a_handler_that_returns_what_cannot_be_used_changes_nothing(made, caplog):
    session = Session(resize=lambda full, window, memo: made)
    with caplog.at_level(logging.WARNING):
        await session.add(Message("a"), Message("b", "assistant"))
    assert texts(await session.history()) == ["a", "b"]
    assert len(caplog.records) == 1


async def test_a_memo_that_is_no_json_changes_nothing(caplog):
    session = Session(resize=lambda full, window, memo: (None, (), {1, 2}))
    await session.add(Message("a"))
    assert texts(await session.history()) == ["a"]
    assert await session.memo() is None
    assert "TypeError" in caplog.text


async def test_a_strategy_nobody_handles_changes_nothing(caplog):
    session = Session(resize={"cut": newest}, analyse=lambda *given: "fold")
    await session.add(Message("a"))
    assert texts(await session.history()) == ["a"]
    assert "KeyError" in caplog.text


async def test_a_handler_that_fails_leaves_the_memo_it_was_changing_as_it_was():
    def fail(full, window, memo):
        memo["names"].append("wrong")
        raise ValueError

    session = Session(resize={"x": fail}, analyse=lambda full, window, memo: memo and "x")
    await session.set_memo({"names": ["Ann"]})
    await session.add(Message("a"))
    assert await session.memo() == {"names": ["Ann"]}


async def test_a_store_that_cannot_keep_the_change_leaves_the_session_as_it_was(caplog):
    class Full(MemoryStore):
        async def change(self, session, state):
            raise StoreError("the disk is full")

    session = Session(store=Full(), resize=newest)
    await session.add(Message("a"), Message("b", "assistant"), Message("c"))
    assert texts(await session.history()) == ["a", "b", "c"]
    assert "StoreError" in caplog.text


async def test_a_resize_that_is_cancelled_leaves_the_session_with_all_that_was_said():
    started = anyio.Event()

    async def slow(full, window, memo):
        started.set()
        await anyio.sleep_forever()

    session = Session(resize=slow)
    async with anyio.create_task_group() as group:
        group.start_soon(session.add, Message("a"))
        await started.wait()
        group.cancel_scope.cancel()
    assert texts(await session.history()) == ["a"]


async def test_a_message_that_arrives_during_a_resize_is_not_lost():
    started, go_on = anyio.Event(), anyio.Event()

    async def slow(full, window, memo):
        if len(full) > 2:
            return None, None, None
        started.set()
        await go_on.wait()
        return None, (Message("recap"),), None

    session = Session(resize=slow)
    async with anyio.create_task_group() as group:
        group.start_soon(session.add, Message("a"), Message("b", "assistant"))
        await started.wait()
        await session.add(Message("c"))
        go_on.set()
    assert texts(await session.history()) == ["recap", "c"]
    assert texts(await session.turns()) == ["a", "b", "c"]


async def test_a_resize_of_what_changed_meanwhile_is_made_anew_once():
    """Case 80."""
    sizes = []

    async def meddling(full, window, memo):
        sizes.append((len(window), memo))
        if len(sizes) == 1:
            await session.set_memo("theirs")
        return None, window[-1:], None

    session = Session(resize=meddling)
    await session.add(Message("a"), Message("b", "assistant"))
    assert sizes == [(2, None), (2, "theirs")]
    assert texts(await session.history()) == ["b"]
    assert await session.memo() == "theirs"


async def test_a_resize_that_is_always_too_late_is_given_up_quietly(caplog):
    """Case 80: what was made of a stale version is never applied."""
    tries = []

    async def meddling(full, window, memo):
        tries.append(memo)
        await session.set_memo(len(tries))
        return None, (), "mine"

    session = Session(resize=meddling)
    await session.add(Message("a"))
    assert tries == [None, 1]
    assert texts(await session.history()) == ["a"]
    assert await session.memo() == 2
    assert not caplog.records


async def test_turns_that_came_through_the_store_are_resized_on_request():
    session = Session(resize=newest)
    await session.store.append(session.scope, [Message("a"), Message("b"), Message("c")])
    await session.resize()
    assert texts(await session.history()) == ["b", "c"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"resize": {"cut": newest}}, "analyse="),
        ({"analyse": newest}, "resize="),
        ({"resize": "cut"}, "function"),
        ({"resize": {"cut": 1}, "analyse": newest}, "function"),
        ({"resize": newest, "analyse": "size"}, "function"),
    ],
)
async def test_handlers_that_can_never_run_are_refused_at_once(settings, words):
    with pytest.raises(ConfigError, match=words):
        Session(**settings)
