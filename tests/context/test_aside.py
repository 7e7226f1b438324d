from __future__ import annotations

import threading

import anyio
import pytest

from agentmaker.context.aside import LONG, aside

pytestmark = pytest.mark.anyio


def here() -> int:
    return threading.get_ident()


async def test_short_work_is_done_at_once() -> None:
    assert await aside(LONG, here) == here()


async def test_long_work_is_done_in_a_thread() -> None:
    assert await aside(LONG + 1, here) != here()


@pytest.mark.parametrize("characters", [0, LONG + 1])
async def test_its_arguments_and_errors_pass(characters: int) -> None:
    assert await aside(characters, divmod, 7, 2) == (3, 1)
    assert await aside(characters, sorted, [2, 1], reverse=True) == [2, 1]
    with pytest.raises(ZeroDivisionError):
        await aside(characters, divmod, 7, 0)


async def test_cancelled_it_waits_for_no_thread() -> None:
    go_on = threading.Event()
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(aside, LONG + 1, go_on.wait)
            scope.cancel()
    assert not go_on.is_set()
    go_on.set()
