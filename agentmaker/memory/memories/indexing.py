"""How a memory is indexed: whole, and found by its passages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentmaker.memory.chunks import chunks
from agentmaker.memory.index.values import Indexed, Passage
from agentmaker.memory.memories.record import KIND, MemoryRecord, digest_of, from_document
from agentmaker.memory.records import Document
from agentmaker.memory.sql.codec import scope_to_json
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter

PASSAGE = 256
"""Tokens that are found together."""


@dataclass(frozen=True, slots=True)
class MemoryRecipe:
    counter: TokenCounter
    kind: str = KIND

    def partition(self, scope: Scope) -> str:
        return partition_of(scope)

    def facts(self, document: Document) -> MemoryRecord:
        return from_document(document)

    def revision(self, facts: MemoryRecord) -> str:
        return facts.digest

    def items(self, document: Document) -> Iterator[Indexed]:
        parts = chunks(document.text, most=PASSAGE, counter=self.counter)
        yield Indexed(
            key=document.name,
            revision=digest_of(document.text),
            passages=tuple(Passage(each.text, each.start, each.end) for each in parts),
        )

    def document(self, key: str) -> str:
        return key


def partition_of(scope: Scope) -> str:
    return f"{KIND} {scope_to_json(scope)}"
