"""Reads fields of the SDK's objects, and of dictionaries, that servers fill as they like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentmaker.plain import is_mapping_type


def get(raw: Any, name: str) -> Any:
    """The field called *name*, None without one."""
    return raw.get(name) if is_mapping_type(raw.__class__) else getattr(raw, name, None)


def text(raw: Any, name: str) -> str:
    """The field, "" unless it is text."""
    value = get(raw, name)
    return value if isinstance(value, str) else ""


def items(raw: Any, name: str) -> list[Any]:
    """The field, empty unless it is a list."""
    value = get(raw, name)
    return value if isinstance(value, list) else []


def objects(raw: Any, name: str) -> list[Any]:
    """What in the field's list has fields of its own."""
    return [each for each in items(raw, name) if fields(each)]


def fields(raw: Any) -> Mapping[str, Any]:
    """Every field of an SDK object, those it does not know among them."""
    if is_mapping_type(raw.__class__):
        return raw  # type: ignore[no-any-return]
    return {**getattr(raw, "__dict__", {}), **(getattr(raw, "model_extra", None) or {})}


def choice_of(raw: Any) -> Any:
    """The first choice: the one with index 0, or without one; None where there is none."""
    for each in items(raw, "choices"):
        if not get(each, "index"):
            return each
    return None


def reasoning(message: Any) -> str:
    """What a message or a piece of one says the model thought."""
    # To say that it lacks a field takes an SDK object longer than to show all it has.
    said = fields(message) if isinstance(get(message, "model_extra"), dict) else message
    return text(said, "reasoning_content") or text(said, "reasoning")
