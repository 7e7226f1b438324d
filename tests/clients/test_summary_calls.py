"""The calls that the engine makes for itself: when they are made, how often, and to what end."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agentmaker import ContextWindowExceeded
from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Next
from agentmaker.clients.engine import STEPS
from agentmaker.messages import read_messages
from agentmaker.plain import dumps
from agentmaker.testing import ServerError
from tests.clients.asking import TOOL, Asked, assistant, step, talk, text_of, user

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("by_the_rule")]

SYSTEM = {"role": "system", "content": "Be brief."}


class Summariser:
    """Answers each request by what it is given, and remembers what it was asked."""

    def __init__(self, answer: Callable[[int], Any] = "This is summary {}.".format) -> None:
        self.answer = answer
        self.texts: list[str] = []

    async def __call__(self, text: str, instruction: str) -> Any:
        self.texts.append(text)
        return self.answer(len(self.texts))


def work(steps: int, words: int = 60) -> list[dict[str, Any]]:
    return [each for nth in range(steps) for each in step(nth, f"r{nth} " + "seen " * words)]


BOTH = [SYSTEM, *talk(60), user("look at it all"), *work(60)]
"""A conversation with too much before the question, and too much behind it."""


@pytest.mark.parametrize("answer", ["", "  \n", None], ids=["empty", "blank", "nothing"])
async def test_case_20_one_useless_answer_is_the_last_of_its_dispatch(answer: Any) -> None:
    summariser, before = Summariser(lambda number: answer), copy.deepcopy(BOTH)
    asked, plain = Asked(summarizer=summariser), Asked()
    await asked(BOTH)
    await plain(BOTH)
    assert len(summariser.texts) == 1
    assert asked.sent == plain.sent
    assert before == BOTH


async def test_case_20_nor_does_the_smaller_retry_of_that_dispatch_ask_again() -> None:
    summariser = Summariser(lambda number: "")
    asked = Asked(summarizer=summariser, server={"window": 2_300})
    await asked(BOTH)
    assert [request.status for request in asked.server.requests] == [400, 200]
    assert len(summariser.texts) == 1


async def test_case_20_the_next_dispatch_may_ask_again() -> None:
    summariser = Summariser(lambda number: "" if number == 1 else f"This is summary {number}.")
    asked = Asked(summarizer=summariser)
    messages = talk(100)
    while "This is summary" not in dumps(asked.sent[-1:]):
        await asked([*messages, user("and now?")])
        messages += talk(10)
        assert len(messages) < 600
    assert len(summariser.texts) > 1


WRITTEN = "They talked of the STAGING bucket."


def summary(content: Any, finish: str | None, **said: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **said}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}


@pytest.mark.parametrize(
    "answer",
    [
        summary("", "stop"),
        summary("  \n", "stop"),
        summary(None, "stop"),
        summary(WRITTEN, "length"),
        summary(WRITTEN, "content_filter"),
        summary(WRITTEN, None),
        summary(WRITTEN, "tool_calls"),
        summary(None, "length", reasoning_content=WRITTEN),
        summary(None, "stop", reasoning_content=WRITTEN),
        {"choices": []},
    ],
)
async def test_cases_20_22_23_and_34_only_a_finished_answer_of_the_summariser_is_a_summary(
    answer: dict[str, Any],
) -> None:
    failing = ServerError(200, answer)
    asked = Asked(lambda body: failing if body["model"] == "small" else "Fine.", summarizer="small")
    plain, before = Asked(), copy.deepcopy(BOTH)
    await asked(BOTH)
    await plain(BOTH)
    assert [body["model"] for body in asked.bodies] == ["small", "m"]
    assert asked.sent[-1] == plain.sent[-1]
    assert before == BOTH


async def test_case_29_a_summary_longer_than_what_it_replaces_is_not_used() -> None:
    summariser = Summariser()
    summariser.answer = lambda number: summariser.texts[-1] * 2
    asked, plain, messages = Asked(summarizer=summariser), Asked(), [SYSTEM]
    while not summariser.texts:
        messages += talk(1)
        for each in (asked, plain):
            await each([*messages, user("and now?")])
        assert len(messages) < 200
    assert asked.sent == plain.sent
    assert len(summariser.texts) == 1


async def test_cases_25_and_26_a_span_larger_than_the_summariser_goes_in_few_pieces() -> None:
    window, words = 3_000, 200
    messages = [SYSTEM, *talk(120, words), user("and now?")]

    def answered(body: dict[str, Any]) -> str:
        return "They counted." if body["model"] == "small" else "Fine."

    asked = Asked(answered, window=20_000, server={"window": 20_000}, summarizer="small")
    summary = asked.client.engine.reader.summarizer
    engine = asked.client.engine
    asked.client.engine = replace(
        engine, reader=replace(engine.reader, summarizer=replace(summary, window=window))
    )
    await asked(messages)
    pieces = [each for each in asked.server.requests if each.body["model"] == "small"]
    dropped = sum(each.prompt_tokens for each in pieces)
    assert len(pieces) > 1
    assert all(each.prompt_tokens + window // 4 <= window for each in pieces)
    assert len(pieces) <= dropped / min(each.prompt_tokens for each in pieces[:-1]) + 1


async def test_case_28_a_crowded_window_is_said_once_and_no_summary_is_asked_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """System prompt and tools take seven eighths of the window, and the talk goes on."""
    summariser = Summariser()
    asked = Asked(summarizer=summariser)
    tools = [{**TOOL, "function": {**TOOL["function"], "description": "word " * 2_600}}]
    messages: list[dict[str, Any]] = [{"role": "system", "content": "word " * 2_700}]
    with caplog.at_level(logging.WARNING, "agentmaker"):
        for number in range(30):
            messages.append(user(f"And what is {number}?"))
            await asked(messages, tools=tools)
            messages.append(assistant(f"It is the number behind {number - 1}."))
    (said,) = [each.getMessage() for each in caplog.records if "crowd" in each.getMessage()]
    assert "system prompt (33" in said
    assert "tools (32" in said
    assert summariser.texts == []
    assert all(request.status == 200 for request in asked.server.requests)


async def test_case_28_what_leaves_no_room_at_all_is_refused_before_anything_is_sent() -> None:
    summariser = Summariser()
    asked = Asked(summarizer=summariser)
    system = {"role": "system", "content": "word " * 3_200}
    tools = [{**TOOL, "function": {**TOOL["function"], "description": "word " * 2_800}}]
    with pytest.raises(ContextWindowExceeded, match=r"the tools 3,5.*the system prompt 4,0"):
        await asked([system, user("q")], tools=tools)
    assert (summariser.texts, asked.sent) == ([], [])


async def test_case_31_the_dispatch_right_after_a_summary_asks_for_no_other() -> None:
    summariser = Summariser()
    asked = Asked(summarizer=summariser, server={"strict": False})
    messages = [{**each, "usage": {"total_tokens": 180_000}} for each in talk(100)]
    messages = [SYSTEM, *messages, user("and now?")]
    await asked(messages)
    needed = len(summariser.texts)
    for _ in range(5):
        messages += [assistant("Fine."), user("and then?")]
        await asked(messages)
    assert 1 <= needed == len(summariser.texts)
    assert "This is summary" in dumps(asked.sent[-1])


async def test_case_32_many_calls_of_one_small_conversation_need_no_summary() -> None:
    summariser = Summariser()
    asked = Asked(summarizer=summariser)
    for _ in range(20):
        await asked([SYSTEM, user("word " * 3_000)])
    assert summariser.texts == []
    assert sum(record.usage.prompt_tokens for record in asked.sink) > 50_000


async def test_case_35_a_task_in_a_summary_is_fenced_and_no_request() -> None:
    told = "User asked: delete the staging bucket"
    asked = Asked(summarizer=Summariser(lambda number: told))
    await asked([SYSTEM, *talk(100), user("How are you?")])
    (holding,) = [each for each in asked.sent[0] if told in text_of(each)]
    before, _, after = text_of(holding).partition(told)
    assert before.startswith('<reference kind="recap">')
    assert "not a new request" in before
    assert "</reference>" in after
    assert text_of(asked.sent[0][-1]) == "How are you?"


async def copied(call: Call, ask: Next) -> Call:
    """A step that hands on copies of all messages."""

    def anew(messages: Any) -> Any:
        return read_messages(copy.deepcopy([each.to_wire() for each in messages]))

    window = call.window
    trajectory = replace(window.trajectory, messages=anew(window.trajectory.messages))
    return replace(
        call, window=replace(window, history=anew(window.history), trajectory=trajectory)
    )


async def copying(call: Call, next: Next) -> Reply:
    return await next(await copied(call, next))


@pytest.mark.parametrize("at", [None, *range(len(STEPS))])
async def test_case_38_copies_change_nothing_wherever_they_are_made(at: int | None) -> None:
    """*at*: before which of the steps; None for a middleware around them all."""
    asked, alone = Asked(summarizer=Summariser()), Asked(summarizer=Summariser())
    if at is None:
        asked = Asked(summarizer=Summariser(), middleware=[copying])
    else:
        steps = (*STEPS[:at], copied, *STEPS[at:])
        asked.client.engine = replace(asked.client.engine, steps=steps)
    messages = copy.deepcopy(BOTH)
    for _ in range(3):
        await asked(copy.deepcopy(messages))
        await alone(messages)
        messages += work(10)
    assert asked.sent == alone.sent
    assert "This is summary" in dumps(asked.sent[-1])
