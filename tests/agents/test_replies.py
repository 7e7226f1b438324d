"""Replies as messages of the conversation."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from hypothesis import given

from agentmaker.agents.replies import message_of
from agentmaker.calls.call import Reply
from agentmaker.calls.sdk.built import built_completion, said_completion
from agentmaker.calls.transport import read
from tests.calls.sdk.test_built import completions


def reply(said: str) -> Reply:
    message = {"role": "assistant", "content": said}
    return Reply(content=said, raw={"choices": [{"index": 0, "message": message}]})


@pytest.mark.parametrize("said", ["plain", "größer 😀", r"the escape \ud83d spelled out", "\\ud"])
def test_what_utf_8_carries_is_sent_again_as_it_came(said: str):
    assert message_of(reply(said)).wire == {"role": "assistant", "content": said}


@pytest.mark.parametrize(("said", "sent"), [("a\ud83db", "a\ufffdb"), ("\ud83d\ude00", "😀")])
def test_what_utf_8_cannot_carry_is_mended(said: str, sent: str):
    assert message_of(reply(said)).wire == {"role": "assistant", "content": sent}


def said_or_refused(raw: Any) -> object:
    """What a server's answer is read as: the reply and its message, or what it is refused with."""
    try:
        answer = read(raw)
        message = message_of(answer)
    except openai.APIError:
        return openai.APIError
    except Exception as error:
        return type(error)
    usage, finish = answer.usage, answer.finish_reason
    calls = [each.to_wire() for each in answer.tool_calls]
    return dict(message.wire), usage, finish, answer.content, calls


@given(data=completions)
def test_a_completion_left_as_it_came_says_what_the_sdk_s_object_would(data: dict[str, Any]):
    left, built = (
        each().build(response=None, data=data) for each in (said_completion, built_completion)
    )
    assert said_or_refused(left) == said_or_refused(built)
