"""Calls that are given up, and many at once: nothing stays open, and everything is booked."""

from __future__ import annotations

import anyio
import pytest

from tests.real.asking import asking
from tests.real.gguf_model import ANSWER
from tests.real.llama import serving
from tests.real.talk import user

pytestmark = pytest.mark.anyio

QUESTION = [user("Where is W-007?")]

# An answer of a minute, in a window that has room for it.
ENDLESS = {"max_tokens": 190_000, "extra_body": {"ignore_eos": True}}
VAST = 200_000

SECONDS = 10
"""Far less than an endless answer takes, and far more than any other."""


@pytest.fixture
def vast(model):
    """A server with one slot that holds an endless answer."""
    with serving(model, window=VAST) as server:
        yield server


async def until(llama, *, busy):
    """Return when so many slots are at work."""
    with anyio.fail_after(SECONDS):
        while llama.busy != busy:  # noqa: ASYNC110 (the server has to be asked)
            await anyio.sleep(0.005)


async def assert_answers(asked):
    with anyio.fail_after(SECONDS):
        answer = await asked(QUESTION)
    assert answer.choices[0].message.content == ANSWER


async def test_a_cancelled_call_is_over_at_once_and_the_next_is_answered(model):
    # This server notices only of a stream that nobody reads it any more, so there are two slots.
    with serving(model, window=VAST, slots=2) as llama:
        async with asking(llama) as asked:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: asked(QUESTION, **ENDLESS))
                await until(llama, busy=1)
                tasks.cancel_scope.cancel()
            await assert_answers(asked)
    assert [each.outcome for each in asked.sink.records] == ["CancelledError", "ok"]


async def test_a_stream_that_is_closed_early_frees_the_servers_slot(vast):
    async with asking(vast) as asked:
        async with await asked(QUESTION, stream=True, **ENDLESS) as stream:
            async for _ in stream:
                break
        await until(vast, busy=0)
        await assert_answers(asked)
    assert len(asked.sink) == 2


async def test_a_stream_that_is_cancelled_while_it_is_read_frees_the_servers_slot(vast):
    async with asking(vast) as asked:

        async def read():
            async for _ in await asked(QUESTION, stream=True, **ENDLESS):
                begun.set()

        begun = anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await begun.wait()
            tasks.cancel_scope.cancel()
        await until(vast, busy=0)
        await assert_answers(asked)
    assert [each.outcome for each in asked.sink.records] == ["CancelledError", "ok"]


async def test_sixteen_calls_at_once_are_answered_on_four_slots_each_with_its_record(llama):
    async with asking(llama) as asked:
        answers = []

        async def ask(nth):
            answer = await asked([user(f"{nth}: where is it?")])
            answers.append((nth, answer.choices[0].message.content))

        async with anyio.create_task_group() as tasks:
            for nth in range(16):
                tasks.start_soon(ask, nth)
    assert sorted(answers) == [(nth, ANSWER) for nth in range(16)]
    assert asked.statuses == [200] * 16
    for record in asked.sink.records:
        assert record.outcome == "ok"
        assert record.usage.prompt_tokens == record.ledger.estimate
    assert len(asked.sink) == 16
