"""Whether refusals, in whatever words, are told from other errors and recovered from.

Each is served once to a wrapped client of the real SDK, plain and streamed; what is sent after
it is answered. Beside the wordings of `ModelServer` there are the collected ones next to this
script, and those in a folder ``refusals/`` of the data: lists, or lines, of
``{"status", "body", "meaning"}`` where an overflow means ``context_overflow``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import openai

import agentmaker
from agentmaker.testing import OVERFLOWS, MemorySink, ModelServer, RawStream, ServerError
from benchmarks import command
from benchmarks.data import read_json, read_lines
from benchmarks.figures import Bar, Report, Table, share

COLLECTED = Path(__file__).parent / "refusals"
OURS = ("collected", "invented")
LEAST_RECOVERED = 0.95
MOST_TAKEN = 0.02
"""Shares of these; of the others, all are recovered and none is taken for one."""

WINDOW = 16_000
STATED = 30_000
OVERFLOW = "context_overflow"
TALK = [
    {"role": role, "content": f"{turn} of some words about the day"}
    for turn in range(400)
    for role in ("user", "assistant")
]
ASKED = [*TALK, {"role": "user", "content": "And now?"}]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer as a server sent it, and what it means."""

    origin: str
    status: int
    body: Any
    meaning: str
    in_stream: bool = False

    @property
    def is_silent(self) -> bool:
        """Whether only the usage shows that the prompt was cut."""
        usage = self.body.get("usage") if isinstance(self.body, dict) else None
        return bool(usage and usage.get("completion_tokens"))

    def answer(self, *, stream: bool) -> Any:
        """What a `ModelServer` sends; a success without a body is an empty stream."""
        if not stream or self.status != 200:
            return ServerError(self.status, self.body)
        return RawStream([] if self.body is None else [self.body])

    def comes(self, *, stream: bool) -> bool:
        """Whether it can come so: an event, and nothing at all, come in streams only."""
        event = isinstance(self.body, dict) and self.body.get("type") == "error"
        only_in_stream = self.in_stream or (self.status == 200 and (self.body is None or event))
        return stream or not only_in_stream


def refusals(folder: Path | None) -> Iterator[Refusal]:
    """The wordings of `ModelServer`, and the recorded ones."""
    for worded in OVERFLOWS.values():
        status, body = worded(STATED, WINDOW // 2, 0)
        yield Refusal(origin="own wordings", status=status, body=body, meaning=OVERFLOW)
    yield from recorded(COLLECTED)
    if folder is not None:
        yield from recorded(folder / "refusals")


def recorded(folder: Path) -> Iterator[Refusal]:
    """The refusals in the files of *folder*."""
    for path in sorted(folder.glob("*.json*")):
        for row in read_lines(path) if path.suffix == ".jsonl" else read_json(path, []):
            yield Refusal(
                origin=path.stem,
                status=row.get("status") or row["http_status"],
                body=row["body"],
                meaning=row["meaning"],
                in_stream=row.get("stream", False),
            )


async def outcome(refusal: Refusal, *, stream: bool) -> str:
    """``recovered``, ``warned``, ``overflow`` for one that stayed, or ``passed``."""
    server = ModelServer([refusal.answer(stream=stream), "Fine.", "Fine."], window=None)
    sink, warnings = MemorySink(), _Warnings()
    client = agentmaker.wrap(server.client(max_retries=0), window=WINDOW, sinks=[sink])
    with warnings:
        try:
            answer: Any = await client.chat.completions.create(
                model="m", messages=ASKED, stream=stream
            )
            if stream:
                async for _ in answer:
                    pass
        except agentmaker.ContextOverflow:
            return "overflow"
        except openai.OpenAIError:
            return "passed"
    sizes = [each.prompt_tokens for each in server.requests]
    if len(sizes) == 2 and sizes[1] < sizes[0]:
        return "recovered"
    return "warned" if warnings.count == 1 else "passed"


class _Warnings(logging.Handler):
    """Counts the warnings of the library while it is entered."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1

    def __enter__(self) -> None:
        logging.getLogger("agentmaker").addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("agentmaker").removeHandler(self)


@dataclass(slots=True)
class Tally:
    """How the answers of one origin were taken."""

    overflows: int = 0
    recovered: int = 0
    others: int = 0
    taken: int = 0

    def add(self, refusal: Refusal, came: str) -> bool:
        """Whether it came as it should."""
        if refusal.meaning == OVERFLOW:
            right = came == ("warned" if refusal.is_silent else "recovered")
            self.overflows += 1
            self.recovered += right
        else:
            right = came not in ("recovered", "overflow")
            self.others += 1
            self.taken += not right
        return right

    def row(self, origin: str) -> Sequence[str]:
        counts = (self.overflows, self.recovered, self.others, self.taken)
        return origin, *(f"{count:,}" for count in counts)

    @property
    def shares(self) -> tuple[float, float]:
        return self.recovered / max(1, self.overflows), self.taken / max(1, self.others)


async def measured(folder: Path | None) -> Report:
    tallies: dict[str, Tally] = {}
    for refusal in refusals(folder):
        tally = tallies.setdefault(refusal.origin, Tally())
        for stream in (False, True):
            if refusal.comes(stream=stream):
                came = await outcome(refusal, stream=stream)
                if not tally.add(refusal, came):
                    print(f"{refusal.origin}: {came}, stream={stream}: {refusal.body!r}"[:240])
    columns = ("answers from", "overflows", "recovered", "other errors", "taken for one")
    rows = [tally.row(origin) for origin, tally in tallies.items()]
    bars = [bar for origin, tally in tallies.items() for bar in _bars(origin, tally)]
    return Report([Table("refusals", columns, rows)], bars)


def _bars(origin: str, tally: Tally) -> Iterator[Bar]:
    recovered, taken = tally.shares
    least, most = (LEAST_RECOVERED, MOST_TAKEN) if origin in OURS else (1.0, 0.0)
    claim = f"{origin}: at least {share(least)} of the overflows recovered"
    yield Bar(claim, share(recovered), recovered >= least)
    if tally.others:
        claim = f"{origin}: at most {share(most)} of the others taken for one"
        yield Bar(claim, share(taken), taken <= most)


def measure(folder: Path | None) -> Report:
    return anyio.run(measured, folder)


if __name__ == "__main__":
    command.run("refusals", measure)
