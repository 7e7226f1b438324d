from __future__ import annotations

import asyncio
from collections.abc import Sequence
from threading import Semaphore

import anyio
import pytest
from anyio import from_thread
from anyio.abc import TaskGroup
from anyio.lowlevel import current_token

from agentmaker import sync
from agentmaker.memory.sql.lanes import Job, Lanes

pytestmark = pytest.mark.anyio


class Gated:
    """Notes what is done together, and waits at a gate each time before it does so."""

    def __init__(self) -> None:
        self.token = current_token()
        self.gate = Semaphore(0)
        self.begun = [anyio.Event() for _ in range(5)]
        self.groups: list[list[object]] = []
        self.results: dict[str, object] = {}
        self.lanes = Lanes(1, self.work)

    def work(self, jobs: Sequence[Job[object]]) -> None:
        from_thread.run_sync(self.begun[len(self.groups)].set, token=self.token)
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


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_cancellation_by_asyncio_itself_does_no_more_than_that_by_anyio() -> None:
    gated = Gated()

    async def do(name: str) -> str:
        return await gated.lanes.do("key", lambda _: name)

    tasks = []
    for name in "abc":
        tasks.append(asyncio.create_task(do(name)))
        await anyio.wait_all_tasks_blocked()
    for _ in range(3):
        tasks[0].cancel()
        tasks[1].cancel()
        await anyio.wait_all_tasks_blocked()
    assert [task.done() for task in tasks] == [False, True, False]
    gated.gate.release(2)
    assert await tasks[2] == "c"
    assert tasks[0].cancelled()
    assert tasks[1].cancelled()
    assert gated.groups == [["a"], ["c"]]
    assert not gated.lanes._waiting


@pytest.mark.filterwarnings("ignore:a sync call inside a running event loop")
async def test_a_loop_that_is_blocked_does_not_hold_up_another() -> None:
    gate = Semaphore(0)

    def work(jobs: Sequence[Job[object]]) -> None:
        assert gate.acquire(timeout=10)
        for job in jobs:
            job.succeed("done")

    lanes = Lanes(1, work)
    async with anyio.create_task_group() as group:
        group.start_soon(lanes.do, "key", str)
        await anyio.wait_all_tasks_blocked()
        gate.release(2)
        assert sync.run(lanes.do, "key", str) == "done"


async def test_work_of_a_task_that_was_cancelled_before_is_not_begun() -> None:
    gated = Gated()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await gated.lanes.do("key", lambda _: "late")
    assert not gated.groups
    assert not gated.lanes._waiting


async def test_an_error_reaches_the_one_whose_work_it_was() -> None:
    def fail(_: object) -> None:
        raise ValueError("mine")

    def work(jobs: Sequence[Job[object]]) -> None:
        for job in jobs:
            job.settle(lambda job=job: job.work(None))

    with pytest.raises(ValueError, match="mine"):
        await Lanes(1, work).do("key", fail)


async def test_an_error_of_all_the_work_reaches_all_who_wait_for_it() -> None:
    gated = Gated()
    failed = []

    def work(jobs: Sequence[Job[object]]) -> None:
        if gated.gate.acquire(timeout=10):
            raise ValueError("all")

    lanes = Lanes(1, work)

    async def do() -> None:
        with pytest.raises(ValueError, match="all"):
            await lanes.do("key", str)
        failed.append(1)

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(do)
        await anyio.wait_all_tasks_blocked()
        gated.gate.release(2)
    assert failed == [1, 1, 1]
