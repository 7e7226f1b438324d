"""`SessionStore`: sessions, runs and documents that survive the process."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, TypeVar
from weakref import finalize

from anyio import CancelScope, CapacityLimiter, to_thread

from agentmaker.memory.keys import session_id
from agentmaker.memory.records import Document, Entry, RunRecord, SessionState, Status
from agentmaker.memory.sql.codec import message_to_json, state_to_json, to_json
from agentmaker.memory.sql.urls import database_at
from agentmaker.messages import Message
from agentmaker.scope import Scope

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from agentmaker.memory.sql.database import Database

T = TypeVar("T")


class SessionStore:
    """A `Store` in a SQLite file or on a PostgreSQL server, for any number of processes.

    Nothing is opened before the first use; tables are made then. It may be used from several
    event loops in turn, and on both sides of a fork. What was acknowledged is on the disk. A
    cancellation waits for what is being written, for up to half a minute where others write too.

    Args:
        url: a path, ``sqlite:///a-file.db``, or ``postgresql://user@host/database``.

    Raises:
        ConfigError: the URL is none of these, a library is missing, or (by any method) the
            database is not ours or was made by a later version.
    """

    def __init__(self, url: str | PathLike[str] = "sqlite:///agentmaker.db") -> None:
        self._url = url
        self._databases = {os.getpid(): database_at(url)}
        finalize(self, _close_own, self._databases)

    def __repr__(self) -> str:
        return f"SessionStore({self._database().place!r})"

    async def state(self, session: Scope) -> SessionState:
        from agentmaker.memory.sql.sessions import read_state

        session_id(session)
        return await self._read(session, partial(read_state, session=session))

    async def turns(self, session: Scope, start: int = 0) -> tuple[Message, ...]:
        from agentmaker.memory.sql.sessions import read_turns

        session_id(session)
        return await self._read(session, partial(read_turns, session=session, start=start))

    async def append(self, session: Scope, turns: Sequence[Message]) -> int:
        from agentmaker.memory.sql.sessions import append

        session_id(session)
        messages = [*map(message_to_json, turns)]
        return await self._write(session, partial(append, session=session, messages=messages))

    async def change(self, session: Scope, state: SessionState) -> SessionState:
        from agentmaker.memory.sql.sessions import change

        session_id(session)
        text, version = state_to_json(state), state.version
        work = partial(change, session=session, state=text, version=version, upto=state.upto)
        await self._write(session, work)
        return replace(state, version=version + 1)

    async def sessions(self, scope: Scope) -> tuple[str, ...]:
        from agentmaker.memory.sql.sessions import read_sessions

        return await self._read(scope, partial(read_sessions, scope=scope))

    async def forget(self, session: Scope) -> None:
        from agentmaker.memory.sql.sessions import forget

        session_id(session)
        await self._write(session, partial(forget, session=session))

    async def begin(self, run: RunRecord, entries: Sequence[Entry] = ()) -> None:
        from agentmaker.memory.sql.runs import begin, entry_text

        data, happened = to_json(run.data), [*map(entry_text, entries)]
        await self._write(run.scope, partial(begin, run=run, data=data, happened=happened))

    async def commit(
        self, run: RunRecord, entries: Sequence[Entry] = (), *, turns: Sequence[Message] = ()
    ) -> None:
        from agentmaker.memory.sql.runs import commit, entry_text

        work = partial(
            commit,
            run=run,
            data=to_json(run.data),
            happened=[*map(entry_text, entries)],
            messages=[*map(message_to_json, turns)],
        )
        await self._write(run.scope, work)

    async def run(self, run_id: str) -> RunRecord:
        from agentmaker.memory.sql.runs import read_run

        return await self._read(run_id, partial(read_run, run_id=run_id))

    async def claim(self, run_id: str, owner: str, *, of: str | None = None) -> RunRecord:
        from agentmaker.memory.sql.runs import claim

        return await self._write(run_id, partial(claim, run_id=run_id, owner=owner, of=of))

    async def entries(self, run_id: str) -> tuple[Entry, ...]:
        from agentmaker.memory.sql.runs import read_entries

        return await self._read(run_id, partial(read_entries, run_id=run_id))

    async def runs(
        self, scope: Scope | None = None, *, status: Status | None = None, limit: int = 100
    ) -> tuple[RunRecord, ...]:
        from agentmaker.memory.sql.runs import read_runs

        work = partial(read_runs, scope=scope, status=status, limit=limit)
        return await self._read(scope, work)

    async def put(self, scope: Scope, document: Document) -> None:
        from agentmaker.memory.sql.documents import put

        await self._write(scope, partial(put, scope=scope, document=document))

    async def document(self, scope: Scope, kind: str, name: str) -> Document | None:
        from agentmaker.memory.sql.documents import read_document

        return await self._read(scope, partial(read_document, scope=scope, kind=kind, name=name))

    async def documents(self, scope: Scope, kind: str) -> tuple[Document, ...]:
        from agentmaker.memory.sql.documents import read_documents

        return await self._read(scope, partial(read_documents, scope=scope, kind=kind))

    async def read(self, scope: Scope, kind: str, names: Sequence[str]) -> tuple[Document, ...]:
        from agentmaker.memory.sql.documents import read_named

        work = partial(read_named, scope=scope, kind=kind, names=tuple(names))
        return await self._read(scope, work)

    async def remove(self, scope: Scope, kind: str, name: str) -> bool:
        from agentmaker.memory.sql.documents import remove

        return await self._write(scope, partial(remove, scope=scope, kind=kind, name=name))

    async def stamp(self, scope: Scope, kind: str) -> str:
        from agentmaker.memory.sql.documents import read_stamp

        return await self._read(scope, partial(read_stamp, scope=scope, kind=kind))

    async def aclose(self) -> None:
        """Give back what this process opened; the next use opens it again."""
        database = self._databases.pop(os.getpid(), None)
        if database is not None:
            with CancelScope(shield=True):
                await to_thread.run_sync(database.close, limiter=CapacityLimiter(1))

    async def _read(self, key: Hashable, work: Callable[[Connection], T]) -> T:
        return await self._database().reads.do(key, work)

    async def _write(self, key: Hashable, work: Callable[[Connection], T]) -> T:
        return await self._database().writes.do(key, work)

    def _database(self) -> Database:
        found = self._databases.get(os.getpid())
        return found or self._databases.setdefault(os.getpid(), database_at(self._url))


def _close_own(databases: dict[int, Database]) -> None:
    database = databases.get(os.getpid())
    if database is not None:
        database.close()
