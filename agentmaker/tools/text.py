"""What a tool returned, as text for a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeGuard

from agentmaker.calls.forms.content import encodable
from agentmaker.prompts import PromptRegistry

_TEXTS = frozenset({"input_text", "text"})

_PAYLOADS: Mapping[str, frozenset[str]] = {
    "audio": frozenset({"base64", "data"}),
    "file": frozenset({"base64", "file"}),
    "image": frozenset({"base64", "data", "source"}),
    "image_url": frozenset({"image_url"}),
    "input_audio": frozenset({"input_audio"}),
    "input_image": frozenset({"file_id", "image_url"}),
}
"""Where a content part of a kind holds what it is about: a record without it is data."""


def text_of_result(value: object, prompts: PromptRegistry) -> str:
    """A string as it is, everything else as compact JSON; always encodable as UTF-8.

    Bytes that are no text, and content parts other than text, are described.

    Raises:
        ValueError: no text can be made of it.
    """
    return encodable(_text(value, prompts))


def _text(value: object, prompts: PromptRegistry) -> str:
    if value is None:
        return prompts.text("tool.done")
    if isinstance(value, str):
        return str.__str__(value)  # of an enumeration the text, not its name
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _decoded(bytes(value), prompts)
    if _is_content(value):
        return "\n".join(_part(each, prompts) for each in value)
    return _json(value)


def _json(value: object) -> str:
    from pydantic_core import to_jsonable_python

    try:
        return _compact(value, default=to_jsonable_python)
    except TypeError:
        # Keys that are no strings; those with lone surrogates it refuses for its part.
        return _compact(to_jsonable_python(value))


def _compact(value: object, default: Callable[[object], object] | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=default)


def _decoded(data: bytes, prompts: PromptRegistry) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return prompts.render("tool.bytes", size=len(data))


def _is_content(value: object) -> TypeGuard[list[Mapping[str, object]]]:
    return isinstance(value, list) and bool(value) and all(map(_is_part, value))


def _is_part(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(kind := value.get("type"), str):
        return False
    if kind in _TEXTS:
        return isinstance(value.get("text"), str)
    return not _PAYLOADS.get(kind, frozenset()).isdisjoint(value)


def _part(part: Mapping[str, object], prompts: PromptRegistry) -> str:
    kind = part["type"]
    return str(part["text"]) if kind in _TEXTS else prompts.render("tool.part", kind=kind)
