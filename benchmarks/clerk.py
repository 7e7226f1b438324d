"""An agent that books orders, in processes that may be killed at any moment.

What it does to the world goes to a side file before and after each call, synced, so that a call
that is run twice is seen. What it is doing goes to a page of memory that outlives it.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx
import openai

import agentmaker
from agentmaker import Agent, RunPolicy, Scope, Session, SessionStore, tool
from agentmaker.memory.store import Store

LOADED = (
    "agentmaker.calls.recording",
    "agentmaker.calls.recovery",
    "agentmaker.calls.transport",
    "agentmaker.clients.awaiting",
    "agentmaker.clients.engine",
    "agentmaker.clients.wrap",
    "agentmaker.memory.sql.documents",
    "agentmaker.memory.sql.runs",
    "agentmaker.memory.sql.sqlite",
    "agentmaker.steps.assembly",
    "anyio._backends._asyncio",
    "benchmarks.clerk",
    "genai_prices.data_snapshot",
    "httpcore",
    "openai.lib.streaming",
    "openai.resources.chat",
    "trio",
)
"""What every process needs, loaded before it is forked off."""

NAME = "clerk"
WINDOW = 3_000
OUTPUT_TOKENS = 512
FORM = "Every line of this form was filled in, checked against list {} and signed by us both. "

PHASES = ("commit", "compaction", "tool", "request")
"""What a process may be doing, the most telling first."""

BETWEEN = "between these"


def price_of(order: int) -> int:
    return 3 + 7 * order


@dataclass(frozen=True, slots=True)
class Desk:
    """Where one run works: the files and the address it was given."""

    number: int
    folder: Path
    url: str
    store: Path
    attempt: int = 0

    @property
    def scope(self) -> Scope:
        return Scope(session=f"orders {self.number}")

    @property
    def side(self) -> Path:
        return self.folder / f"{self.number}.side"

    @property
    def phases(self) -> Path:
        return self.folder / f"{self.number}.phase"

    @property
    def question(self) -> str:
        return f"Book every order of list {self.number}."


@dataclass(frozen=True, slots=True)
class Deed:
    """A line of the side file: an attempt that begins or has done something to an order."""

    attempt: int
    name: str
    order: int
    done: bool


class Side:
    """The side file of a run."""

    def __init__(self, desk: Desk) -> None:
        self.path = desk.side
        self.attempt = desk.attempt

    def note(self, name: str, order: int, word: str) -> None:
        with self.path.open("ab") as file:
            file.write(f"{self.attempt} {name} {order} {word}\n".encode())
            file.flush()
            os.fsync(file.fileno())

    def deeds(self) -> list[Deed]:
        if not self.path.exists():
            return []
        lines = (line.split() for line in self.path.read_text(encoding="utf-8").splitlines())
        return [Deed(int(at), name, int(nth), word == "done") for at, name, nth, word in lines]

    def booked(self) -> list[int]:
        return [each.order for each in self.deeds() if each.name == "book" and each.done]


class Phases:
    """How many things of each kind a process is in the middle of; readable when it is dead."""

    def __init__(self, path: Path, *, new: bool = True) -> None:
        if new:
            path.write_bytes(bytes(mmap.PAGESIZE))
        with path.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), mmap.PAGESIZE)

    def add(self, name: str, more: int) -> None:
        self._page[PHASES.index(name)] += more

    def set(self, name: str, on: bool) -> None:
        self._page[PHASES.index(name)] = on

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        self.add(name, 1)
        try:
            yield
        finally:
            self.add(name, -1)

    @property
    def now(self) -> str:
        return next((name for at, name in enumerate(PHASES) if self._page[at]), BETWEEN)


class Watched:
    """A store that says when it is writing."""

    def __init__(self, store: Store, phases: Phases) -> None:
        self._store = store
        self._phases = phases

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        return partial(self._write, method) if name in ("begin", "commit", "put") else method

    async def _write(self, method: Callable[..., Awaitable[Any]], *given: Any, **more: Any) -> Any:
        with self._phases.within("commit"):
            return await method(*given, **more)


def tools(desk: Desk, phases: Phases) -> Sequence[agentmaker.Tool]:
    side, form = Side(desk), FORM.format(desk.number) * 8

    @tool(idempotent=True)
    def price(order: int) -> str:
        """Look the price of an order up."""
        with phases.within("tool"):
            side.note("price", order, "began")
            side.note("price", order, "done")
        return f"Order {order} costs {price_of(order)}. {form}"

    @tool
    def book(order: int) -> str:
        """Book an order. It must not be booked twice."""
        with phases.within("tool"):
            side.note("book", order, "began")
            side.note("book", order, "done")
        return f"Order {order} is booked, {sum(map(price_of, side.booked()))} in all. {form}"

    @tool(idempotent=True)
    def look() -> str:
        """Look which orders are booked."""
        booked = side.booked()
        spent = sum(map(price_of, booked))
        return f"Order {max(booked, default=0)} is booked, {spent} in all, and no later one."

    return price, book, look


def wrapped(url: str, phases: Phases) -> Any:
    """A client in a small window that says when it waits for the model."""

    async def sent(request: httpx.Request) -> None:
        # From the first request for a summary to the request that is made of it.
        phases.set("compaction", b'"tools"' not in request.content)
        phases.add("request", 1)

    async def answered(response: httpx.Response) -> None:
        await response.aread()
        phases.add("request", -1)

    hooks: Any = {"request": [sent], "response": [answered]}
    http = httpx.AsyncClient(event_hooks=hooks, verify=False)
    client = openai.AsyncOpenAI(base_url=url, api_key="any", http_client=http)
    return agentmaker.wrap(
        client, window=WINDOW, output_tokens=OUTPUT_TOKENS, summarizer="test-model", sinks=()
    )


def clerk(desk: Desk, store: Store, phases: Phases, client: Any) -> Agent:
    return Agent(
        NAME,
        client,
        "You book orders, one after the other.",
        model="test-model",
        tools=tools(desk, phases),
        session=Session(store=store, scope=desk.scope),
        limits=RunPolicy(calls=1_000),
    )


async def attend(desk: Desk, store: Store, phases: Phases) -> None:
    """Begin the run of *desk*, or go on with it."""
    async with wrapped(desk.url, phases) as client:
        agent = clerk(desk, store, phases, client)
        kept = await store.runs(desk.scope)
        if not kept:
            await agent.arun(desk.question)
        elif kept[0].status != "done":
            await agent.resume(kept[0].id)


def work(desk: Desk) -> None:
    """What a process of its own does."""
    phases = Phases(desk.phases)
    anyio.run(attend, desk, Watched(SessionStore(desk.store), phases), phases)
