"""Cancelled wherever it waits, a call leaves nothing behind and nothing half done."""

from __future__ import annotations

import copy
import gc
import itertools
import math
import subprocess
import sys
import textwrap
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
import httpx
import pytest
from anyio.lowlevel import checkpoint

import agentmaker
from agentmaker import CallableSource, RetrievalResult
from agentmaker.calls.call import Call, Delta, Reply
from agentmaker.clients.engine import Engine
from agentmaker.clients.given import Given
from agentmaker.clients.using import Overrides
from agentmaker.context import turns
from agentmaker.plain import dumps
from agentmaker.testing import Delay, Gate, MemorySink, ModelServer, ServerError
from tests.clients.asking import TOOL, step, talk, user
from tests.clients.interrupting import Door, Ended, Work, by_scope, by_task, on_trio, tasks_alive

pytestmark = pytest.mark.usefixtures("by_the_rule")

Ask = Callable[["Scene"], Coroutine[Any, Any, None]]
Way = Callable[[Work, int], Awaitable[Ended]]

WINDOW, REAL_WINDOW = 1_500, 500
CONVERSATION = [
    {"role": "system", "content": "Be brief."},
    *talk(8, 50),
    user("look at it all"),
    *(message for nth in range(12) for message in step(nth, f"r{nth} " + "seen " * 40)),
]
SAID = "Fine, and how are you?"


class Scene:
    """A call with everything in it: sources, summaries, an overflow, a failure and its retry."""

    def __init__(self, real_window: int = REAL_WINDOW) -> None:
        self.failures = 1
        self.summaries = 0
        self.server = ModelServer(self.answer, window=real_window)
        self.door = Door(self.server.transport())
        self.sink = MemorySink()
        self.client = agentmaker.wrap(
            self.server.client(http_client=httpx.AsyncClient(transport=self.door), max_retries=1),
            window=WINDOW,
            output_tokens=200,
            sources=[CallableSource("rag", self.find), CallableSource("memory", self.afind)],
            summarizer=self.summarise,
            sinks=[self.sink],
        )

    def answer(self, body: Any) -> Any:
        self.failures -= 1
        if self.failures >= 0:
            return ServerError(503, {"error": {"message": "busy"}}, {"retry-after-ms": "1"})
        return SAID

    def find(self, query: str) -> list[RetrievalResult]:
        return [RetrievalResult(content="The cap is 80.", score=1.0, source="rag")]

    async def afind(self, query: str) -> list[RetrievalResult]:
        await checkpoint()
        return [RetrievalResult(content="She is called Ann.", score=1.0, source="memory")]

    async def summarise(self, text: str, instruction: str) -> str:
        self.summaries += 1
        await checkpoint()
        return f"Sum of {len(text)}."

    async def plain(self, messages: list[Any] = CONVERSATION) -> None:
        reply = await self.client.chat.completions.create(
            model="m", messages=messages, tools=[TOOL]
        )
        assert reply.choices[0].message.content == SAID

    async def stream(self, messages: list[Any] = CONVERSATION) -> None:
        said = ""
        async with await self.client.chat.completions.create(
            model="m", messages=messages, tools=[TOOL], stream=True
        ) as chunks:
            async for chunk in chunks:
                said += chunk.choices[0].delta.content or ""
        assert said == SAID

    @property
    def answered(self) -> list[str]:
        """The bodies of the requests that were served, the last one last."""
        return [dumps(each.body) for each in self.server.requests if each.status == 200]

    def check(self) -> None:
        """Nothing is open or under way, and every request that was sent has its one record.

        A request that was cancelled on its way to the door has one too.
        """
        outcomes = [each.outcome for each in self.sink if each.purpose == "request"]
        assert self.door.open == set()
        assert len(self.client.engine.summaries) == 0
        assert self.door.sent <= len(outcomes) <= self.door.sent + self.cut(outcomes)
        summaries = [each.outcome for each in self.sink if each.purpose == "summary"]
        assert self.summaries <= len(summaries) <= self.summaries + self.cut(summaries)

    def cut(self, outcomes: list[str]) -> int:
        return min(1, sum(each in ("CancelledError", "Cancelled") for each in outcomes))


def holding_up_exit() -> list[threading.Thread]:
    """Threads of ours that must end first; the SDK asks for its platform in one of asyncio's."""
    others = [each for each in threading.enumerate() if each is not threading.main_thread()]
    return [each for each in others if not each.daemon and not each.name.startswith("asyncio")]


async def uncancelled(scene: Scene, ask: Ask) -> list[str]:
    """What the last request of a call is, and that of the same call made once more."""
    bodies = []
    for _ in range(2):
        await ask(scene)
        bodies.append(scene.answered[-1])
    return bodies


