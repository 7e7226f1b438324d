"""What memories and knowledge are given, checked at their doors."""

from __future__ import annotations

from agentmaker.scope import Scope


def checked_scope(given: Scope | None) -> Scope | None:
    if given is None or isinstance(given, Scope):
        return given
    raise TypeError(f"scope must be a Scope, not {type(given).__name__}: give Scope(user=...)")


def checked_text(name: str, given: str) -> str:
    if isinstance(given, str):
        return given
    raise TypeError(f"{name} must be a string, not {type(given).__name__}")
