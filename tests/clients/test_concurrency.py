"""One client and many calls at the same time: nothing is mixed up, nothing is done twice."""

from __future__ import annotations

import copy
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

import agentmaker
from agentmaker import CallableSource, RetrievalResult, RunPolicy, using
from agentmaker.plain import dumps
from agentmaker.sync import run
from agentmaker.testing import Delay, Gate
from tests.clients.asking import TOOL, Asked, assistant, step, talk, text_of, user

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("by_the_rule")]

MANY = 200


def last_word(body: dict[str, Any]) -> str:
    return "Yes, " + text_of(body["messages"][-1]).rsplit(" ", 1)[-1]


def numbered(number: int) -> list[dict[str, Any]]:
    """A conversation of its own; every fifth is too long for the window."""
    before = talk(90, 100) if number % 5 == 0 else talk(2, 20)
    return [*before, user(f"is this number-{number}")]


# The SDK leaves its own generators open at the end of a stream, which trio complains of.
streams = pytest.mark.parametrize("anyio_backend", ["asyncio"])


async def read(asked: Asked, messages: list[dict[str, Any]]) -> str:
    """What a stream says."""
    async with await asked(messages, stream=True) as chunks:
        return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])


async def said(asked: Asked, messages: list[dict[str, Any]]) -> str:
    return (await asked(messages)).choices[0].message.content


async def at_once(
    asked: Asked, conversations: list[list[dict[str, Any]]], ways: tuple[Any, ...] = (said, read)
) -> list[str]:
    """What each is answered, in turn by a whole reply and by a stream."""
    got = [""] * len(conversations)

    async def ask(index: int) -> None:
        got[index] = await ways[index % len(ways)](asked, conversations[index])

    async with anyio.create_task_group() as group:
        for index in range(len(conversations)):
            group.start_soon(ask, index)
    return got


@asynccontextmanager
async def in_process() -> AsyncIterator[Asked]:
    yield Asked(last_word)


@asynccontextmanager
async def on_loopback() -> AsyncIterator[Asked]:
    asked = Asked(last_word)
    async with asked.server, asked.server.client(max_retries=0) as client:
        asked.client = agentmaker.wrap(client, window=8_000, sinks=[asked.sink])
        yield asked


@streams
@pytest.mark.parametrize("where", [in_process, on_loopback])
async def test_two_hundred_calls_at_once_each_get_their_own_answer(where: Any) -> None:
    conversations = [numbered(number) for number in range(MANY)]
    before = copy.deepcopy(conversations)
    async with where() as asked:
        got = await at_once(asked, conversations)
    assert got == [f"Yes, number-{number}" for number in range(MANY)]
    assert conversations == before
    assert Counter(record.outcome for record in asked.sink) == {"ok": MANY}
    assert len({record.request_id for record in asked.sink}) == MANY
    assert all(sum(row.used for row in record.ledger) == 8_000 for record in asked.sink)


async def test_two_hundred_calls_of_one_conversation_send_the_same_bytes() -> None:
    async with in_process() as asked:
        conversation = numbered(5)
        got = await at_once(asked, [conversation] * MANY, (said,))
    assert set(got) == {"Yes, number-5"}
    assert len({dumps(sent) for sent in asked.sent}) == 1
    assert len(asked.sent[0]) < len(conversation)


class Summariser:
    """Writes a summary that no other is like, when it is let to."""

    def __init__(self, *, held: bool = False) -> None:
        self.texts: list[str] = []
        self.gate = Gate()
        self.failure: Exception | None = None
        if not held:
            self.gate.open()

    async def __call__(self, text: str, instruction: str) -> str:
        self.texts.append(text)
        number = len(self.texts)
        await checkpoint()
        await self.gate.wait()
        if self.failure:
            raise self.failure
        return f"This is summary {number}."

    async def asked(self, times: int = 1) -> None:
        with anyio.fail_after(10):
            while len(self.texts) < times:
                await checkpoint()


WORK = [message for nth in range(60) for message in step(nth, f"r{nth} " + "seen " * 60)]
LONG_TALK = [{"role": "system", "content": "Be brief."}, *talk(100), user("and now?")]
FIRST_CUT = LONG_TALK[81:]
LONG_WORK = [*talk(60), user("look at it all"), *WORK]


