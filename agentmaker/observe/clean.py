"""Make fields safe for every log: strict JSON has no NaN, and UTF-8 no lone surrogates."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from types import NoneType
from typing import Any

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False)

_NEVER_UNCLEAN = frozenset({int, bool, NoneType})


def clean(value: Any) -> Any:
    """*value* with NaN and infinities as None and what UTF-8 cannot hold as U+FFFD.

    Only the types of JSON pass; anything else becomes the name of its type, since its
    ``repr`` may hold a key.
    """
    if isinstance(value, str):
        return _encodable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {_encodable(str(key)): clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item) for item in value]
    return type(value).__name__


def clean_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """`clean` for flat *fields*: most are counts under plain names, which need no look."""
    names = fields if "".join(fields).isascii() else map(_encodable, fields)
    values = fields.values()
    return {
        name: value if type(value) in _NEVER_UNCLEAN else clean(value)
        for name, value in zip(names, values, strict=True)
    }


def to_line(fields: Mapping[str, Any]) -> str:
    """*fields* as one line of strict JSON, without its newline."""
    try:
        line = _JSON.encode(fields)
        line.encode()
    except (TypeError, ValueError):
        return _JSON.encode(clean(fields))
    return line


def _encodable(text: str) -> str:
    if type(text) is str and text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
