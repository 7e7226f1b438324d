from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable

import anyio
import pytest
from anyio.lowlevel import checkpoint

from agentmaker.calls.memory.once import Once, OnceFailed

pytestmark = pytest.mark.anyio


class Work:
    """Counts how often it was begun, and ends when it is let go."""

    def __init__(self, *ends: str | Exception) -> None:
        self.ends = list(ends)
        self.begun = 0
        self.go = anyio.Event()

    async def __call__(self) -> str:
        self.begun += 1
        await self.go.wait()
        end = self.ends.pop(0)
        if isinstance(end, Exception):
            raise end
        return end


class Task:
    """One task that wants what the others want."""

    def __init__(self) -> None:
        self.scope = anyio.CancelScope()
        self.ended = "under way"

    async def run(self, once: Once[str, str], do: Callable[[], Awaitable[str]]) -> None:
        with self.scope:
            try:
                self.ended = await once.get("key", do)
            except Exception as error:
                self.ended = f"{type(error).__name__}: {error}"
        if self.scope.cancelled_caught:
            self.ended = "cancelled"


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(10):
        await checkpoint()


async def ends(
    once: Once[str, str], work: Work, number: int, *, cancel: tuple[int, ...] = ()
) -> list[str]:
    """How *number* tasks end that all want the same, the first of them begun first."""
    tasks = [Task() for _ in range(number)]
    async with anyio.create_task_group() as group:
        for task in tasks:
            group.start_soon(task.run, once, work)
            await settle()
        for index in cancel:
            tasks[index].scope.cancel()
            await settle()
        work.go.set()
    assert len(once) == 0
    return [task.ended for task in tasks]


async def test_what_ten_tasks_want_is_done_once() -> None:
    once: Once[str, str] = Once()
    work = Work("done")
    assert await ends(once, work, 10) == ["done"] * 10
    assert work.begun == 1


async def test_where_the_one_at_work_is_cancelled_another_takes_its_place() -> None:
    once: Once[str, str] = Once()
    work = Work("done")
    assert await ends(once, work, 4, cancel=(0,)) == ["cancelled", "done", "done", "done"]
    assert work.begun == 2


async def test_who_waits_can_be_cancelled_and_nobody_notices() -> None:
    once: Once[str, str] = Once()
    work = Work("done")
    assert await ends(once, work, 3, cancel=(1,)) == ["done", "cancelled", "done"]
    assert work.begun == 1


async def test_when_all_are_cancelled_nothing_is_kept() -> None:
    once: Once[str, str] = Once()
    assert await ends(once, Work("done"), 3, cancel=(2, 1, 0)) == ["cancelled"] * 3


async def test_where_it_fails_nobody_tries_again_and_who_waited_is_told() -> None:
    once: Once[str, str] = Once()
    work = Work(ValueError("secret"))
    first, *others = await ends(once, work, 3)
    assert first == "ValueError: secret"
    assert others == ["OnceFailed: what was waited for failed: ValueError"] * 2
    assert work.begun == 1


async def test_an_error_of_its_own_is_nobody_else_s() -> None:
    once: Once[str, str] = Once(own=(LookupError,))
    work = Work(KeyError("mine"), "done")
    assert await ends(once, work, 3) == ["KeyError: 'mine'", "done", "done"]
    assert work.begun == 2


async def test_later_it_is_done_anew_and_other_keys_do_not_wait() -> None:
    once: Once[str, str] = Once()
    work = Work("one", "two", "three")
    work.go.set()
    assert await once.get("key", work) == "one"
    assert await once.get("key", work) == "two"
    held = Work("late")
    async with anyio.create_task_group() as group:
        group.start_soon(once.get, "held", held)
        await settle()
        assert await once.get("key", work) == "three"
        held.go.set()


def test_two_event_loops_do_not_wait_for_each_other() -> None:
    """Each thread has a loop of its own, and the first is held until the second is through."""
    once: Once[str, str] = Once()
    begun, done = threading.Event(), threading.Event()
    got: list[str] = []

    async def first() -> str:
        async def hold() -> str:
            begun.set()
            await anyio.to_thread.run_sync(done.wait, 10)
            return "first"

        return await once.get("key", hold)

    async def second() -> str:
        async def at_once() -> str:
            await checkpoint()
            return "second"

        return await once.get("key", at_once)

    thread = threading.Thread(target=lambda: got.append(anyio.run(first)))
    thread.start()
    assert begun.wait(10)
    assert anyio.run(second, backend="trio") == "second"
    done.set()
    thread.join(10)
    assert got == ["first"]
    assert len(once) == 0


def test_a_failure_is_told_by_its_type_alone() -> None:
    assert OnceFailed("ValueError").error == "ValueError"