async def alone(messages: list[Any]) -> tuple[int, list[Any]]:
    """How many summaries one call needs, and what it sends."""
    summariser = Summariser()
    asked = Asked(summarizer=summariser)
    await asked(messages)
    return len(summariser.texts), asked.sent[0]


@pytest.mark.parametrize(
    ("tasks", "messages"),
    [
        (2, FIRST_CUT),
        (10, FIRST_CUT),
        (10, LONG_TALK),
        (10, [user("look"), *WORK]),
        (10, LONG_WORK),
    ],
    ids=["two", "ten", "in pieces", "work", "talk and work"],
)
async def test_case_80_one_conversation_from_several_tasks_is_summarised_once(
    tasks: int, messages: list[Any]
) -> None:
    needed, sent = await alone(messages)
    summariser = Summariser()
    asked = Asked(summarizer=summariser)
    before = copy.deepcopy(messages)
    async with anyio.create_task_group() as group:
        for _ in range(tasks):
            group.start_soon(asked, messages)
    assert len(summariser.texts) == needed
    assert f"summary {needed}" in dumps(sent)
    assert asked.sent == [sent] * tasks
    purposes = Counter(record.purpose for record in asked.sink)
    assert purposes == {"summary": needed, "request": tasks}
    assert messages == before


async def test_case_80_a_call_further_on_shares_the_summary_of_the_one_behind_it() -> None:
    needed, short = await alone(LONG_TALK)
    summariser = Summariser(held=True)
    asked = Asked(summarizer=summariser)
    async with anyio.create_task_group() as group:
        group.start_soon(asked, LONG_TALK)
        await summariser.asked()
        group.start_soon(asked, [*LONG_TALK, assistant("Fine."), user("and then?")])
        await checkpoint()
        summariser.gate.open()
    assert len(summariser.texts) == needed
    long = max(asked.sent, key=len)
    assert long[: len(short)] == short


async def test_a_call_after_the_summary_sends_the_bytes_of_those_that_waited_for_it() -> None:
    needed, sent = await alone(LONG_WORK)
    summariser = Summariser()
    asked = Asked(summarizer=summariser)
    for _ in range(2):
        await asked(LONG_WORK)
    assert asked.sent == [sent, sent]
    assert len(summariser.texts) == needed


@pytest.mark.parametrize("cancelled", [1, 9], ids=["the first", "all but the last"])
async def test_where_the_one_that_asks_is_cancelled_another_takes_over(cancelled: int) -> None:
    summariser = Summariser(held=True)
    asked = Asked(summarizer=summariser)
    scopes = [anyio.CancelScope() for _ in range(10)]

    async def ask(scope: anyio.CancelScope) -> None:
        with scope:
            await asked(LONG_TALK)

    async with anyio.create_task_group() as group:
        for scope in scopes:
            group.start_soon(ask, scope)
            if scope is scopes[0]:
                await summariser.asked()
        for _ in range(20):
            await checkpoint()  # until all of them wait
        for scope in scopes[:cancelled]:
            scope.cancel()
        await summariser.asked(2)
        summariser.gate.open()
    assert len(asked.sent) == 10 - cancelled
    assert len({dumps(sent) for sent in asked.sent}) == 1
    assert f"summary {len(summariser.texts)}" in dumps(asked.sent[0])
    assert len(summariser.texts) == (await alone(LONG_TALK))[0] + 1
    assert len(asked.client.engine.summaries) == 0


async def test_case_20_where_it_fails_all_fall_back_and_nobody_asks_again() -> None:
    summariser = Summariser(held=True)
    summariser.failure = ValueError("down")
    asked, plain = Asked(summarizer=summariser), Asked()
    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(asked, LONG_WORK)
        await summariser.asked()
        summariser.gate.open()
    await plain(LONG_WORK)
    assert len(summariser.texts) == 1
    assert {dumps(sent) for sent in asked.sent} == {dumps(plain.sent[0])}


