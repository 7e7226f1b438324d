"""Count what is new, a piece at a time: the steps that follow only look their counts up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from anyio.lowlevel import checkpoint

from agentmaker.calls.call import Call
from agentmaker.calls.middleware import Next
from agentmaker.context.measure import message_tokens
from agentmaker.messages import Message, dumps
from agentmaker.tokens import CountMemo, TokenCounter

LONGEST_TURN = 0.005
"""Seconds of counting after which the event loop has a turn."""

PORTION = 256
"""So many messages are measured at once."""


async def step(call: Call, ask: Next, /) -> Call:
    """Count the call's texts; cancelled between two pieces, no half of a count is remembered."""
    if not isinstance(call.setting.counter, CountMemo):
        return call
    counting = _Counting(call.setting.counter)
    await counting.call(call)
    return replace(call, own_ms=call.own_ms - counting.waited * 1000) if counting.waited else call


async def count_messages(messages: Iterable[Message], counter: TokenCounter) -> None:
    """Count the texts of *messages* that are new to *counter*, where it remembers any."""
    if isinstance(counter, CountMemo):
        await _Counting(counter).messages(messages)


async def counted(text: str, counter: TokenCounter) -> int:
    """The tokens of *text*, counted a piece at a time where it is new to *counter*."""
    if isinstance(counter, CountMemo):
        await _Counting(counter).text(text)
    return counter(text)


class _Counting:
    """Counts for *memo* and gives the event loop its turns."""

    def __init__(self, memo: CountMemo) -> None:
        self.memo = memo
        self.waited = 0.0
        self._since = time.perf_counter()

    async def call(self, call: Call) -> None:
        window, measurements = call.window, call.setting.views.measurements
        for schemas in (list(window.tools), window.response_format):
            if schemas:
                await self.text(dumps(schemas))
        await self.messages(window.system)
        conversation = window.conversation
        known = measurements.known(window.system, conversation, self.memo)
        for start in range(known, len(conversation), PORTION):
            await self.messages(conversation[start : start + PORTION])
            if start + PORTION < len(conversation):
                measurements.of(window.system, conversation[: start + PORTION], self.memo)

    async def messages(self, messages: Iterable[Message]) -> None:
        for message in messages:
            for text in _texts(message, self.memo):
                await self.text(text)
            await self._turn()

    async def text(self, text: str) -> None:
        for _ in self.memo.counting(text):
            await self._turn()

    async def _turn(self) -> None:
        now = time.perf_counter()
        if now - self._since > LONGEST_TURN:
            await checkpoint()
            self._since = time.perf_counter()
            self.waited += self._since - now


def _texts(message: Message, memo: CountMemo) -> Iterator[str]:
    """The texts of *message* that *memo* lacks."""
    texts: list[str] = []

    def note(text: str) -> int:
        texts.append(text)
        return 0

    message_tokens(message, note)
    return filter(memo.lacks, texts)
