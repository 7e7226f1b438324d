"""What many calls cost: 200 at once on one event loop, and 20,000 one after the other.

*Our share* of a call is the CPU time of the process for calls through a wrapped client, less
that of the same bodies sent through the SDK's own ``post`` in the same way, so that the SDK,
the event loop and the server in process are in neither. It is compared for 200 conversations
that call one wrapped client at once, none answered before all have arrived, and for the same
conversations one call at a time, each with a client of its own that knows no other. Every round
adds a question to each conversation; all fit their window.

Resident memory is that of the process after a full garbage collection. One client makes all
20,000 calls, most of them of new conversations; see `Mixture`.
"""

from __future__ import annotations

import gc
import itertools
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import anyio
import openai
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

import agentmaker
from benchmarks import command
from benchmarks.figures import Bar, Report, Table
from benchmarks.instant import FAILING, HANGING, Instant
from benchmarks.texts import Message, english

AT_ONCE = 200
ROUNDS = 5
WARM_UP = 2
MOST_TIMES = 1.2

CALLS = 20_000
SETTLED = 5_000
"""Calls after which the memories of the client are full."""

MOST_GROWTH = 8.0
"""Megabytes that the rest of the calls may add."""

WINDOW = 32_000
SMALL_WINDOW = 2_500

Ask = Callable[[], Awaitable[object]]
Way = Callable[[Sequence[Ask]], Awaitable[None]]


async def one_by_one(asks: Sequence[Ask]) -> None:
    for ask in asks:
        await ask()


async def at_once(asks: Sequence[Ask]) -> None:
    async with anyio.create_task_group() as group:
        for ask in asks:
            group.start_soon(ask)


class Texts:
    """Messages of about 40 tokens, none of them said before."""

    def __init__(self) -> None:
        writer = english(1)
        self.texts = itertools.cycle([writer.text(35) for _ in range(499)])
        self.number = itertools.count(1)

    def says(self, role: str) -> Message:
        return {"role": role, "content": f"{next(self.number)} {next(self.texts)}"}

    def talk(self, messages: int) -> list[Message]:
        return [self.says(("user", "assistant")[nth % 2]) for nth in range(messages)]


class Crowd:
    """Conversations that go on from round to round, and the two ways to ask for them."""

    def __init__(self, number: int) -> None:
        self.texts = Texts()
        self.server = Instant()
        self.talks = [self.texts.talk(41) for _ in range(number)]
        self.plain = self.server.client()
        self.shared = wrapped(self.plain)
        self.own = [wrapped(self.plain) for _ in range(number)]

    def bare(self, talk: list[Message]) -> Ask:
        body = {"model": "m", "messages": talk}
        return partial(self.plain.post, "/chat/completions", body=body, cast_to=ChatCompletion)

    async def round(self) -> tuple[float, float]:
        """Our share of a call in milliseconds: all at once, and one at a time."""
        bare = [self.bare(talk) for talk in self.talks]
        shared = [_asking(self.shared, talk) for talk in self.talks]
        own = [_asking(*each) for each in zip(self.own, self.talks, strict=True)]
        together = await self.spent(at_once, shared) - await self.spent(at_once, bare)
        alone = await self.spent(one_by_one, own) - await self.spent(one_by_one, bare)
        for talk in self.talks:
            talk += [self.texts.says("assistant"), self.texts.says("user")]
        return together, alone

    async def spent(self, way: Way, asks: Sequence[Ask]) -> float:
        """CPU milliseconds a call."""
        self.server.together = len(asks) if way is at_once else 1
        gc.collect()
        started = time.process_time()
        await way(asks)
        return (time.process_time() - started) * 1000 / len(asks)


def wrapped(client: AsyncOpenAI, window: int = WINDOW) -> AsyncOpenAI:
    return agentmaker.wrap(client, window=window, sinks=())


def _asking(client: AsyncOpenAI, talk: list[Message]) -> Ask:
    return partial(client.chat.completions.create, model="m", messages=talk)  # type: ignore[arg-type]


