"""Whether refusals, in whatever words, are told from other errors and recovered from.

Each is served once to a wrapped client of the real SDK, plain and streamed; what is sent after
it is answered. Recorded ones are read from ``refusals/`` in the data's folder: lists, or lines,
of ``{"status", "body", "meaning"}`` where an overflow means ``context_overflow``.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import openai

import agentmaker
from agentmaker.testing import OVERFLOWS, MemorySink, ModelServer, RawStream, ServerError
from benchmarks import command
from benchmarks.data import read_json, read_lines
from benchmarks.figures import Bar, Report, Table

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
        return stream or self.status != 200 or not (self.body is None or event)


def refusals(folder: Path | None) -> Iterator[Refusal]:
    """The wordings of `ModelServer`, and the recorded ones."""
    for worded in OVERFLOWS.values():
        status, body = worded(STATED, WINDOW // 2, 0)
        yield Refusal(origin="own wordings", status=status, body=body, meaning=OVERFLOW)
    for path in sorted((folder / "refusals").glob("*.json*")) if folder else ():
        rows = read_lines(path) if path.suffix == ".jsonl" else read_json(path, [])
        for row in rows:
            status = row["http_status"] if "http_status" in row else row["status"]
            yield Refusal(origin=path.stem, status=status, body=row["body"], meaning=row["meaning"])


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


async def measured(folder: Path | None) -> Report:
    found: Counter[tuple[str, str, str]] = Counter()
    for refusal in refusals(folder):
        kind = "overflows" if refusal.meaning == OVERFLOW else "others"
        right = "warned" if refusal.is_silent else "recovered"
        for stream in (False, True):
            if not refusal.comes(stream=stream):
                continue
            came = await outcome(refusal, stream=stream)
            overflowed = came == right if kind == "overflows" else came in ("recovered", "overflow")
            found[refusal.origin, kind, "taken" if overflowed else "not"] += 1
            if overflowed is (kind == "others"):
                print(f"{refusal.origin}: {came}, stream={stream}: {refusal.body!r}")
    return _report(found)


def _report(found: Counter[tuple[str, str, str]]) -> Report:
    columns = ("answers from", "overflows", "recovered", "other errors", "taken for one")
    origins = dict.fromkeys(origin for origin, _, _ in found)
    rows = [
        (
            origin,
            str(found[origin, "overflows", "taken"] + found[origin, "overflows", "not"]),
            str(found[origin, "overflows", "taken"]),
            str(found[origin, "others", "taken"] + found[origin, "others", "not"]),
            str(found[origin, "others", "taken"]),
        )
        for origin in origins
    ]
    missed = sum(found[origin, "overflows", "not"] for origin in origins)
    taken = sum(found[origin, "others", "taken"] for origin in origins)
    bars = [
        Bar("every overflow is recovered from", f"{missed} are not", not missed),
        Bar("no other error is taken for one", f"{taken} are", not taken),
    ]
    return Report([Table("refusals", columns, rows)], bars)


def measure(folder: Path | None) -> Report:
    return anyio.run(measured, folder)


if __name__ == "__main__":
    command.run("refusals", measure)
