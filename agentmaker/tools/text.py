"""What a tool returned, as text for a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeGuard

from agentmaker.calls.forms.content import encodable
from agentmaker.prompts import PromptRegistry

_PARTS = frozenset(
    {"audio", "file", "image", "image_url", "input_audio", "input_image", "input_text", "text"}
)


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
        return value
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
    return isinstance(value, Mapping) and value.get("type") in _PARTS and len(value) > 1


def _part(part: Mapping[str, object], prompts: PromptRegistry) -> str:
    text = part.get("text")
    return text if isinstance(text, str) else prompts.render("tool.part", kind=part["type"])
