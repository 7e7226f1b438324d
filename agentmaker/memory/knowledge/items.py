"""Chunks as the items of an index: how they are named, and what is known of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentmaker.memory.blocks import Block, blocks
from agentmaker.memory.chunks import Chunk
from agentmaker.memory.index import Indexed, Kept, Passage
from agentmaker.memory.knowledge.citation import STEP, path_of
from agentmaker.memory.knowledge.documents import Facts

_NUMBER = "\n"
"""Between the name of a document and the number of a chunk."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk is in its document.

    Attributes:
        above: the headings it stands under.
        own: those it begins with that all of it stands under.
    """

    start: int
    end: int
    above: tuple[str, ...]
    own: tuple[str, ...]


def item_of(name: str, facts: Facts, number: int, chunk: Chunk) -> Indexed:
    """A chunk by its words and, counting more, by the title and the headings it is under or has."""
    within = [*blocks(chunk.text)]
    said = [*path_of(facts.title, chunk.headings), *(each.title for each in within if each.level)]
    own = [*_over_all(within)]
    return Indexed(
        key=key_of(name, number),
        revision=facts.revision,
        label=STEP.join(said),
        passages=(Passage(chunk.text, chunk.start, chunk.end),),
        data=json.dumps([chunk.start, chunk.end, chunk.headings, own], ensure_ascii=False),
    )


def _over_all(within: Sequence[Block]) -> Iterator[str]:
    for at, block in enumerate(within):
        if not block.level or any(0 < other.level <= block.level for other in within[at + 1 :]):
            return
        yield block.title


def place_of(kept: Kept) -> Place:
    start, end, above, own = json.loads(kept.data)
    return Place(start, end, tuple(above), tuple(own))


def key_of(name: str, number: int) -> str:
    return f"{name}{_NUMBER}{number}"


def name_of(key: str) -> str:
    """The document that a chunk is of."""
    return key.rpartition(_NUMBER)[0]


def number_of(key: str) -> int:
    return int(key.rpartition(_NUMBER)[2])
