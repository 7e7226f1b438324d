"""Texts that are new to a counter, counted a piece at a time: the event loop runs in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agentmaker.context.measure import message_tokens
from agentmaker.context.turns import Turns
from agentmaker.messages import Message
from agentmaker.tokens import CountMemo, ExactCounter, TokenCounter


async def count_messages(messages: Iterable[Message], counter: TokenCounter) -> None:
    """Count the texts of *messages* that are new to *counter*, where it remembers any."""
    if isinstance(counter, CountMemo):
        await Counting(counter).messages(messages)


async def counted(texts: Sequence[str], counter: TokenCounter) -> list[int]:
    """The tokens of each of *texts*, counted a piece at a time where it is new to *counter*."""
    counter = CountMemo(counter) if isinstance(counter, ExactCounter) else counter
    if isinstance(counter, CountMemo):
        counting = Counting(counter)
        for text in texts:
            await counting.text(text)
    return list(map(counter, texts))


class Counting:
    """Counts for *memo* and gives the event loop its turns."""

    def __init__(self, memo: CountMemo) -> None:
        self.memo = memo
        self._turns = Turns()

    @property
    def waited(self) -> float:
        """Seconds that others took meanwhile."""
        return self._turns.waited

    async def messages(self, messages: Iterable[Message]) -> None:
        """Count the texts of *messages* that are new."""
        for message in messages:
            if isinstance(self.memo.counter, ExactCounter):
                for text in _texts(message, self.memo):
                    await self.text(text)
            else:
                message_tokens(message, self.memo)
            await self._turns.turn()

    async def text(self, text: str) -> None:
        """Count *text* where it is new."""
        for _ in self.memo.counting(text):
            await self._turns.turn()


def _texts(message: Message, memo: CountMemo) -> Iterator[str]:
    """The texts of *message* that *memo* lacks."""
    texts: list[str] = []

    def note(text: str) -> int:
        texts.append(text)
        return 0

    message_tokens(message, note)
    return filter(memo.lacks, texts)
