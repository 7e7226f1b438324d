"""What a file is found to be when it is looked at for a listing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentmaker.tasks.source import Descriptor, Problem, Unreadable
from agentmaker.tasks.sources.opening import parts_of
from agentmaker.tasks.sources.reading import Reading, read_file
from agentmaker.tasks.sources.remembered import metadata_of, problems_of
from agentmaker.tasks.sources.scanning import title_of, unreadable
from agentmaker.tasks.sources.scans import Scan, Seen
from agentmaker.tasks.sources.texts import Binary, summary_of

Describe = Callable[[str, Reading, Mapping[str, Any]], Descriptor]
"""Makes a descriptor of a ref, what was read, and the metadata to keep."""


def look(root: str, ref: str, most: int, found: Scan, describe: Describe) -> Seen:
    """The file of *ref* as it is listed."""
    stamp = found.found[ref].stamp
    settled = found.settled(stamp)
    try:
        reading = read_file(root, parts_of(ref), most)
    except OSError as error:
        return Seen(stamp, problems=(unreadable(ref, error),))
    except Unreadable:
        return Seen(stamp, settled, problems=(Problem(ref, "invalid", "its name is no ref"),))
    except Binary as error:
        return Seen(stamp, settled, problems=(Problem(ref, "binary", str(error)),))
    kept = metadata_of(stamp if settled else None, reading, most)
    return Seen(stamp, settled, describe(ref, reading, kept), problems_of(ref, kept))


def as_file(ref: str, reading: Reading, kept: Mapping[str, Any]) -> Descriptor:
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
