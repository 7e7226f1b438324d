"""Rewrites the tables of the pages that show figures from those that ``--save`` kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks.figures import Table, saved

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "benchmarks.md")

PLACE = re.compile(r"(?P<begin><!-- table: (?P<name>\S+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)


def filled(page: str, tables: Mapping[str, Table]) -> str:
    """*page* with each marked place holding its table.

    Raises:
        KeyError: a place names a table that was not saved.
    """
    return PLACE.sub(lambda place: _with_table(place, tables), page)


def shown(page: str) -> set[str]:
    """The tables that have a place on *page*."""
    return {place["name"] for place in PLACE.finditer(page)}


def _with_table(place: re.Match[str], tables: Mapping[str, Table]) -> str:
    return f"{place['begin']}\n{tables[place['name']].markdown()}\n\n{place['end']}"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8"), saved()), encoding="utf-8")
