"""Make fields safe for every log: strict JSON has no NaN, and UTF-8 no lone surrogates."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


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


def to_line(fields: Mapping[str, Any]) -> str:
    """*fields* as one line of strict JSON, without its newline."""
    return json.dumps(clean(fields), ensure_ascii=False, allow_nan=False)


def _encodable(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
