from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.store import Store


@pytest.fixture(params=["memory"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """A new and empty store of every kind."""
    made = MemoryStore()
    yield made
    await made.aclose()
