from __future__ import annotations

from collections.abc import Sequence
from threading import Semaphore

import anyio
import pytest
from anyio import from_thread
from anyio.abc import TaskGroup

from agentmaker.memory.sql.lanes import Job, Lanes

pytestmark = pytest.mark.anyio


class Gated:
    """Notes what is done together, and waits at a gate each time before it does so."""

    def __init__(self) -> None:
        self.gate = Semaphore(0)
        self.begun = [anyio.Event() for _ in range(5)]
        self.groups: list[list[object]] = []
        self.results: dict[str, object] = {}
        self.lanes = Lanes(1, self.work)

    def work(self, jobs: Sequence[Job[object]]) -> None:
        from_thread.run_sync(self.begun[len(self.groups)].set)
        assert self.gate.acquire(timeout=10)
        for job in jobs:
            job.settle(lambda job=job: job.work(None))
        self.groups.append([job.work(None) for job in jobs])

    async def do(self, name: str, scope: anyio.CancelScope) -> None:
        with scope:
            self.results[name] = await self.lanes.do("key", lambda _: name)
        self.results.setdefault(name, "cancelled")

    async def start(self, group: TaskGroup, *names: str) -> list[anyio.CancelScope]:
        """Start one task for each name, in this order; what can cancel them."""
        scopes = []
        for name in names:
            scopes.append(anyio.CancelScope())
            group.start_soon(self.do, name, scopes[-1])
            await anyio.wait_all_tasks_blocked()
        return scopes


async def test_what_waits_is_done_together_in_the_order_it_came() -> None:
    gated = Gated()
    async with anyio.create_task_group() as group:
        await gated.start(group, "a", "b", "c", "d")
        gated.gate.release(2)
    assert gated.groups == [["a"], ["b", "c", "d"]]
    assert gated.results == {name: name for name in "abcd"}
    assert not gated.lanes._waiting


async def test_who_is_cancelled_while_it_waits_is_not_done_and_nobody_else_notices() -> None:
    gated = Gated()
    async with anyio.create_task_group() as group:
        scopes = await gated.start(group, "a", "b", "c")
        scopes[1].cancel()
        await anyio.wait_all_tasks_blocked()
        gated.gate.release(2)
    assert gated.groups == [["a"], ["c"]]
    assert gated.results == {"a": "a", "b": "cancelled", "c": "c"}


async def test_who_writes_for_all_finishes_that_before_its_cancellation_goes_on() -> None:
    gated = Gated()
    async with anyio.create_task_group() as group:
        scopes = await gated.start(group, "a", "b", "c")
        scopes[0].cancel()
        gated.gate.release()
        await gated.begun[1].wait()
        scopes[1].cancel()
        await anyio.wait_all_tasks_blocked()
        assert gated.groups == [["a"]]
        assert "b" not in gated.results
        gated.gate.release()
    assert gated.groups == [["a"], ["b", "c"]]
    assert gated.results["c"] == "c"


async def test_who_is_written_for_goes_on_only_when_it_is_known_how_that_ended() -> None:
    gated = Gated()
    async with anyio.create_task_group() as group:
        scopes = await gated.start(group, "a", "b", "c")
        gated.gate.release()
        await gated.begun[1].wait()
        scopes[2].cancel()
        await anyio.wait_all_tasks_blocked()
        assert "c" not in gated.results
        gated.gate.release()
    assert gated.groups == [["a"], ["b", "c"]]
    assert gated.results["c"] == "cancelled"


async def test_the_next_takes_over_where_the_first_that_waits_is_cancelled_as_its_turn_comes() -> (
    None
):
    gated = Gated()

    async def first() -> None:
        await gated.lanes.do("key", lambda _: "first")
        scopes[0].cancel()  # before the one that was woken could run

    scopes: list[anyio.CancelScope] = []
    async with anyio.create_task_group() as group:
        group.start_soon(first)
        await anyio.wait_all_tasks_blocked()
        scopes += await gated.start(group, "a", "b", "c")
        gated.gate.release(2)
    assert gated.groups[0] == ["first"]
    assert gated.groups[1] in (["b", "c"], ["a", "b", "c"]), "trio wakes for good"
    assert (gated.results["b"], gated.results["c"]) == ("b", "c")
    assert not gated.lanes._waiting


async def test_work_of_a_task_that_was_cancelled_before_is_not_begun() -> None:
    gated = Gated()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await gated.lanes.do("key", lambda _: "late")
    assert not gated.groups
    assert not gated.lanes._waiting


async def test_an_error_reaches_the_one_whose_work_it_was() -> None:
    gated = Gated()
    gated.gate.release()

    def fail(_: object) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await Lanes(1, lambda jobs: [job.settle(lambda: fail(None)) for job in jobs]).do("", fail)
