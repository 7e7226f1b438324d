"""A run on a disk that is full again and again: SQLite is let have a page more each time.

A database that may grow no more fails as on a full disk: SQLite has one code for both.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from agentmaker import Scope, SessionStore
from agentmaker.memory.records import Entry
from agentmaker.memory.store import Store
from benchmarks.clerk import Phases, attend
from benchmarks.judged import SAID_BEFORE, Case, judge


@dataclass(slots=True)
class Squeezed:
    """What became of the run.

    Attributes:
        errors: what ended its attempts, by type.
        sound: whether the file was a sound database after each.
    """

    case: Case
    errors: Counter[str]
    sound: bool = True


async def squeezed(case: Case) -> Squeezed:
    """Go on with one run, with one page more after each error, until it is done."""
    found = Squeezed(case, Counter())
    desk, store = case.desk, SessionStore(case.desk.store)
    await store.append(desk.scope, SAID_BEFORE)
    await store.aclose()
    first = _pragma(desk.store, "page_count")
    for attempt in count():
        with _at_most(first + attempt):
            try:
                await attend(replace(desk, attempt=attempt), store, Phases(desk.phases))
                break
            except Exception as error:
                found.errors[type(error).__name__] += 1
            finally:
                case.left(await entries_of(store, desk.scope))
                await store.aclose()
        found.sound &= _pragma(desk.store, "integrity_check") == "ok"
    judge(case, await entries_of(store, desk.scope), await store.turns(desk.scope))
    await store.aclose()
    return found


async def entries_of(store: Store, scope: Scope) -> tuple[Entry, ...]:
    """What happened in the run of a session."""
    kept = await store.runs(scope)
    return await store.entries(kept[0].id) if kept else ()


def _pragma(path: Path, name: str) -> Any:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


@contextmanager
def _at_most(pages: int) -> Iterator[None]:
    def limit(connection: sqlite3.Connection, record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(Engine, "connect", limit)
    try:
        yield
    finally:
        event.remove(Engine, "connect", limit)
