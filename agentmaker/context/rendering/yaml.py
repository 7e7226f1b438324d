"""YAML in key order: the same bytes for the same data, and the same data for its reader.

- One line a value, two spaces a level, so that a change of a value is a change of its line.
- Text of several lines stands as a block; what YAML would take for other than text is quoted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentmaker.context.rendering.data import Data, Table
from agentmaker.context.rendering.scalars import is_odd, written
from agentmaker.context.rendering.tables import to_table

_STEP = "  "


def to_yaml(data: Data) -> str:
    """*data*, as `plain_data` gives it; its last line is without an end."""
    return "\n".join(_lines(data))


def _lines(data: Data) -> Iterator[str]:
    if isinstance(data, Table):
        yield from to_table(data).split("\n")
    elif isinstance(data, dict) and data:
        for key, value in data.items():
            yield from _entry(written(key), value)
    elif isinstance(data, list) and data:
        for item in data:
            yield from _item(item)
    else:
        yield _inline(data)


def _entry(key: str, value: Data) -> Iterator[str]:
    if isinstance(value, (dict, list)) and value:
        yield f"{key}:"
        yield from (f"{_STEP}{line}" if line else "" for line in _lines(value))
    else:
        yield from _leaf(f"{key}:", value)


def _item(value: Data) -> Iterator[str]:
    if isinstance(value, (dict, list)) and value:
        first, *others = _lines(value)
        yield f"- {first}"
        yield from (f"{_STEP}{line}" if line else "" for line in others)
    else:
        yield from _leaf("-", value)


def _leaf(before: str, value: Data) -> Iterator[str]:
    text = to_table(value) if isinstance(value, Table) else value
    if not isinstance(text, str) or not _is_block(text):
        yield f"{before} {_inline(text)}"
        return
    bare = text.rstrip("\n")
    ends = len(text) - len(bare)
    yield f"{before} |{_indicator(text)}{('-', '')[ends] if ends < 2 else '+'}"
    yield from (f"{_STEP}{line}" if line else "" for line in bare.split("\n"))
    yield from [""] * (ends - 1)


def _is_block(text: str) -> bool:
    """Whether *text* is to be shown as lines of its own."""
    return "\n" in text.rstrip("\n") and not is_odd(text)


def _indicator(text: str) -> str:
    """How far a block is indented, where its reader cannot tell by the first line."""
    return str(len(_STEP)) if text[0] in " \n" else ""


def _inline(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "{}" if isinstance(value, dict) else "[]"
    return written(value)