async def shares(number: int, rounds: int) -> tuple[float, float]:
    """The medians of our share of a call: all at once, and one at a time."""
    crowd = Crowd(number)
    measured = [await crowd.round() for _ in range(rounds + WARM_UP)][WARM_UP:]
    together, alone = zip(*measured, strict=True)
    return median(together), median(alone)


class Mixture:
    """The calls of a busy server, by turns.

    Of 20 calls, 12 begin a conversation of five messages, a third of them as streams; one
    begins one that must be cut; four go on with one that grows to 100 messages, is cut, and
    begins anew; a stream is left early, a call is refused, and one is cancelled.
    """

    def __init__(self) -> None:
        self.server = Instant()
        self.client = wrapped(self.server.client(), SMALL_WINDOW)
        self.texts = Texts()
        self.growing = self.texts.talk(5)
        turns = [self.plain, self.plain, self.stream] * 4
        turns += [self.cut, self.leave, self.fail, self.cancel, *[self.grow] * 4]
        self.turns = itertools.cycle(turns)

    async def call(self) -> None:
        await next(self.turns)()

    async def ask(self, talk: list[Message], model: str = "m", **params: Any) -> Any:
        create: Any = self.client.chat.completions.create
        return await create(model=model, messages=talk, **params)

    async def plain(self) -> None:
        await self.ask(self.texts.talk(5))

    async def stream(self) -> None:
        async for _ in await self.ask(self.texts.talk(5), stream=True):
            pass

    async def leave(self) -> None:
        async with await self.ask(self.texts.talk(5), stream=True) as chunks:
            await anext(chunks)

    async def cut(self) -> None:
        await self.ask(self.texts.talk(45))

    async def grow(self) -> None:
        if len(self.growing) > 100:
            self.growing = self.texts.talk(5)
        await self.ask(self.growing)
        self.growing += [self.texts.says("assistant"), self.texts.says("user")]

    async def fail(self) -> None:
        try:
            await self.ask(self.texts.talk(5), model=FAILING)
        except openai.InternalServerError:
            return
        raise AssertionError("a failing call was answered")

    async def cancel(self) -> None:
        with anyio.CancelScope() as scope:
            self.server.on_hanging = scope.cancel
            await self.ask(self.texts.talk(5), model=HANGING)


def resident() -> float:
    """Megabytes of this process in memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def residents(calls: int, settled: int) -> list[float]:
    """What is resident after each *settled* of *calls* calls."""
    mixture, found = Mixture(), []
    for number in range(1, calls + 1):
        await mixture.call()
        if number % settled == 0:
            found.append(resident())
    return found


async def measured(
    number: int = AT_ONCE, rounds: int = ROUNDS, calls: int = CALLS, settled: int = SETTLED
) -> Report:
    together, alone = await shares(number, rounds)
    found = await residents(calls, settled)
    times, growth = together / alone, found[-1] - found[0]
    return Report(
        [
            Table("share", ("our share of a call", "CPU ms"), _share_rows(number, together, alone)),
            Table("memory", ("calls", "MB resident"), _memory_rows(found, settled)),
        ],
        [
            Bar(
                f"{number} at once cost at most {MOST_TIMES:.1f} times as much a call",
                f"{times:.2f} times",
                times <= MOST_TIMES,
            ),
            Bar(
                f"from {settled:,} to {calls:,} calls at most {MOST_GROWTH:.0f} MB more",
                f"{growth:+.1f} MB",
                growth <= MOST_GROWTH,
            ),
        ],
    )


def _share_rows(number: int, together: float, alone: float) -> list[tuple[str, str]]:
    return [
        ("one call at a time", f"{alone:.2f}"),
        (f"{number} conversations at once", f"{together:.2f}"),
    ]


def _memory_rows(found: Sequence[float], settled: int) -> list[tuple[str, str]]:
    return [(f"{nth * settled:,}", f"{each:.1f}") for nth, each in enumerate(found, 1)]


def measure(folder: Path | None) -> Report:
    return anyio.run(measured)


if __name__ == "__main__":
    command.run("load", measure)
