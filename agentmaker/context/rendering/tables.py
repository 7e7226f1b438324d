"""Rows of the same keys as a table of one line a row."""

from __future__ import annotations

from collections.abc import Iterable

from agentmaker.context.rendering.data import Data, Table
from agentmaker.context.rendering.scalars import written

_ESCAPES = {"\\": "\\\\", "|": "\\|"}
_LINES = "\n\r\t\v\f\x1c\x1d\x1e\x85\u2028\u2029"


def to_table(table: Table) -> str:
    """*table* as lines of cells between pipes; pipes and line ends within a cell are escaped."""
    columns = list(table.rows[0])
    lines = [_line(map(_cell, columns)), _line("---" for _ in columns)]
    return "\n".join([*lines, *(_line(map(_cell, row.values())) for row in table.rows)])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Data) -> str:
    text = value if isinstance(value, str) else written(value)
    return "".join(_escaped(each) for each in text)


def _escaped(character: str) -> str:
    if character in _LINES:
        return repr(character)[1:-1]
    return _ESCAPES.get(character, character)
