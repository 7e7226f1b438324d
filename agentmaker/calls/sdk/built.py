"""Completions read by their schema, in a tenth of the SDK's own time, or left as they came."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def built_completion() -> Any:
    """What a client is asked to cast to for a ``ChatCompletion``.

    The SDK lets such a class build the object. What does not keep to the schema is read as the
    SDK reads it.
    """
    from openai.types.chat import ChatCompletion
    from pydantic import ValidationError

    class Built(ChatCompletion):
        @classmethod
        def build(cls, *, response: object, data: Any) -> Any:
            try:
                return ChatCompletion.model_validate(data, strict=True)
            except ValidationError:
                return ChatCompletion.construct(**data) if isinstance(data, dict) else data

    return Built


class Said(dict[str, Any]):
    """A completion as its server wrote it, for who wants no object."""


@cache
def said_completion() -> Any:
    """What a client is asked to cast to for a `Said`."""
    from openai.types.chat import ChatCompletion

    class AsSaid(ChatCompletion):
        @classmethod
        def build(cls, *, response: object, data: Any) -> Any:
            return Said(data) if isinstance(data, dict) else data

    return AsSaid


@cache
def known_fields() -> frozenset[str]:
    """What the SDK knows a completion to have."""
    from openai.types.chat import ChatCompletion

    return frozenset(ChatCompletion.model_fields)
