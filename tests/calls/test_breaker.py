from __future__ import annotations

import pytest

from agentmaker import LLMResponseError, RunLimitExceeded
from agentmaker.calls.breaker import FAILURES, PAUSE, Breaker
from agentmaker.calls.call import Call, Reply
from tests.calls.talk import call_of, settled, user

pytestmark = pytest.mark.anyio


class Writer:
    """A summariser that gives *answers* in turn and then good summaries."""

    def __init__(self, *answers: Exception | Reply) -> None:
        self.answers = list(answers)
        self.asked = 0
        self.breaker = Breaker()

    async def __call__(self, call: Call) -> Reply:
        self.asked += 1
        answer = self.answers.pop(0) if self.answers else settled("fine", finish_reason="stop")
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def ask(self, times: int, model: str = "m") -> list[str | None]:
        return [await self._one(model) for _ in range(times)]

    async def _one(self, model: str) -> str | None:
        try:
            return (await self.breaker(call_of(user("Sum up."), model=model), self)).content
        except Exception as error:
            return type(error).__name__


BAD = [
    ValueError("no"),
    settled("", finish_reason="stop"),
    settled("half a", finish_reason="length"),
]
LONGER = [settled("Sum up. " * 2, finish_reason="stop")] * FAILURES


@pytest.mark.parametrize("answers", [BAD, LONGER], ids=["of every kind", "no shorter, case 29"])
async def test_after_some_failures_in_a_row_nobody_is_asked_for_a_while(answers):
    write = Writer(*answers)

    said = await write.ask(FAILURES + PAUSE)

    assert write.asked == FAILURES
    assert said[FAILURES:] == [LLMResponseError.__name__] * PAUSE


async def test_then_it_is_tried_again_and_one_more_failure_is_enough():
    write = Writer(*BAD, ValueError("still not"))
    await write.ask(FAILURES + PAUSE)

    assert await write.ask(2) == ["ValueError", "LLMResponseError"]
    assert write.asked == FAILURES + 1


async def test_a_good_summary_forgives_all():
    write = Writer(*BAD[:2], settled("fine", finish_reason="stop"), *BAD[:2])

    assert (await write.ask(6))[-1] == "fine"
    assert write.asked == 6


async def test_one_model_that_fails_says_nothing_of_another():
    write = Writer(*BAD)
    await write.ask(FAILURES)

    assert await write.ask(1, model="other") == ["fine"]


async def test_a_run_that_may_ask_no_more_is_no_failure_of_the_model():
    write = Writer(*[RunLimitExceeded("calls", allowed=1, used=1)] * FAILURES)
    await write.ask(FAILURES)

    assert await write.ask(1) == ["fine"]
