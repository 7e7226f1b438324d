from __future__ import annotations

import threading

import anyio
import anyio.to_thread
import pytest
from anyio.lowlevel import checkpoint

from agentmaker.testing import Gate

pytestmark = pytest.mark.anyio


async def test_an_open_gate_lets_through_at_once():
    gate = Gate()
    gate.open()

    with anyio.fail_after(5):
        await gate.wait()
    assert gate.is_open


async def test_it_can_be_opened_from_the_same_loop():
    gate, passed = Gate(), []

    async def pass_it() -> None:
        await gate.wait()
        passed.append(True)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(pass_it)
            await anyio.wait_all_tasks_blocked()
            assert passed == []
            gate.open()

    assert passed == [True] * 3


async def test_it_can_be_opened_from_another_thread():
    gate = Gate()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(gate.wait)
            await anyio.wait_all_tasks_blocked()
            await anyio.to_thread.run_sync(gate.open)


async def test_a_cancelled_waiter_is_forgotten():
    gate = Gate()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(gate.wait)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()

    threading.Thread(target=gate.open).run()
    await checkpoint()
    assert gate.is_open
