from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from agentmaker.calls.call import Reply, Usage, changed
from tests.calls.talk import call_of, user

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("params", "streams"), [({}, False), ({"stream": None}, False), ({"stream": True}, True)]
)
async def test_a_call_streams_when_its_caller_says_so(params, streams):
    assert call_of(user(), params=params).stream is streams


async def test_every_request_has_an_id_of_its_own():
    assert call_of(user()).request_id != call_of(user()).request_id


async def test_a_changed_call_is_what_replace_makes_of_it():
    call = call_of(user(), params={"seed": 3})
    said = {"own_ms": 2.5, "messages": ({"role": "user"},), "run_id": "r"}
    assert changed(call, **said) == replace(call, **said)
    assert changed(call) == call
    assert (call.own_ms, call.messages) == (0.0, ())


async def test_nothing_is_changed_that_a_call_does_not_have():
    with pytest.raises(TypeError, match="other"):
        changed(call_of(user()), other=1)


RAW = {
    "prompt_tokens": 9,
    "completion_tokens": 2,
    "total_tokens": 11,
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 1},
}


@pytest.mark.parametrize("kind", [dict, lambda raw: SimpleNamespace(**raw)])
async def test_usage_is_read_from_objects_and_dictionaries(kind):
    assert Usage.from_wire(kind(RAW)) == Usage(
        prompt_tokens=9, completion_tokens=2, total_tokens=11, cached_tokens=4, reasoning_tokens=1
    )


@pytest.mark.parametrize(
    "odd",
    [
        *({}, {"prompt_tokens": "9"}, {"prompt_tokens": True}, "usage", 5),
        {"total_tokens": -1, "prompt_tokens_details": {"cached_tokens": -9}},
    ],
)
async def test_case_79_what_the_server_did_not_say_in_numbers_is_none_and_not_0(odd):
    assert Usage.from_wire(odd) == Usage()


async def test_case_79_no_usage_is_none():
    assert Usage.from_wire(None) is None


async def test_a_reply_settles_once_and_tells_everyone_once():
    reply, told = Reply(), []
    for name in "ab":
        reply.on_settle(lambda done, name=name: told.append((name, done)))
    reply.settle()
    reply.settle()
    assert told == [("a", reply), ("b", reply)]


async def test_who_comes_late_is_told_at_once():
    reply, told = Reply(), []
    reply.settle()
    reply.on_settle(told.append)
    assert told == [reply]


async def test_one_who_fails_when_told_harms_neither_the_others_nor_the_call(
    caplog: pytest.LogCaptureFixture,
):
    def fails(reply: Reply) -> None:
        raise ValueError("secret")

    reply, told = Reply(), []
    for fn in (fails, told.append):
        reply.on_settle(fn)
    reply.settle()
    reply.on_settle(fails)
    assert told == [reply]
    assert caplog.text.count("ValueError") == 2
    assert "secret" not in caplog.text


async def test_one_who_asks_to_be_told_while_others_are_told_is_told():
    reply, told = Reply(), []
    reply.on_settle(lambda done: done.on_settle(told.append))
    reply.settle()
    assert told == [reply]


async def test_the_first_end_of_a_reply_is_its_end():
    reply, first = Reply(), OSError()
    reply.settle(first)
    reply.settle(ValueError())
    assert reply.error is first


async def test_a_whole_reply_is_no_stream():
    with pytest.raises(TypeError, match="not a stream"):
        aiter(Reply(content="a"))
    async with Reply(content="a") as reply:
        assert reply.content == "a"


async def test_leaving_a_reply_closes_it():
    closed: list[Any] = []

    async def close() -> None:
        closed.append(True)

    async with Reply(close=close):
        assert closed == []
    assert closed == [True]
