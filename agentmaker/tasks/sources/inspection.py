"""What a file is found to be, and what its descriptor keeps so that it is not read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agentmaker.tasks.source import Descriptor, Problem, Unreadable
from agentmaker.tasks.sources.file_states import FileState, Scan, Stamp
from agentmaker.tasks.sources.file_text import FileText, read_file
from agentmaker.tasks.sources.safe_open import parts_of
from agentmaker.tasks.sources.texts import Binary, summary_of
from agentmaker.tasks.sources.walk import title_of, unreadable

Describe = Callable[[str, FileText, Mapping[str, Any]], Descriptor]
"""Makes a descriptor of a ref, what was read, and the metadata to keep."""


def inspect_file(root: str, ref: str, most: int, scan: Scan, describe: Describe) -> FileState:
    """The file of *ref* as it is listed."""
    stamp = scan.files[ref].stamp
    settled = scan.settled(stamp)
    try:
        reading = read_file(root, parts_of(ref), most)
    except OSError as error:
        return FileState(stamp, problems=(unreadable(ref, error),))
    except Unreadable:
        return FileState(stamp, settled, problems=(Problem(ref, "invalid", "its name is no ref"),))
    except Binary as error:
        return FileState(stamp, settled, problems=(Problem(ref, "binary", str(error)),))
    kept = metadata_of(stamp if settled else None, reading, most)
    return FileState(stamp, settled, describe(ref, reading, kept), problems_of(ref, kept))


def file_descriptor(ref: str, reading: FileText, kept: Mapping[str, Any]) -> Descriptor:
    markdown = ref.lower().endswith((".md", ".markdown", ".mdx"))
    return Descriptor(
        ref=ref,
        revision=reading.revision,
        role="file",
        title=title_of(ref),
        summary=summary_of(reading.text, markdown=markdown),
        size=len(reading.text),
        metadata=kept,
    )


def metadata_of(stamp: Stamp | None, reading: FileText, most: int) -> dict[str, Any]:
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


def known_states(known: Mapping[str, Descriptor], most: int) -> dict[str, FileState]:
    """Those of *known* that this source would describe as they are, if nothing changed."""
    return dict(_known_states(known, most))


def _known_states(known: Mapping[str, Descriptor], most: int) -> Iterator[tuple[str, FileState]]:
    for ref, each in known.items():
        stamp = each.metadata.get("stamp")
        if not isinstance(stamp, (list, tuple)) or len(stamp) != 4:
            continue
        size, modified, inode, changed = stamp
        if each.metadata.get("cut") == (most if size > most else None):
            problems = problems_of(ref, each.metadata)
            yield ref, FileState((size, modified, inode, changed), True, each, problems)
