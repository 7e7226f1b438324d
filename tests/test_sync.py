from __future__ import annotations

import contextvars
import os
import signal
import subprocess
import sys
import textwrap
import threading

import anyio
import pytest

from agentmaker import sync
from agentmaker.sync import run


@pytest.fixture(autouse=True)
def _not_warned_yet() -> None:
    sync._warn_once.cache_clear()


async def double(value: int) -> int:
    await anyio.lowlevel.checkpoint()
    return value * 2


async def its_thread() -> int:
    await anyio.lowlevel.checkpoint()
    return threading.get_ident()


def run_python(source: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(source)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_the_result_comes_back() -> None:
    assert run(double, 21) == 42


def test_an_error_comes_back_as_itself() -> None:
    async def fail() -> None:
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        run(fail)


def test_all_calls_share_one_loop_in_another_thread() -> None:
    first = run(its_thread)
    assert first == run(its_thread)
    assert first != threading.get_ident()


def test_threads_that_call_at_once_share_the_loop() -> None:
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(run(its_thread))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len(set(seen)) == 1


def test_the_work_sees_the_callers_context() -> None:
    name = contextvars.ContextVar("name", default="nobody")

    async def read() -> str:
        return name.get()

    token = name.set("ada")
    try:
        assert run(read) == "ada"
    finally:
        name.reset(token)
    assert run(read) == "nobody"


@pytest.mark.anyio
async def test_inside_a_running_loop_it_warns_with_the_async_form() -> None:
    with pytest.warns(UserWarning, match=r"await double\(...\) instead") as caught:
        assert run(double, 2) == 4
    assert len(caught) == 1


@pytest.mark.anyio
async def test_a_method_is_named_by_the_class_it_is_called_on() -> None:
    class Base:
        async def ask(self) -> int:
            return 1

    class Child(Base):
        pass

    with pytest.warns(UserWarning, match=r"await Child\.ask\(...\) instead"):
        assert run(Child().ask) == 1


def test_inside_a_running_loop_it_warns_once() -> None:
    done = run_python("""
        import warnings
        import anyio
        from agentmaker.sync import run

        warnings.simplefilter("always")

        async def work():
            return None

        def work_sync():
            run(work)

        async def main():
            with warnings.catch_warnings(record=True) as caught:
                work_sync()
                work_sync()
            print(len(caught))

        anyio.run(main)
    """)
    assert done.stdout == "1\n", done.stderr


def test_a_call_from_the_loops_own_thread_is_refused_instead_of_waiting_for_itself() -> None:
    async def call_again() -> int:
        return run(double, 1)

    with (
        pytest.warns(UserWarning, match="double"),
        pytest.raises(RuntimeError, match="event loop thread"),
    ):
        run(call_again)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.skipif(sys.platform == "win32", reason="needs a signal for one thread")
def test_ctrl_c_cancels_the_work_and_waits_for_its_cleanup() -> None:
    main = threading.get_ident()
    seen: list[str] = []

    async def wait_forever() -> None:
        try:
            signal.pthread_kill(main, signal.SIGINT)
            await anyio.sleep_forever()
        finally:
            seen.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        run(wait_forever)
    assert seen == ["cleaned up"]
    assert run(double, 1) == 2


@pytest.mark.parametrize("end", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_what_would_end_a_program_comes_back_and_the_loop_lives_on(end: BaseException) -> None:
    async def leave() -> None:
        await anyio.lowlevel.checkpoint()
        raise end

    before = run(its_thread)
    with pytest.raises(type(end)) as caught:
        run(leave)
    assert caught.value is end
    assert run(its_thread) == before


def test_the_work_of_other_threads_goes_on_when_one_would_end_the_program() -> None:
    begun, left = threading.Event(), threading.Event()
    seen: list[str] = []

    async def wait() -> str:
        begun.set()
        while not left.is_set():
            await anyio.lowlevel.checkpoint()
        return "still here"

    async def leave() -> None:
        raise SystemExit(3)

    other = threading.Thread(target=lambda: seen.append(run(wait)))
    other.start()
    begun.wait()
    with pytest.raises(SystemExit):
        run(leave)
    left.set()
    other.join()
    assert seen == ["still here"]


def test_work_that_exits_ends_the_program_of_its_caller_alone() -> None:
    async def leave() -> None:
        raise SystemExit(3)

    before = run(its_thread)
    with pytest.raises(SystemExit):
        run(leave)
    assert run(its_thread) == before


def test_a_loop_that_a_task_of_the_work_ended_is_followed_by_a_new_loop() -> None:
    done = run_python("""
        import threading
        import anyio
        from agentmaker.sync import run

        async def leave():
            raise SystemExit(3)

        async def leave_in_a_task():
            async with anyio.create_task_group() as group:
                group.start_soon(leave)

        async def work():
            return "still here"

        try:
            run(leave_in_a_task)
        except BaseException:
            for thread in threading.enumerate():
                if thread.name == "agentmaker-sync":
                    thread.join()
        print(run(work))
    """)
    assert done.stdout == "still here\n", done.stderr


def test_a_loop_that_cannot_start_is_an_error_and_no_endless_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(sync, "_portals", {})
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            run(double, 1)
    assert run(double, 1) == 2


def test_no_thread_holds_up_exit() -> None:
    done = run_python("""
        import threading
        import anyio
        from agentmaker.sync import run

        async def use_a_worker_thread():
            await anyio.to_thread.run_sync(int)

        def wait_forever():
            run(anyio.sleep_forever)

        run(use_a_worker_thread)
        threading.Thread(target=wait_forever, daemon=True).start()
        print("over")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_gets_a_loop_of_its_own() -> None:
    done = run_python("""
        import os, warnings
        from agentmaker.sync import run

        warnings.simplefilter("ignore", DeprecationWarning)

        async def work():
            return "child"

        run(work)
        if os.fork() == 0:
            print(run(work), flush=True)
            os._exit(0)
        os.wait()
    """)
    assert done.stdout == "child\n", done.stderr


def test_importing_it_does_not_import_anyio() -> None:
    done = run_python("import sys, agentmaker.sync; print('anyio' in sys.modules)")
    assert done.stdout == "False\n", done.stderr
