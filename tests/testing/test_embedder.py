from __future__ import annotations

import anyio
import pytest

from agentmaker.memory.index.embedding import Embedded
from agentmaker.testing import Delay, FakeEmbedder, Gate
from agentmaker.testing.vectors import vector_of

pytestmark = pytest.mark.anyio


async def test_texts_become_vectors_of_their_words_and_the_calls_are_remembered():
    embedder = FakeEmbedder(dimensions=32)
    made = await embedder(("red wine", "a broken printer"))
    assert made.vectors == [vector_of("red wine", 32), vector_of("a broken printer", 32)]
    assert made.tokens == 2 + 4
    assert embedder.calls == [["red wine", "a broken printer"]]


async def test_a_script_fails_waits_and_gives_the_wrong_width_when_told_to():
    gate = Gate()
    script = [OSError("down"), Delay(gate), lambda texts: [[1.0, 0.0, 0.0] for _ in texts], None]
    embedder = FakeEmbedder(script, dimensions=2)
    with pytest.raises(OSError, match="down"):
        await embedder(["a"])
    slow = []
    async with anyio.create_task_group() as group:

        async def wait():
            slow.append(await embedder(["a"]))

        group.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        assert slow == []
        gate.open()
    assert isinstance(slow[0], Embedded)
    assert await embedder(["a", "b"]) == [[1.0, 0.0, 0.0]] * 2
    assert len((await embedder(["a"])).vectors[0]) == 2
    with pytest.raises(AssertionError, match="called 5 times, but its script has 4 items"):
        await embedder(["a"])


async def test_one_item_is_for_every_call():
    embedder = FakeEmbedder(LookupError)
    for _ in range(2):
        with pytest.raises(LookupError):
            await embedder(["a"])
