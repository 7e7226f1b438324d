"""A store within the process: bounded, fast, and gone with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from threading import Lock

from agentmaker.errors import ConfigError, StoreError
from agentmaker.memory.keys import belongs, owner_of, session_id
from agentmaker.memory.records import Document, Entry, RunRecord, SessionState, Status
from agentmaker.memory.refusals import (
    changed_since,
    done_already,
    known_already,
    owned_by_another,
    unknown_run,
)
from agentmaker.memory.shelf import Shelf
from agentmaker.memory.stamps import Stamps
from agentmaker.messages import Message
from agentmaker.scope import Scope

UNFINISHED: tuple[Status, ...] = ("running", "waiting")


@dataclass(slots=True)
class _Session:
    id: str
    owner: Scope
    used: int = 0
    state: SessionState = field(default_factory=SessionState)
    turns: list[Message] = field(default_factory=list)


@dataclass(slots=True)
class _Run:
    record: RunRecord
    entries: list[Entry]


class MemoryStore:
    """A `Store` that keeps the very objects it is given: they must not be changed afterwards.

    What was not used for longest makes room: sessions, finished runs, documents. Runs that are
    ``"running"`` or ``"waiting"`` and their sessions stay.

    Args:
        max_sessions: sessions, those of unfinished runs not counted.
        max_turns: messages of all sessions together.
        max_runs: runs, unfinished ones not counted.
        max_unfinished: unfinished runs.
        max_entries: entries of all runs together.
        max_documents: documents.
        max_characters: characters of all documents together.

    Raises:
        ConfigError: a maximum is less than 1.
        StoreError: what may not make room is more than a maximum, in any method that keeps.
    """

    def __init__(
        self,
        *,
        max_sessions: int = 1_000,
        max_turns: int = 200_000,
        max_runs: int = 1_000,
        max_unfinished: int = 10_000,
        max_entries: int = 500_000,
        max_documents: int = 1_000,
        max_characters: int = 50_000_000,
    ) -> None:
        self._max_unfinished = _positive("max_unfinished", max_unfinished)
        self._sessions: Shelf[Scope, _Session] = Shelf(
            most=_positive("max_sessions", max_sessions),
            heaviest=_positive("max_turns", max_turns),
            full=_full("max_turns", max_turns),
        )
        self._runs: Shelf[str, _Run] = Shelf(
            most=_positive("max_runs", max_runs),
            heaviest=_positive("max_entries", max_entries),
            full=_full("max_entries", max_entries),
        )
        self._documents: Shelf[tuple[Scope, str, str], Document] = Shelf(
            most=_positive("max_documents", max_documents),
            heaviest=_positive("max_characters", max_characters),
            full=_full("max_characters", max_characters),
        )
        self._stamps = Stamps(most=max_documents)
        self._unfinished: set[str] = set()
        self._ticks = count(1)
        self._lock = Lock()

    async def state(self, session: Scope) -> SessionState:
        with self._lock:
            return self._session(session).state

    async def turns(self, session: Scope, start: int = 0) -> tuple[Message, ...]:
        with self._lock:
            return tuple(self._session(session).turns[max(start, 0) :])

    async def append(self, session: Scope, turns: Sequence[Message]) -> int:
        with self._lock:
            held = self._session(session)
            self._keep(session, held, turns)
            return len(held.turns)

    async def change(self, session: Scope, state: SessionState) -> SessionState:
        with self._lock:
            held = self._session(session)
            if state.version != held.state.version or state.upto > len(held.turns):
                raise changed_since(session_id(session))
            self._keep(session, held)
            held.state = replace(state, version=state.version + 1)
            return held.state

    async def sessions(self, scope: Scope) -> tuple[str, ...]:
        owner = owner_of(scope)
        with self._lock:
            mine = [session for session in self._sessions if session.owner == owner]
        return tuple(session.id for session in sorted(mine, key=lambda one: -one.used))

    async def forget(self, session: Scope) -> None:
        with self._lock:
            self._sessions.drop(session)

    async def begin(self, run: RunRecord, entries: Sequence[Entry] = ()) -> None:
        with self._lock:
            if self._runs.get(run.id) is not None:
                raise known_already(run.id)
            self._check_unfinished(run)
            self._runs.check(run.id, len(entries))
            self._keep_run(_Run(run, list(entries)))

    async def commit(
        self, run: RunRecord, entries: Sequence[Entry] = (), *, turns: Sequence[Message] = ()
    ) -> None:
        with self._lock:
            held = self._own(run)
            self._check_unfinished(run)
            self._runs.check(run.id, len(held.entries) + len(entries))
            if turns:
                self._keep(held.record.scope, self._session(held.record.scope), turns)
            held.entries.extend(entries)
            held.record = held.record.gone_on(run.status, run.data)
            self._keep_run(held)

    async def run(self, run_id: str) -> RunRecord:
        with self._lock:
            return self._known(run_id).record

    async def claim(self, run_id: str, owner: str, *, of: str | None = None) -> RunRecord:
        with self._lock:
            held = self._known(run_id)
            if of not in (None, held.record.owner):
                raise owned_by_another(run_id)
            held.record = replace(held.record, owner=owner, updated=datetime.now(UTC))
            return held.record

    async def entries(self, run_id: str) -> tuple[Entry, ...]:
        with self._lock:
            held = self._runs.get(run_id)
            return tuple(held.entries) if held else ()

    async def runs(
        self, scope: Scope | None = None, *, status: Status | None = None, limit: int = 100
    ) -> tuple[RunRecord, ...]:
        with self._lock:
            found = [
                held.record
                for held in self._runs
                if (scope is None or belongs(held.record.scope, scope))
                and status in (None, held.record.status)
            ]
        found.sort(key=lambda run: (run.updated, run.id), reverse=True)
        return tuple(found[:limit])

    async def put(self, scope: Scope, document: Document) -> None:
        weight = len(document.name) + len(document.gist) + len(document.text)
        with self._lock:
            gone = self._documents.put((scope, document.kind, document.name), document, weight)
            self._stamps.change({(scope, document.kind), *(key[:2] for key in gone)})

    async def document(self, scope: Scope, kind: str, name: str) -> Document | None:
        with self._lock:
            return self._documents.get((scope, kind, name))

    async def documents(self, scope: Scope, kind: str) -> tuple[Document, ...]:
        with self._lock:
            found = [one for key, one in self._documents.items() if key[:2] == (scope, kind)]
        found.sort(key=lambda one: (one.updated, one.name), reverse=True)
        return tuple(replace(one, text="") for one in found)

    async def read(self, scope: Scope, kind: str, names: Sequence[str]) -> tuple[Document, ...]:
        with self._lock:
            found = [self._documents.get((scope, kind, name)) for name in names]
        return tuple(one for one in found if one is not None)

    async def remove(self, scope: Scope, kind: str, name: str) -> bool:
        with self._lock:
            there = self._documents.drop((scope, kind, name))
            if there:
                self._stamps.change({(scope, kind)})
            return there

    async def stamp(self, scope: Scope, kind: str) -> str:
        with self._lock:
            return self._stamps.of((scope, kind))

    async def aclose(self) -> None:
        """Nothing to give back: what is kept stays as long as the store."""

    def _session(self, session: Scope) -> _Session:
        held = self._sessions.get(session)
        return held or _Session(session_id(session), owner_of(session))

    def _keep(self, session: Scope, held: _Session, turns: Sequence[Message] = ()) -> None:
        self._sessions.put(session, held, len(held.turns) + len(turns))
        held.turns.extend(turns)
        held.used = next(self._ticks)

    def _known(self, run_id: str) -> _Run:
        held = self._runs.get(run_id)
        if held is None:
            raise unknown_run(run_id)
        return held

    def _own(self, run: RunRecord) -> _Run:
        held = self._known(run.id)
        if held.record.owner != run.owner:
            raise owned_by_another(run.id)
        if held.record.status == "done":
            raise done_already(run.id)
        return held

    def _check_unfinished(self, run: RunRecord) -> None:
        new = run.status in UNFINISHED and run.id not in self._unfinished
        if new and len(self._unfinished) >= self._max_unfinished:
            raise StoreError(_full("max_unfinished", self._max_unfinished))

    def _keep_run(self, held: _Run) -> None:
        run, unfinished = held.record, held.record.status in UNFINISHED
        if unfinished and run.id not in self._unfinished:
            self._unfinished.add(run.id)
            self._runs.pin(run.id)
            self._sessions.pin(run.scope)
        self._runs.put(run.id, held, len(held.entries))
        if not unfinished and run.id in self._unfinished:
            self._unfinished.discard(run.id)
            self._runs.unpin(run.id)
            self._sessions.unpin(run.scope)


def _positive(name: str, value: int) -> int:
    if value < 1:
        raise ConfigError(f"{name} must be at least 1, not {value!r}")
    return value


def _full(name: str, value: int) -> str:
    return (
        f"the store in memory holds all that {name}={value} allows: "
        "raise it, end what is unfinished, or keep things in a SessionStore"
    )
