"""A table as Markdown, one row a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(rows: Iterable[Sequence[str]]) -> str:
    """The first row is the head, as Markdown knows no table without; blank rows are left out."""
    lines = [_line(row) for row in rows if any(cell.strip() for cell in row)]
    if len(lines) > 1:
        lines.insert(1, "|" + " --- |" * lines[0].count(" | ") + " --- |")
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    words = (" ".join(cell.replace("|", "/").split()) for cell in cells)
    return f"| {' | '.join(words)} |"
