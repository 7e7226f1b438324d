"""What memories and knowledge are given, checked at their doors."""

from __future__ import annotations

from agentmaker.memory.index import Index
from agentmaker.memory.store import Store
from agentmaker.scope import Scope


def checked_store(given: Store | None) -> Store | None:
    if given is None or callable(getattr(given, "stamp", None)):
        return given
    raise TypeError(
        f"store must be a store, not {type(given).__name__}: give a SessionStore or a MemoryStore"
    )


def checked_index(given: Index | None) -> Index | None:
    if given is None or isinstance(given, Index):
        return given
    raise TypeError(f"index must be an Index, not {type(given).__name__}: give Index(path)")


def checked_scope(given: Scope | None) -> Scope | None:
    if given is None or isinstance(given, Scope):
        return given
    raise TypeError(f"scope must be a Scope, not {type(given).__name__}: give Scope(user=...)")


def checked_text(name: str, given: str) -> str:
    if isinstance(given, str):
        return given
    raise TypeError(f"{name} must be a string, not {type(given).__name__}")
