"""Refs for records, one for each, whatever their keys are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from agentmaker.tasks.source import Problem
from agentmaker.tasks.sources.record_mapping import Record, RecordMapping


def refs_for(
    mapping: RecordMapping, records: Sequence[object]
) -> tuple[dict[str, Record], list[Problem]]:
    """*records* by ref, in their order; and what was wrong with some of them."""
    found = {at: each for at, each in enumerate(records) if is_record(each)}
    problems = [_no_record(at, each) for at, each in enumerate(records) if at not in found]
    keys = {at: mapping.ref_of(each) for at, each in found.items()}
    named: dict[str, Record] = {}
    taken = {*keys.values()}
    for at, record in found.items():
        key = keys[at]
        if key and key not in named:
            named[key] = record
            continue
        ref = _place(at, taken)
        named[ref] = record
        if mapping.key is not None:
            problems.append(_wrong(ref, mapping.key, repeated=bool(key)))
    return named, problems


def is_record(value: object) -> TypeGuard[Record]:
    return type(value) is dict or isinstance(value, Mapping)


def _place(at: int, taken: set[str]) -> str:
    """What names the record at that place, and no other by its key."""
    ref = f"#{at}"
    while ref in taken:
        ref = f"#{ref}"
    taken.add(ref)
    return ref


def _no_record(at: int, value: object) -> Problem:
    return Problem(f"#{at}", "invalid", f"no mapping but a {type(value).__name__}")


def _wrong(ref: str, key: str, *, repeated: bool) -> Problem:
    if repeated:
        return Problem(ref, "invalid", f"its {key} is another record's too: named by its place")
    return Problem(ref, "missing_field", f"it has no {key} of one value: named by its place")
