"""What several tasks want at the same time, done by the first of them.

- Who waits can be cancelled, and nobody else notices.
- Where the one at work is cancelled, one of those who wait takes its place.
- Where it fails, those who wait are told so, and nobody tries again.
- Each event loop does its own: what one loop waits for, another cannot wake.
- When nobody is at work, nothing is kept.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import anyio
from anyio.lowlevel import EventLoopToken, checkpoint_if_cancelled, current_token

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class OnceFailed(Exception):
    """Raised for those who waited when the one at work failed; *error* is the error's type."""

    def __init__(self, error: str) -> None:
        super().__init__(f"what was waited for failed: {error}")
        self.error = error


class Once(Generic[K, V]):
    """Work under way, by what it is for.

    An error of a type in *own* concerns only the one it is raised for: another takes over.
    """

    def __init__(self, own: tuple[type[Exception], ...] = ()) -> None:
        self.own = own
        self._under_way: dict[tuple[EventLoopToken, K], _Work[V]] = {}

    def __len__(self) -> int:
        return len(self._under_way)

    async def get(self, key: K, do: Callable[[], Awaitable[V]]) -> V:
        """What *do* returns, or the *do* of another task that came earlier with the same *key*.

        Raises:
            OnceFailed: that other one raised.
        """
        here = (current_token(), key)
        while (others := self._under_way.get(here)) is not None:
            await others.ended.wait()
            # One cancelled together with those at work must not begin it again.
            await checkpoint_if_cancelled()
            if others.results:
                return others.results[0]
            if others.failure:
                raise OnceFailed(others.failure)
        mine = self._under_way[here] = _Work[V]()
        try:
            return await self._done(mine, do)
        finally:
            del self._under_way[here]
            mine.ended.set()

    async def _done(self, work: _Work[V], do: Callable[[], Awaitable[V]]) -> V:
        try:
            result = await do()
        except self.own:
            raise
        except Exception as error:
            # Not the error itself: its traceback holds the frames of another task.
            work.failure = type(error).__name__
            raise
        work.results.append(result)
        return result


class _Work(Generic[V]):
    """One task's work; without a result and a failure it was given up."""

    def __init__(self) -> None:
        self.ended = anyio.Event()
        self.results: list[V] = []
        self.failure = ""
