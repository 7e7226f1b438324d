"""Work on files, databases and many records, beside the event loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from anyio import to_thread

T = TypeVar("T")


async def in_thread(function: Callable[..., T], *args: object) -> T:
    """What *function* returns, in a thread; cancelled, this leaves the thread to itself."""
    return await to_thread.run_sync(partial(function, *args), abandon_on_cancel=True)
