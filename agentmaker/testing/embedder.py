"""An embedder for tests: vectors of words, or what a script says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import isawaitable
from typing import Any, TypeAlias

from agentmaker.context.knobs import check_count
from agentmaker.memory.index.embedding import Embedded
from agentmaker.testing.replies import Delay, Script
from agentmaker.testing.vectors import vector_of
from agentmaker.tokens import count_tokens

Item: TypeAlias = Any
"""None for vectors of words, an exception to raise, a `Delay`, or a function of the texts that
returns vectors."""


class FakeEmbedder:
    """Embeds texts by their words: those that share words are near, in every process.

        >>> embedder = FakeEmbedder([None, TimeoutError("slow today")])
        >>> embedder.calls
        []

    *script* has one item a call, or one item for every call. ``calls`` holds the texts of each.
    """

    def __init__(
        self,
        script: Item | Iterable[Item] = None,
        *,
        dimensions: int = 64,
        name: str = "fake",
    ) -> None:
        self.name = name
        self.calls: list[list[str]] = []
        self._dimensions = check_count("dimensions", dimensions, least=1)
        self._script = Script(script)

    async def __call__(self, texts: Sequence[str]) -> Any:
        """The vectors of *texts*, with their tokens as `count_tokens` counts.

        Raises:
            AssertionError: the script is used up.
            BaseException: the script's item is an exception.
        """
        self.calls.append([*texts])
        return await self._made(self._next(), texts)

    def _next(self) -> Item:
        try:
            return self._script.next()
        except AssertionError:
            raise AssertionError(
                f"FakeEmbedder was called {len(self.calls)} times, but its script has "
                f"{len(self.calls) - 1} items: add one for this call, or find out why it was made "
                "(embedder.calls[-1] holds the texts)"
            ) from None

    async def _made(self, item: Item, texts: Sequence[str]) -> Any:
        if isinstance(item, Delay):
            await item.wait()
            return await self._made(item.then, texts)
        if isinstance(item, BaseException) or _is_exception_class(item):
            raise item
        if callable(item):
            made = item(texts)
            return await made if isawaitable(made) else made
        return Embedded(
            [vector_of(text, self._dimensions) for text in texts],
            sum(map(count_tokens, texts)),
        )


def _is_exception_class(item: object) -> bool:
    return isinstance(item, type) and issubclass(item, BaseException)
