"""A `ModelServer` in a process of its own that plays the model of a scripted loop."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from agentmaker.testing import ModelServer
from benchmarks.prefix import PrefixMeter

Body = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The model's messages one after the other, and its answer to whoever sends no tools."""

    messages: Sequence[Body]
    answer: str
    summary: str
    window: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a server saw of a loop.

    Attributes:
        summaries: requests without tools.
        kept: of the characters sent, the share that the request before began with as well.
    """

    requests: int
    refused: int
    summaries: int
    kept: float
    cuts: int


@dataclass(frozen=True, slots=True)
class Serving:
    """A running server: where it is, and what it saw until now."""

    base_url: str
    seen: Callable[[], Seen]


@contextmanager
def serving(script: Script) -> Iterator[Serving]:
    """The server, until the block ends."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(script, theirs), daemon=True)
    process.start()
    try:
        yield Serving(ours.recv(), lambda: _asked(ours))
    finally:
        process.terminate()
        process.join()


def _asked(server: Connection) -> Seen:
    server.send(None)
    seen: Seen = server.recv()
    return seen


def _run(script: Script, asked: Connection) -> None:
    keep = 3 * len(script.messages) + 100
    with ModelServer(_plays(script), window=script.window, keep=keep) as server:
        asked.send(server.base_url)
        while True:
            asked.recv()
            asked.send(_seen(server))


def _plays(script: Script) -> Callable[[Body], Any]:
    messages = iter(script.messages)

    def play(body: Body) -> Any:
        return next(messages, script.answer) if body.get("tools") else script.summary

    return play


def _seen(server: ModelServer) -> Seen:
    meter, steps = PrefixMeter(), 0
    for each in server.requests:
        if each.body.get("tools"):
            meter.add(each.messages)
            steps += 1
    return Seen(
        requests=steps,
        refused=sum(each.status != 200 for each in server.requests),
        summaries=len(server.requests) - steps,
        kept=meter.share,
        cuts=meter.cuts,
    )
