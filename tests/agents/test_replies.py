"""Replies as messages of the conversation."""

from __future__ import annotations

import pytest

from agentmaker.agents.replies import message_of
from agentmaker.calls.call import Reply


def reply(said: str) -> Reply:
    message = {"role": "assistant", "content": said}
    return Reply(content=said, raw={"choices": [{"index": 0, "message": message}]})


@pytest.mark.parametrize("said", ["plain", "größer 😀", r"the escape \ud83d spelled out", "\\ud"])
def test_what_utf_8_carries_is_sent_again_as_it_came(said: str):
    assert message_of(reply(said)).wire == {"role": "assistant", "content": said}


@pytest.mark.parametrize(("said", "sent"), [("a\ud83db", "a\ufffdb"), ("\ud83d\ude00", "😀")])
def test_what_utf_8_cannot_carry_is_mended(said: str, sent: str):
    assert message_of(reply(said)).wire == {"role": "assistant", "content": sent}
