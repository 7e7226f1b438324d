"""What was written into the file of an index, as its database tells."""

from __future__ import annotations

import sqlite3
from pathlib import Path


def newest(path: Path | None) -> int:
    return _number(path, "SELECT max(id) FROM item")


def newer(path: Path | None, before: int) -> int:
    """How many items were written since; one that is written again has a new number."""
    return _number(path, f"SELECT count(*) FROM item WHERE id > {before}")


def _number(path: Path | None, statement: str) -> int:
    if path is None:
        return 0
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchone()[0] or 0
    finally:
        connection.close()
