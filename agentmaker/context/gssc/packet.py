"""The unit that a context is made of: a text with what is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from agentmaker.context.knobs import check_count
from agentmaker.tokens import count_tokens

SYSTEM: Final = "system_instruction"
HISTORY: Final = "conversation_history"
MEMORY: Final = "memory"
RAG: Final = "rag_result"
EVIDENCE: Final = frozenset({RAG, "knowledge"})

UNRATED: Final = 0.5
"""The relevance of what nobody has rated: `select` does."""


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class ContextPacket:
    """A candidate for a context.

    The ``type`` in *metadata* says where it goes: ``system_instruction`` to the policies,
    ``rag_result`` and ``knowledge`` to the evidence, all else to the background.

    Attributes:
        timestamp: how new it is; without a time zone, local time.
        token_count: by `count_tokens` unless given.
        relevance_score: brought into 0..1; exactly 0.5 means that nobody has rated it.
        required: always in and never cut, or there is no context.

    Raises:
        ConfigError: *token_count* is no whole number of at least 0.
        TypeError: *content* is no string, or *timestamp* no datetime.
    """

    content: str
    timestamp: datetime = field(default_factory=_now)
    token_count: int = None  # type: ignore[assignment]  # counted below, so never None to a reader
    relevance_score: float = UNRATED
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    required: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.content, str):
            raise TypeError(f"content must be a string, not {type(self.content).__name__}")
        if not isinstance(self.timestamp, datetime):
            raise TypeError(f"timestamp must be a datetime, not {type(self.timestamp).__name__}")
        if self.token_count is None:
            object.__setattr__(self, "token_count", count_tokens(self.content))
        check_count("token_count", self.token_count, least=0)
        object.__setattr__(self, "relevance_score", min(1.0, max(0.0, self.relevance_score)))

    @property
    def kind(self) -> str:
        """The ``type`` of its metadata, "" when there is none."""
        return str(self.metadata.get("type", ""))

    @property
    def moment(self) -> datetime:
        """Its timestamp with a time zone, so that any two can be compared."""
        if self.timestamp.tzinfo is not None:
            return self.timestamp
        try:
            return self.timestamp.astimezone(UTC)
        except (OverflowError, ValueError, OSError):  # too near an end of the calendar
            return self.timestamp.replace(tzinfo=UTC)
