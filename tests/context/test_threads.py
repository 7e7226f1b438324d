from __future__ import annotations

import contextvars
import subprocess
import sys
from threading import Event, current_thread

import anyio
import pytest

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
    threads, release, hung = DaemonThreads(limit=2), Event(), []

    def hang():
        hung.append(current_thread())
        release.wait(20)

    for _ in range(2):
        with anyio.move_on_after(0.01):
            await threads.run(hang)
    assert threads.hanging == 2
    with pytest.raises(TooManyHanging, match="2 earlier calls"):
        await threads.run(hang)
    release.set()
    for thread in hung:
        thread.join(5)
    assert threads.hanging == 0
    assert await threads.run(lambda: "again") == "again"


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
