"""One value on one line of YAML, so written that a reader gets the same value back."""

from __future__ import annotations

import json
import math
import re
from datetime import date, datetime
from typing import Any

# Readers of YAML 1.1 and 1.2 take these for other than text.
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_PLAIN = re.compile(r"[^\W\d_](?:[^\x00-\x1f\x7f\ufffe\uffff:#]|:(?=\S)|(?<=\S)#)*")
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def written(value: Any) -> str:
    """*value*, a scalar, as it stands in YAML."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ") if _is_read_back(value) else f'"{value.isoformat()}"'
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return _float(value)
    return _text(value) if isinstance(value, str) else str(value)


def _text(text: str) -> str:
    if text.casefold() in _WORDS or not _PLAIN.fullmatch(text) or _ODD.search(text):
        return quoted(text)
    return text if text == text.rstrip() else quoted(text)


def quoted(text: str) -> str:
    """*text* between quotation marks, all in one line."""
    return _ODD.sub(lambda odd: f"\\u{ord(odd[0]):04x}", json.dumps(text, ensure_ascii=False))


def is_odd(text: str) -> bool:
    """Whether *text* has characters that YAML can only show escaped."""
    return bool(_ODD.search(text)) or any(each < " " and each not in "\n\t" for each in text)


def _float(value: float) -> str:
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else f"{'-' if value < 0 else ''}.inf"
    digits = repr(value)
    # Readers of YAML 1.1 take 1e+20 for text.
    return digits if "." in digits else digits.replace("e", ".0e")


def _is_read_back(value: datetime) -> bool:
    """Whether YAML's way to write a zone can say this one: hours and minutes."""
    offset = value.utcoffset()
    return offset is None or not offset.total_seconds() % 60
