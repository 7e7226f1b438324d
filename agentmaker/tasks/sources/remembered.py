"""What a descriptor of a file keeps for later processes, so that they need not read it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentmaker.tasks.source import Descriptor, Problem
from agentmaker.tasks.sources.reading import Reading
from agentmaker.tasks.sources.scans import Seen, Stamp


def metadata_of(stamp: Stamp | None, reading: Reading, most: int) -> dict[str, Any]:
    """JSON: the stamp where it is settled, and what was wrong with the file."""
    kept: dict[str, Any] = {} if stamp is None else {"stamp": [*stamp]}
    if reading.cut:
        kept["cut"] = most
    if reading.lost:
        kept["lost"] = reading.lost
    return kept


def problems_of(ref: str, kept: Mapping[str, Any]) -> tuple[Problem, ...]:
    """What is told of a file that is offered all the same."""
    told = []
    if most := kept.get("cut"):
        detail = f"only its first {most} bytes are offered: raise max_bytes="
        told.append(Problem(ref, "too_large", detail))
    if lost := kept.get("lost"):
        told.append(Problem(ref, "encoding", f"no UTF-8: U+FFFD stands for {lost} of its bytes"))
    return tuple(told)


def remembered(known: Mapping[str, Descriptor], most: int) -> dict[str, Seen]:
    """Those of *known* that this source would describe as they are, if nothing changed."""
    return dict(_remembered(known, most))


def _remembered(known: Mapping[str, Descriptor], most: int) -> Iterator[tuple[str, Seen]]:
    for ref, each in known.items():
        stamp = each.metadata.get("stamp")
        if not isinstance(stamp, (list, tuple)) or len(stamp) != 4:
            continue
        size, modified, inode, changed = stamp
        if each.metadata.get("cut") == (most if size > most else None):
            problems = problems_of(ref, each.metadata)
            yield ref, Seen((size, modified, inode, changed), True, each, problems)
