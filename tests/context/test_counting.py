from __future__ import annotations

import pytest

from agentmaker.context.counting import count_messages, counted
from agentmaker.messages import Message
from agentmaker.tokens import CountMemo, ExactCounter, count_tokens

pytestmark = pytest.mark.anyio


class Letters:
    """A vocabulary of letters that notes what it encodes."""

    def __init__(self) -> None:
        self.encoded: list[str] = []
        self.counter = ExactCounter("letters", self.encode, lambda token: chr(token).encode())

    def encode(self, text: str) -> list[int]:
        self.encoded.append(text)
        return list(map(ord, text))


@pytest.mark.parametrize("texts", [[], ["one"], ["one", "three", "one"]])
async def test_every_text_has_its_count_whatever_counts(texts: list[str]) -> None:
    letters = Letters()
    lengths = [len(text) for text in texts]
    for counter in (len, letters.counter, CountMemo(letters.counter), CountMemo(len)):
        assert await counted(texts, counter) == lengths


async def test_an_exact_counter_counts_a_text_that_comes_twice_once() -> None:
    letters = Letters()
    assert await counted(["one", "one"], letters.counter) == [3, 3]
    assert letters.encoded == ["one"]


async def test_the_texts_of_messages_are_remembered_afterwards() -> None:
    memo = CountMemo(count_tokens)
    await count_messages([Message("one"), Message("two", "assistant")], memo)
    assert not memo.lacks("one")
    assert not memo.lacks("two")
