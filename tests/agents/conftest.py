from __future__ import annotations

from typing import Any

import pytest

from agentmaker.errors import StoreError
from agentmaker.memory.in_memory import MemoryStore


class Mortal(MemoryStore):
    """Dies right behind its commit number *lives*, as a process does; 0 for never."""

    lives = 0
    commits = 0

    async def commit(self, *args: Any, **named: Any) -> None:
        if self.lives and self.commits == self.lives:
            raise StoreError("the process is gone")
        await super().commit(*args, **named)
        self.commits += 1
        if self.commits == self.lives:
            raise StoreError("the process is gone")


@pytest.fixture
def mortal() -> Mortal:
    return Mortal()