async def test_a_run_at_its_limit_does_not_cost_another_its_summary() -> None:
    summariser = Summariser()
    asked = Asked(summarizer=summariser)
    with using(run=RunPolicy(calls=1)) as spent:
        await asked()
    refused = []

    async def with_the_spent_run() -> None:
        with using(run=spent):
            try:
                await asked(LONG_TALK)
            except agentmaker.RunLimitExceeded as error:
                refused.append(error)

    async with anyio.create_task_group() as group:
        group.start_soon(with_the_spent_run)
        group.start_soon(asked, LONG_TALK)
    assert len(refused) == 1
    assert "This is summary" in dumps(asked.sent[-1])


async def test_waiting_for_the_summary_of_another_is_no_work_of_ours() -> None:
    summariser = Summariser(held=True)
    asked = Asked(summarizer=summariser)
    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(asked, LONG_TALK)
        await summariser.asked()
        await anyio.sleep(0.5)
        summariser.gate.open()
    requests = [record for record in asked.sink if record.purpose == "request"]
    assert all(record.own_ms < 400 < record.total_ms for record in requests)


def test_one_client_on_several_event_loops_neither_hangs_nor_mixes_them_up() -> None:
    """Each of three threads, and the loop of the sync functions, asks ten times at once."""
    summariser = Summariser()
    asked = Asked(summarizer=summariser)
    begin = threading.Barrier(4)
    faults: list[BaseException] = []

    async def ten() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(10):
                group.start_soon(asked, FIRST_CUT)

    def guarded(begun: Callable[[], object]) -> None:
        try:
            begin.wait(10)
            begun()
        except BaseException as fault:
            faults.append(fault)

    ways = [lambda: anyio.run(ten), lambda: anyio.run(ten, backend="trio"), lambda: run(ten)]
    threads = [threading.Thread(target=guarded, args=(way,)) for way in (*ways, ways[0])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert faults == []
    assert len(asked.sent) == 40
    assert 1 <= len(summariser.texts) <= 4
    assert len({dumps(sent) for sent in asked.sent}) == 1
    assert len(asked.client.engine.summaries) == 0


@streams
async def test_a_slow_reader_loses_nothing_while_a_hundred_others_are_served() -> None:
    asked = Asked(last_word)
    async with await asked([user("is this the-slow-one")], stream=True) as chunks:
        words = [chunk.choices[0].delta.content or "" async for chunk in some_of(chunks, 2)]
        for nth in range(5):
            got = await at_once(asked, [numbered(20 * nth + number) for number in range(20)])
            assert got == [f"Yes, number-{20 * nth + number}" for number in range(20)]
            words += [chunk.choices[0].delta.content or "" async for chunk in some_of(chunks, 1)]
        words += [chunk.choices[0].delta.content or "" async for chunk in chunks]
    assert "".join(words) == "Yes, the-slow-one"
    assert Counter(record.outcome for record in asked.sink) == {"ok": 101}


async def some_of(chunks: Any, number: int) -> AsyncIterator[Any]:
    for _ in range(number):
        chunk = await anext(chunks, None)
        if chunk is not None:
            yield chunk


async def test_calls_that_hang_do_not_hold_up_the_others() -> None:
    gate = Gate()

    def some_hang(body: dict[str, Any]) -> Any:
        answer = last_word(body)
        return Delay(gate, then=answer) if answer.endswith("0") else answer

    asked = Asked(some_hang)
    async with anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(asked, [user(f"is this number-{number}")])
        with anyio.fail_after(10):
            while len(asked.sink) < 45:
                await checkpoint()
        gate.open()
    assert len(asked.sink) == 50


async def test_what_one_scope_knows_is_in_no_request_of_another() -> None:
    def known(query: str, scope: Any) -> list[RetrievalResult]:
        return [RetrievalResult(content=f"secret of {scope.user}", score=1.0, source="rag")]

    asked = Asked(sources=[CallableSource("rag", known)])

    async def ask(name: str) -> None:
        with using(scope=agentmaker.Scope(user=name)):
            await asked([*talk(100), user(f"I am {name}")], tools=[TOOL])

    names = [f"user{number:02}" for number in range(20)]
    async with anyio.create_task_group() as group:
        for name in names:
            group.start_soon(ask, name)
    for sent in asked.sent:
        (name,) = {name for name in names if name in dumps(sent)}
        assert f"secret of {name}" in dumps(sent)