async def cancelled_at(at: int, *, way: Way, scene: Scene, ask: Ask, expected: list[str]) -> Ended:
    """Cancel a call at its step *at*, look around, and make it once more."""
    before, alive = copy.deepcopy((CONVERSATION, TOOL)), tasks_alive()
    ended = await way(partial(ask, scene), at)
    assert ended.cancelled or scene.answered
    assert before == (CONVERSATION, TOOL)
    assert tasks_alive() == alive
    assert holding_up_exit() == []
    scene.check()
    # A limit is learnt from a request that was served: then it is the second call that follows.
    possible = expected if scene.answered else expected[:1]
    scene.failures = 0
    await ask(scene)
    assert scene.answered[-1] in possible
    scene.check()
    return ended


ON_ASYNCIO = [pytest.param(way, "asyncio", id=way.__name__) for way in (by_task, by_scope)]


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No turn is given to the event loop by the clock, so that the steps are the same each time."""
    monkeypatch.setattr(turns, "LONGEST", math.inf)


ON_TRIO = [pytest.param(on_trio, "trio", id="on_trio")]


def walked(way: Way, backend: str, ask: Ask, **scene: int) -> int:
    """Cancel at each step in turn until a call comes to its end; how many steps it took."""
    expected = anyio.run(uncancelled, Scene(**scene), ask)
    for at in itertools.count(1):
        one = partial(cancelled_at, way=way, scene=Scene(**scene), ask=ask, expected=expected)
        ended = anyio.run(one, at, backend=backend)
        if not ended.reached:
            return at - 1
        # A scope may be cancelled while the SDK, shielded, is behind the last word already.
        assert ended.cancelled or way is not by_task
    raise AssertionError("unreachable")


@pytest.mark.parametrize(("way", "backend"), [*ON_ASYNCIO, *ON_TRIO])
@pytest.mark.parametrize("scene", [{}, {"real_window": 8_000}], ids=["overflow", "fits"])
def test_cases_10_82_and_86_a_call_may_be_cancelled_at_every_step(
    way: Way, backend: str, scene: dict[str, int]
) -> None:
    assert walked(way, backend, Scene.plain, **scene) > 10


@pytest.mark.parametrize(("way", "backend"), ON_ASYNCIO)
def test_case_77_a_stream_may_be_cancelled_at_every_step(way: Way, backend: str) -> None:
    assert walked(way, backend, Scene.stream) > 30


async def beside_another(at: int, *, way: Way, scene: Scene) -> Ended:
    """Cancel a call at its step *at* while another asks the same."""

    async def another() -> None:
        await checkpoint()
        await checkpoint()
        await scene.plain()

    async with anyio.create_task_group() as group:
        group.start_soon(another)
        ended = await way(scene.plain, at)
    scene.check()
    return ended


@pytest.mark.parametrize(("way", "backend"), [*ON_ASYNCIO, *ON_TRIO])
def test_case_80_another_call_of_the_same_conversation_goes_on(way: Way, backend: str) -> None:
    alone = Scene(8_000)
    expected, needed = set(anyio.run(uncancelled, alone, Scene.plain)), alone.summaries
    for at in itertools.count(1):
        scene = Scene(8_000)
        ended = anyio.run(partial(beside_another, way=way, scene=scene), at, backend=backend)
        assert set(scene.answered) == expected
        assert needed <= scene.summaries <= needed + 1
        if not ended.reached:
            break


@pytest.mark.anyio
async def test_case_80_another_call_takes_over_the_summary_of_a_cancelled_one() -> None:
    begun: list[str] = []

    async def summarise(text: str, instruction: str) -> str:
        begun.append(text)
        if len(begun) == 1:
            await anyio.sleep_forever()
        return "Sum."

    client = agentmaker.wrap(
        ModelServer(SAID).client(), window=WINDOW, output_tokens=200, summarizer=summarise
    )
    ask = partial(client.chat.completions.create, model="m", messages=CONVERSATION, tools=[TOOL])
    async with anyio.create_task_group() as group:
        first = anyio.CancelScope()

        async def cancelled() -> None:
            with first:
                await ask()

        group.start_soon(cancelled)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        assert len(begun) == 1
        first.cancel()
    assert first.cancelled_caught
    assert begun[0] == begun[1]
    assert len(client.engine.summaries) == 0


class Sent:
    """The end of an engine's line: a stream of words, open until it is closed or read."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.open = 0

    async def __call__(self, call: Call) -> Reply:
        self.calls.append(call)
        await checkpoint()
        self.open += 1
        reply = Reply()
        pieces = _Pieces(reply, self)
        reply.deltas, reply.close = pieces, pieces.aclose
        return reply


