"""One memory, and the document it is kept as."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from secrets import token_hex
from typing import Any

from agentmaker.digests import sha256_of
from agentmaker.memory.records import Document
from agentmaker.memory.sql.codec import from_microseconds, to_json, to_microseconds

KIND = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    """Something to remember.

    Attributes:
        content: "" where many are listed without their texts.
        importance: from 0 to 1.
        updated: when it was last added or changed; being found changes nothing.
        metadata: JSON of the application's.
        digest: the same for the same content.
    """

    id: str
    content: str
    importance: float
    created: datetime
    updated: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""

    def is_past(self, latest: datetime | None, importance: float | None) -> bool:
        """Whether it is older than *latest* and less than *importance*; None for any."""
        return (latest is None or self.updated < latest) and (
            importance is None or self.importance < importance
        )


def digest_of(content: str) -> str:
    return sha256_of(content)[:32]


def to_document(record: MemoryRecord) -> Document:
    """Raises ConfigError: the metadata is no JSON."""
    # Beside the text, so that a listing without texts is enough to put memories in order.
    known = {
        "importance": record.importance,
        "created": to_microseconds(record.created),
        "digest": digest_of(record.content),
        "metadata": dict(record.metadata),
    }
    return Document(
        kind=KIND,
        name=record.id,
        text=record.content,
        gist=to_json(known),
        updated=record.updated,
    )


def from_document(document: Document) -> MemoryRecord:
    known = json.loads(document.gist)
    return MemoryRecord(
        id=document.name,
        content=document.text,
        importance=known["importance"],
        created=from_microseconds(known["created"]),
        updated=document.updated,
        metadata=known["metadata"],
        digest=known["digest"],
    )


def renewed(known: MemoryRecord | None, new: MemoryRecord) -> MemoryRecord:
    """*new*, or *known* again where it says the same."""
    if known is None:
        return new
    if known.content != new.content:
        # The memory that once said this was changed since, and keeps its id.
        return replace(new, id=token_hex(8))
    return replace(
        known,
        importance=max(known.importance, new.importance),
        updated=new.updated,
        metadata={**known.metadata, **new.metadata},
    )
