from __future__ import annotations

import contextvars
import os
import subprocess
import sys
from threading import Barrier, Event, current_thread, get_ident

import anyio
import pytest
from anyio.lowlevel import checkpoint

from agentmaker.context.threads import DaemonThreads, TooManyHanging

pytestmark = pytest.mark.anyio


async def test_a_result_comes_back_from_a_daemon_thread_that_sees_the_context():
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("set")
    result = await DaemonThreads().run(lambda: (variable.get(), current_thread().daemon))
    assert result == ("set", True)


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), SystemExit(3)])
async def test_what_is_raised_in_the_thread_is_raised_here(error):
    def fail():
        raise error

    with pytest.raises(type(error)) as caught:
        await DaemonThreads().run(fail)
    assert caught.value is error


async def test_hanging_threads_are_given_up_counted_and_bounded():
    threads, release = DaemonThreads(limit=2), Event()

    def hang():
        release.wait(20)

    for _ in range(2):
        with anyio.move_on_after(0.01):
            await threads.run(hang)
    assert threads.hanging == 2
    with pytest.raises(TooManyHanging, match="2 earlier calls"):
        await threads.run(hang)
    release.set()
    with anyio.fail_after(5):
        while threads.hanging:
            await checkpoint()
    assert await threads.run(lambda: "again") == "again"


async def test_calls_after_one_another_share_a_thread_and_those_at_once_do_not(monkeypatch):
    monkeypatch.setattr("agentmaker.context.threads._idle", set())
    threads, both = DaemonThreads(), Barrier(2, timeout=5)
    one = [await threads.run(get_ident) for _ in range(100)]
    assert len(set(one)) == 1

    seen = set()

    async def meet():
        seen.add(await threads.run(lambda: (both.wait(), get_ident())[1]))

    async with anyio.create_task_group() as group:
        group.start_soon(meet)
        group.start_soon(meet)
    assert len(seen) == 2


async def test_a_thread_that_waited_for_long_ends_and_the_next_call_has_another(monkeypatch):
    monkeypatch.setattr("agentmaker.context.threads._idle", set())
    monkeypatch.setattr("agentmaker.context.threads.IDLE_SECONDS", 0.0)
    thread = await DaemonThreads().run(current_thread)
    thread.join(5)
    assert not thread.is_alive()
    assert await DaemonThreads().run(current_thread) is not thread


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_does_not_wait_for_threads_of_its_parent():
    program = """
import anyio, os
from agentmaker.context import threads
async def call():
    return await threads.DaemonThreads().run(os.getpid)
anyio.run(call)
child = os.fork()
if child == 0:
    os._exit(0 if anyio.run(call) == os.getpid() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.stdout == "0\n", done.stderr


def test_a_hanging_thread_does_not_hold_up_exit():
    program = """
import anyio, time
from agentmaker.context.threads import DaemonThreads
async def main():
    with anyio.move_on_after(0.05):
        await DaemonThreads().run(lambda: time.sleep(600))
    print("left")
anyio.run(main)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("left\n", "", 0)


async def test_what_comes_too_late_is_closed():
    threads, release, closed = DaemonThreads(), Event(), Event()

    class Opened:
        def close(self) -> None:
            closed.set()
            raise OSError("already gone")

    def late():
        release.wait(20)
        return Opened()

    with anyio.move_on_after(0.01):
        await threads.run(late)
    release.set()
    assert closed.wait(5)
