from __future__ import annotations

import anyio
import pytest

from agentmaker.tasks.single_flight import SingleFlight

pytestmark = pytest.mark.anyio


class Work:
    """Waits for *gate* and counts."""

    def __init__(self) -> None:
        self.gate = anyio.Event()
        self.begun = 0
        self.at_work = 0
        self.failing = 0

    async def __call__(self) -> int:
        self.begun += 1
        self.at_work += 1
        try:
            assert self.at_work == 1
            this = self.begun
            await self.gate.wait()
            if self.failing:
                self.failing -= 1
                raise OSError
            return this
        finally:
            self.at_work -= 1


async def test_those_who_come_while_it_is_at_work_share_the_next_round() -> None:
    work = Work()
    single_flight = SingleFlight(work)
    results: list[int] = []

    async def come() -> None:
        results.append(await single_flight())

    async with anyio.create_task_group() as group:
        group.start_soon(come)
        await anyio.wait_all_tasks_blocked()
        for _ in range(20):
            group.start_soon(come)
        await anyio.wait_all_tasks_blocked()
        work.gate.set()
    assert sorted(results) == [1, *[2] * 20]


async def test_who_comes_later_gets_work_that_began_after() -> None:
    work = Work()
    work.gate.set()
    single_flight = SingleFlight(work)
    assert [await single_flight(), await single_flight()] == [1, 2]


async def test_a_failure_is_its_own_and_the_next_one_tries_again() -> None:
    work = Work()
    work.failing = 1
    single_flight = SingleFlight(work)
    results: list[object] = []

    async def come() -> None:
        try:
            results.append(await single_flight())
        except OSError as error:
            results.append(type(error))

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(come)
        await anyio.wait_all_tasks_blocked()
        work.gate.set()
    assert results == [OSError, 2, 2]
