"""What a `Memory` is given, checked at its door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmaker.context.knobs import check_share
from agentmaker.errors import ConfigError
from agentmaker.memory.checks import checked_text
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.memories.worth import Weights
from agentmaker.memory.store import Store

_DOCUMENTS = 100_000
"""Memories of all scopes, where nobody gives a store."""


def checked_store(given: Store | None) -> Store:
    if given is None:
        return MemoryStore(max_documents=_DOCUMENTS)
    if not callable(getattr(given, "stamp", None)):
        raise ConfigError(
            f"memories are kept in a store, not in {type(given).__name__}: "
            "give a MemoryStore or a SessionStore"
        )
    return given


def checked_weights(given: Weights | None) -> Weights:
    if given is None or isinstance(given, Weights):
        return given or Weights()
    raise TypeError(f"weights must be Weights(recency=...), not {type(given).__name__}")


def checked_content(given: str) -> str:
    if not checked_text("content", given).strip():
        raise ConfigError("there is nothing to remember: content is blank")
    return given


def checked_metadata(given: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise TypeError(f"metadata must be a dictionary, not {type(given).__name__}")
    return dict(given)


def checked_changes(
    content: str | None, importance: float | None, metadata: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What is to be another than before."""
    changes: dict[str, Any] = {}
    if content is not None:
        changes["content"] = checked_content(content)
    if importance is not None:
        changes["importance"] = check_share("importance", importance)
    if metadata is not None:
        changes["metadata"] = checked_metadata(metadata)
    return changes
