from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from agentmaker import LLMClient, Model
from agentmaker.calls.call import Call, Reply
from agentmaker.calls.middleware import Next, compose
from agentmaker.clients.fit import Fitter
from agentmaker.testing import ScriptedLLM
from tests.calls.talk import Server, assistant, call_of, calls, result, system, user
from tests.steps.line import STEPS

pytestmark = pytest.mark.anyio


class Named:
    def __init__(self, name: str, seen: list[str]) -> None:
        self.name = name
        self.seen = seen

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        self.seen.append(f"{self.name} in")
        reply = await next(call)
        self.seen.append(f"{self.name} out")
        return reply


async def test_the_first_middleware_is_the_outermost():
    seen: list[str] = []
    await compose([Named("a", seen), Named("b", seen)], Server())(call_of(user()))
    assert seen == ["a in", "b in", "b out", "a out"]


async def test_no_middleware_is_the_end_itself():
    server = Server()
    assert compose([], server) is server


async def test_a_middleware_may_answer_change_or_send_a_call_twice():
    async def twice(call: Call, next: Next, /) -> Reply:
        await next(replace(call, model="first"))
        return await next(replace(call, model="second"))

    server = Server()
    await compose([twice], server)(call_of(user()))
    assert [call.model for call in server.calls] == ["first", "second"]


async def test_what_can_be_asked_is_a_model():
    assert isinstance(ScriptedLLM(), Model)
    assert isinstance(LLMClient("deepseek"), Model)
    assert not isinstance(Fitter(window=9), Model)


async def copy_every_message(call: Call, next: Next, /) -> Reply:
    return await next(
        replace(call, window=copy.deepcopy(call.window), messages=copy.deepcopy(call.messages))
    )


async def prepare(call: Call, next: Next, /) -> Reply:
    for step in STEPS:
        call = await step(call, next)
    return await next(call)


def conversation(turns: int) -> list[dict[str, Any]]:
    messages = [system("rules")]
    for turn in range(turns):
        messages += [
            user(f"question {turn} " * 30),
            calls(f"c{turn}"),
            result(f"c{turn}", "r " * 60),
        ]
        messages += [assistant(f"answer {turn} " * 30)]
    return [*messages, user("and now?")]


async def test_case_38_a_middleware_that_copies_every_message_changes_nothing():
    orders = ([prepare], [copy_every_message, prepare], [prepare, copy_every_message])
    sent = []
    for order in orders:
        server, setting = Server(), call_of(user(), window=1_500).setting
        for turns in (3, 12, 13):
            await compose(order, server)(call_of(*conversation(turns), setting=setting))
        sent.append([call.messages for call in server.calls])
    assert sent[0] == sent[1] == sent[2]
    assert "recap" in str(sent[0][1])