class _Pieces:
    def __init__(self, reply: Reply, sent: Sent) -> None:
        self.reply, self.sent = reply, sent
        self.words = iter(SAID.split())

    def __aiter__(self) -> _Pieces:
        return self

    async def __anext__(self) -> Delta:
        await checkpoint()
        word = next(self.words, None)
        if word is None:
            raise StopAsyncIteration
        return Delta(content=word)

    async def aclose(self) -> None:
        if not self.reply.settled:
            self.sent.open -= 1
        self.reply.settle()
        await checkpoint()


async def read_stream(engine: Engine) -> None:
    given = Given(messages=CONVERSATION, model="m", params={"stream": True})
    async with await engine.request(given, Overrides()) as reply:
        assert [delta.content async for delta in reply] == SAID.split()


@pytest.mark.parametrize(("way", "backend"), [*ON_ASYNCIO, *ON_TRIO])
def test_an_engine_s_stream_may_be_cancelled_at_every_step(way: Way, backend: str) -> None:
    for at in itertools.count(1):
        scene, sent = Scene(), Sent()
        engine = replace(scene.client.engine, send=sent)
        ended = anyio.run(way, partial(read_stream, engine), at, backend=backend)
        assert sent.open == 0
        records = [record for record in scene.sink if record.purpose == "request"]
        assert len(records) == len(sent.calls)
        assert scene.summaries <= len(scene.sink) - len(records) <= scene.summaries + 1
        if not ended.reached:
            break
    assert at > 10


async def read_for(seconds: float, stream: Any, said: list[str]) -> None:
    with anyio.fail_after(seconds):
        async for chunk in stream:
            said.append(chunk.choices[0].delta.content or "")


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("where", ["in process", "on loopback"])
async def test_a_stream_killed_by_its_deadline_is_closed_and_recorded_once(where: str) -> None:
    gate, sink = Gate(), MemorySink()
    server = ModelServer(Delay(gate, then=SAID, after=3))
    async with server if where == "on loopback" else nullcontext():
        client = agentmaker.wrap(server.client(max_retries=0), window=8_000, sinks=[sink])
        stream = await client.chat.completions.create(
            model="m", messages=[user("How are you?")], stream=True
        )
        said: list[str] = []
        with pytest.raises(TimeoutError):
            await read_for(0.2, stream, said)
        assert SAID.startswith("".join(said))
        assert len(said) > 1
        assert stream.response.is_closed
        assert [record.outcome for record in sink] == ["CancelledError"]
        gate.open()
        await client.chat.completions.create(model="m", messages=[user("And now?")])
        await client.close()


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_abandoned_stream_is_recorded_and_holds_up_nobody() -> None:
    sink, alive = MemorySink(), tasks_alive()
    client = agentmaker.wrap(ModelServer(SAID).client(), window=8_000, sinks=[sink])
    for _ in range(20):
        stream = await client.chat.completions.create(
            model="m", messages=[user("How are you?")], stream=True
        )
        await anext(stream)
        del stream
    gc.collect()
    assert [record.outcome for record in sink] == ["ok"] * 20
    with anyio.fail_after(10):
        while tasks_alive() > alive:  # the loop closes the generators that the SDK left open
            await checkpoint()


def python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


HUNG = """
    import threading, anyio, agentmaker
    from agentmaker import CallableSource
    from agentmaker.testing import ModelServer

    begun = threading.Event()

    def hang(*_):
        begun.set()
        threading.Event().wait()

    server = ModelServer("Fine.")
    messages = [{"role": "user", "content": "word " * 900} for _ in range(12)]
"""


@pytest.mark.parametrize(
    ("backend", "hanging"),
    [("asyncio", "sources=[CallableSource('rag', hang)]"), ("trio", "summarizer=hang")],
    ids=["a source", "a summariser"],
)
def test_what_hangs_in_a_thread_never_holds_up_exit(backend: str, hanging: str) -> None:
    done = python(f"""{HUNG}
    async def main():
        client = agentmaker.wrap(server.client(), window=8_000, sinks=(), {hanging})
        async with anyio.create_task_group() as group:
            group.start_soon(ask, client)
            while not begun.is_set():
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        print("left")

    async def ask(client):
        await client.chat.completions.create(model="m", messages=messages)

    anyio.run(main, backend={backend!r})
    """)
    assert (done.stdout, done.stderr, done.returncode) == ("left\n", "", 0)


def test_a_hanging_sync_call_never_holds_up_exit() -> None:
    done = python(f"""{HUNG}
    def fit():
        agentmaker.fit(messages, window=8_000, sources=[CallableSource("rag", hang)])

    threading.Thread(target=fit, daemon=True).start()
    begun.wait()
    print("left")
    """)
    assert (done.stdout, done.stderr, done.returncode) == ("left\n", "", 0)
