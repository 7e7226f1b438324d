"""How a document is indexed: by its chunks, each an item of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from agentmaker.memory.chunks import chunks
from agentmaker.memory.index import Indexed
from agentmaker.memory.knowledge.documents import KIND, Facts, facts_of
from agentmaker.memory.knowledge.items import item_of, name_of
from agentmaker.memory.records import Document
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter, counter_name

_VERSION = 1
"""Changes whenever documents are chunked otherwise."""


@dataclass(frozen=True, slots=True)
class ChunkRecipe:
    """Chunks of at most *chunk_tokens* by *counter*."""

    chunk_tokens: int
    counter: TokenCounter
    kind: str = KIND

    def partition(self, scope: Scope) -> str:
        counted = counter_name(self.counter)
        owner = [scope.base, scope.user, scope.agent, scope.session, scope.app]
        return json.dumps([KIND, _VERSION, self.chunk_tokens, counted, *owner])

    def facts(self, document: Document) -> Facts:
        return facts_of(document.gist)

    def revision(self, facts: Facts) -> str:
        return facts.revision

    def items(self, document: Document) -> Iterator[Indexed]:
        facts = facts_of(document.gist)
        parts = chunks(document.text, most=self.chunk_tokens, counter=self.counter)
        for number, chunk in enumerate(parts):
            yield item_of(document.name, facts, number, chunk)

    def document(self, key: str) -> str:
        return name_of(key)
