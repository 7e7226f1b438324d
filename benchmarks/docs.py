"""Rewrites the tables of docs/benchmarks.md from the figures that ``--save`` kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks.figures import Table, saved

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"

PLACE = re.compile(r"(?P<begin><!-- table: (?P<name>\S+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)


def filled(page: str, tables: Mapping[str, Table]) -> str:
    """*page* with each marked place holding its table.

    Raises:
        KeyError: a place names a table that was not saved.
    """
    return PLACE.sub(lambda place: _with_table(place, tables), page)


def _with_table(place: re.Match[str], tables: Mapping[str, Table]) -> str:
    return f"{place['begin']}\n{tables[place['name']].markdown()}\n\n{place['end']}"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), saved()), encoding="utf-8")
