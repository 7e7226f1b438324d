"""What a file of records adds up to: totals, lines of a table, and the share of each stream.

Pure functions over the flat fields of records, as they are read back from JSONL. How they
look on a terminal is decided elsewhere.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

from agentmaker.calls.ledger import ROWS

Fields = Mapping[str, Any]

_GIVE = "give a file that JsonlSink or `agentmaker replay --jsonl` wrote"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One stream over many requests, in tokens; *share* is its part of all windows, 0 to 1."""

    name: str
    allotted: int
    used: int
    dropped: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What many requests add up to.

    Attributes:
        outcomes: how many ended which way: ``"ok"`` or the name of an exception.
        estimate: tokens of all prompts, counted before they were sent.
        prompt_tokens: the same as the provider counted them, where it did.
        prefix_kept: mean share of the previous request that a request began with,
            weighted by prompt size; None when no request had a predecessor.
        worst_estimate_error: the error furthest from 0, None when no provider counted.
        factor: tokens of the provider for one of ours in the newest calibrated request, None
            where none was.
    """

    requests: int
    outcomes: dict[str, int]
    purposes: dict[str, int]
    estimate: int
    dropped: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    prefix_kept: float | None
    worst_estimate_error: float | None
    factor: float | None
    own_ms: float
    total_ms: float
    streams: tuple[Stream, ...]


SHOWN = ("system", "tools", "block", "history", "question", "trajectory", "free")

COLUMNS = (
    "",
    "purpose",
    "window",
    *SHOWN,
    "dropped",
    "prefix",
    "counted",
    "error",
    "factor",
    "outcome",
)


def totals(records: Sequence[Fields]) -> Totals:
    """Add *records* up."""
    return Totals(
        requests=len(records),
        outcomes=_tally(records, "outcome"),
        purposes=_tally(records, "purpose"),
        estimate=_sum(records, "estimate"),
        dropped=sum(map(dropped, records)),
        prompt_tokens=_sum(records, "prompt_tokens"),
        completion_tokens=_sum(records, "completion_tokens"),
        cached_tokens=_sum(records, "cached_tokens"),
        prefix_kept=_prefix_kept(records),
        worst_estimate_error=max(_numbers(records, "estimate_error"), key=abs, default=None),
        factor=next(filter(None, map(_factor, reversed(records))), None),
        own_ms=round(sum(_numbers(records, "own_ms")), 3),
        total_ms=round(sum(_numbers(records, "total_ms")), 3),
        streams=streams(records),
    )


def streams(records: Sequence[Fields]) -> tuple[Stream, ...]:
    """Every stream of the window, in the ledger's order; their shares add up to 1."""
    windows = _sum(records, "window")
    return tuple(_stream(records, name, windows) for name in ROWS)


def table(records: Sequence[Fields]) -> list[tuple[str, ...]]:
    """One line a request, as text under ``COLUMNS``; what a record does not say is ""."""
    return [_line(number, record) for number, record in enumerate(records, start=1)]


def dropped(record: Fields) -> int:
    """Tokens of the conversation that this request left out."""
    return _sum([record], *(f"{name}_dropped" for name in ROWS))


def read_jsonl(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """The records of a JSONL file; blank lines are skipped.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is no record; the message names the file and the line.
    """
    with Path(path).open("rb") as file:
        return [
            _read_line(line, f"{path}:{number}")
            for number, line in enumerate(file, start=1)
            if line.strip()
        ]


def _finite(number: str) -> float:
    value = float(number)
    if not isfinite(value):
        raise ValueError(f"{number} is no number of a record")
    return value


def _read_line(line: bytes, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: expected one JSON object a line ({error}): {_GIVE}") from None
    if not isinstance(record, dict) or "outcome" not in record:
        raise ValueError(
            f"{where}: expected the record of a request, an object with an 'outcome' and the "
            f"rows of its ledger: {_GIVE}"
        )
    return record


def _stream(records: Sequence[Fields], name: str, windows: int) -> Stream:
    used = _sum(records, f"{name}_used")
    return Stream(
        name=name,
        allotted=_sum(records, f"{name}_allotted"),
        used=used,
        dropped=_sum(records, f"{name}_dropped"),
        share=used / windows if windows else 0.0,
    )


def _line(number: int, record: Fields) -> tuple[str, ...]:
    return (
        str(number),
        str(record.get("purpose", "")),
        _count(_number(record, "window")),
        *(_count(_number(record, f"{name}_used")) for name in SHOWN),
        _count(dropped(record) if "window" in record else None),
        _percent(_number(record, "prefix_kept")),
        _count(_number(record, "prompt_tokens")),
        _percent(_number(record, "estimate_error"), digits=1),
        _decimals(_factor(record)),
        str(record["outcome"]),
    )


def _factor(record: Fields) -> float | None:
    """The factor of a request that was calibrated."""
    return _number(record, "factor") if _number(record, "samples") else None


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _percent(value: float | None, *, digits: int = 0) -> str:
    return "" if value is None else f"{value:z.{digits}%}"


def _decimals(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _prefix_kept(records: Sequence[Fields]) -> float | None:
    pairs = [
        (kept, size)
        for kept, size in ((_number(r, "prefix_kept"), _number(r, "estimate")) for r in records)
        if kept is not None and size
    ]
    if not pairs:
        return None
    return sum(kept * size for kept, size in pairs) / sum(size for _, size in pairs)


def _tally(records: Iterable[Fields], key: str) -> dict[str, int]:
    return dict(Counter(str(record[key]) for record in records if key in record).most_common())


def _sum(records: Sequence[Fields], *keys: str) -> int:
    return int(sum(sum(_numbers(records, key)) for key in keys))


def _numbers(records: Iterable[Fields], key: str) -> list[float]:
    return [value for value in (_number(record, key) for record in records) if value is not None]


def _number(record: Fields, key: str) -> float | None:
    value = record.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
