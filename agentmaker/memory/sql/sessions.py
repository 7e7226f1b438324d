"""Sessions with their turns and states, within a transaction of the caller."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sqlalchemy import Connection, and_, delete, insert, select, update
from sqlalchemy.sql.dml import ReturningInsert

from agentmaker.memory.keys import owner_of, session_id
from agentmaker.memory.records import SessionState
from agentmaker.memory.refusals import changed_since
from agentmaker.memory.sql.codec import message_from_json, now, state_from_json
from agentmaker.memory.sql.tables import scope_key, sessions, turns
from agentmaker.memory.sql.upsert import insert_into
from agentmaker.messages import Message
from agentmaker.scope import Scope

_ADDED = insert(turns)


@cache
def _counted(dialect: str) -> ReturningInsert[tuple[int, int]]:
    new = insert_into(sessions, dialect)
    more = {"turns": sessions.c.turns + new.excluded.turns, "used": new.excluded.used}
    put = new.on_conflict_do_update(index_elements=[sessions.c.key], set_=more)
    return put.returning(sessions.c.id, sessions.c.turns)


def read_state(connection: Connection, session: Scope) -> SessionState:
    found = select(sessions.c.state, sessions.c.version).where(sessions.c.key == scope_key(session))
    row = connection.execute(found).one_or_none()
    return state_from_json(row.state, row.version) if row and row.state else SessionState()


def read_turns(connection: Connection, session: Scope, start: int) -> tuple[Message, ...]:
    found = (
        select(turns.c.message)
        .join(sessions, sessions.c.id == turns.c.session_id)
        .where(sessions.c.key == scope_key(session), turns.c.number >= start)
        .order_by(turns.c.number)
    )
    return tuple(map(message_from_json, connection.execute(found).scalars()))


def read_sessions(connection: Connection, scope: Scope) -> tuple[str, ...]:
    mine = sessions.c.owner == scope_key(owner_of(scope))
    found = select(sessions.c.session).where(mine).order_by(sessions.c.used.desc(), sessions.c.id)
    return tuple(connection.execute(found).scalars())


def append(connection: Connection, session: Scope, messages: Sequence[str]) -> int:
    """Add *messages*, each as JSON; the number of turns there are then."""
    # The row is locked from here on, so nobody else counts from the same number.
    counted = _counted(connection.dialect.name)
    row = connection.execute(counted, _new(session, turns=len(messages))).one()
    first = row.turns - len(messages)
    rows = [
        {"session_id": row.id, "number": first + index, "message": message}
        for index, message in enumerate(messages)
    ]
    if rows:
        connection.execute(_ADDED, rows)
    return int(row.turns)


def change(connection: Connection, session: Scope, state: str, version: int, upto: int) -> None:
    """Put *state*, as JSON, in the place of that of *version*; it stands for *upto* turns."""
    values = {"state": state, "version": version + 1, "used": now()}
    # A session that was deleted meanwhile begins its versions anew.
    same = and_(sessions.c.version == version, sessions.c.turns >= upto)
    if version or upto:
        mine = sessions.c.key == scope_key(session)
        made = update(sessions).where(mine, same).values(values).returning(sessions.c.id)
        row = connection.execute(made).one_or_none()
    else:
        new = insert_into(sessions, connection.dialect.name).values({**_new(session), **values})
        put = new.on_conflict_do_update(index_elements=[sessions.c.key], set_=values, where=same)
        row = connection.execute(put.returning(sessions.c.id)).one_or_none()
    if row is None:
        raise changed_since(session_id(session))


def forget(connection: Connection, session: Scope) -> None:
    gone = delete(sessions).where(sessions.c.key == scope_key(session)).returning(sessions.c.id)
    for number in connection.execute(gone).scalars().all():
        connection.execute(delete(turns).where(turns.c.session_id == number))


def _new(session: Scope, turns: int = 0) -> dict[str, object]:
    return {
        "key": scope_key(session),
        "owner": scope_key(owner_of(session)),
        "session": session_id(session),
        "turns": turns,
        "version": 0,
        "used": now(),
    }
