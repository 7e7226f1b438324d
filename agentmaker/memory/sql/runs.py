"""Runs with their entries, within a transaction of the caller."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from agentmaker.errors import SessionError
from agentmaker.memory.keys import owner_of
from agentmaker.memory.records import Entry, RunRecord, Status
from agentmaker.memory.refusals import done_already, known_already, owned_by_another, unknown_run
from agentmaker.memory.sql.codec import (
    from_microseconds,
    now,
    scope_from_json,
    scope_to_json,
    to_json,
    to_microseconds,
)
from agentmaker.memory.sql.sessions import append
from agentmaker.memory.sql.tables import entries, runs, scope_key
from agentmaker.memory.sql.upsert import insert_into
from agentmaker.scope import Scope

EntryText = tuple[str, str]
"""An entry's kind, and its data as JSON."""

_ADDED = insert(entries)

_COMMITTED = (
    update(runs)
    .where(runs.c.id == bindparam("run"), runs.c.owner == bindparam("by"), runs.c.status != "done")
    .values(
        status=bindparam("status"),
        data=bindparam("data"),
        entries=runs.c.entries + bindparam("more"),
        updated=bindparam("updated"),
    )
    .returning(runs.c.entries, runs.c.scope)
)


def begin(connection: Connection, run: RunRecord, data: str, happened: Sequence[EntryText]) -> None:
    new = insert_into(runs, connection.dialect.name).values(
        id=run.id,
        agent=run.agent,
        kind=run.kind,
        status=run.status,
        owner=run.owner,
        data=data,
        scope=scope_to_json(run.scope),
        scope_key=scope_key(run.scope),
        scope_owner=scope_key(owner_of(run.scope)),
        entries=len(happened),
        created=to_microseconds(run.created),
        updated=to_microseconds(run.updated),
    )
    kept = connection.execute(new.on_conflict_do_nothing().returning(runs.c.id))
    if kept.one_or_none() is None:
        raise known_already(run.id)
    _insert(connection, run.id, 0, happened)


def commit(
    connection: Connection,
    run: RunRecord,
    data: str,
    happened: Sequence[EntryText],
    messages: Sequence[str],
) -> None:
    values = {
        "run": run.id,
        "by": run.owner,
        "status": run.status,
        "data": data,
        "more": len(happened),
        "updated": now(),
    }
    row = connection.execute(_COMMITTED, values).one_or_none()
    if row is None:
        raise _not_ours(connection, run)
    _insert(connection, run.id, row.entries - len(happened), happened)
    if messages:
        append(connection, scope_from_json(row.scope), messages)


def read_run(connection: Connection, run_id: str) -> RunRecord:
    found = connection.execute(select(runs).where(runs.c.id == run_id))
    return _known(run_id, found.one_or_none())


def claim(connection: Connection, run_id: str, owner: str, of: str | None) -> RunRecord:
    mine = update(runs).where(runs.c.id == run_id).values(owner=owner, updated=now())
    if of is not None:
        mine = mine.where(runs.c.owner == of)
    row = connection.execute(mine.returning(*runs.c)).one_or_none()
    if row is None and of is not None:
        read_run(connection, run_id)
        raise owned_by_another(run_id)
    return _known(run_id, row)


def _known(run_id: str, row: Row[Any] | None) -> RunRecord:
    if row is None:
        raise unknown_run(run_id)
    return _record(row)


def read_entries(connection: Connection, run_id: str) -> tuple[Entry, ...]:
    found = select(entries).where(entries.c.run_id == run_id).order_by(entries.c.number)
    return tuple(Entry(row.kind, json.loads(row.data)) for row in connection.execute(found))


def read_runs(
    connection: Connection, scope: Scope | None, status: Status | None, limit: int
) -> tuple[RunRecord, ...]:
    found = select(runs).order_by(runs.c.updated.desc(), runs.c.id.desc()).limit(limit)
    if scope is not None:
        column = runs.c.scope_owner if scope.session is None else runs.c.scope_key
        found = found.where(column == scope_key(scope))
    if status is not None:
        found = found.where(runs.c.status == status)
    return tuple(map(_record, connection.execute(found)))


def entry_text(entry: Entry) -> EntryText:
    return entry.kind, to_json(entry.data)


def _not_ours(connection: Connection, run: RunRecord) -> SessionError:
    known = connection.execute(select(runs.c.owner).where(runs.c.id == run.id)).one_or_none()
    if known is None:
        return unknown_run(run.id)
    return done_already(run.id) if known.owner == run.owner else owned_by_another(run.id)


def _insert(connection: Connection, run_id: str, first: int, happened: Sequence[EntryText]) -> None:
    rows = [
        {"run_id": run_id, "number": first + index, "kind": kind, "data": data}
        for index, (kind, data) in enumerate(happened)
    ]
    if rows:
        connection.execute(_ADDED, rows)


def _record(row: Row[Any]) -> RunRecord:
    return RunRecord(
        id=row.id,
        agent=row.agent,
        scope=scope_from_json(row.scope),
        owner=row.owner,
        kind=row.kind,
        status=row.status,
        data=json.loads(row.data),
        created=from_microseconds(row.created),
        updated=from_microseconds(row.updated),
    )
