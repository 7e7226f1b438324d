"""What every store can do, wherever it keeps things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agentmaker.memory.records import Document, Entry, RunRecord, SessionState, Status
from agentmaker.messages import Message
from agentmaker.scope import Scope


class Store(Protocol):
    """Sessions, runs and documents, each under the `Scope` it belongs to.

    - A method either does all it says or nothing, whatever fails in between.
    - Turns of one `append` or `commit` stand together, in the order of the commits.
    - What was returned as done survives the process.

    Raises:
        ConfigError: a session is to be read or written, and the scope names none.
        StoreError: what keeps the data cannot be read or written; what was kept is intact.
    """

    async def state(self, session: Scope) -> SessionState:
        """The state of a session; a new one where there is none yet."""
        ...

    async def turns(self, session: Scope, start: int = 0) -> tuple[Message, ...]:
        """All that was said in a session from turn *start* on, oldest first."""
        ...

    async def append(self, session: Scope, turns: Sequence[Message]) -> int:
        """Add *turns* at the end of a session; the number of turns it has then."""
        ...

    async def change(self, session: Scope, state: SessionState) -> SessionState:
        """Put *state* in the place of the one it was made from; as kept, with its new version.

        Raises:
            SessionError: the session was changed since.
        """
        ...

    async def sessions(self, scope: Scope) -> tuple[str, ...]:
        """The ids of a scope's sessions, the latest used first."""
        ...

    async def forget(self, session: Scope) -> None:
        """Delete a session with its turns and its state."""
        ...

    async def begin(self, run: RunRecord, entries: Sequence[Entry] = ()) -> None:
        """Keep a new run."""
        ...

    async def commit(
        self, run: RunRecord, entries: Sequence[Entry] = (), *, turns: Sequence[Message] = ()
    ) -> None:
        """Keep what happened since: *entries*, the run's status and data, *turns* of its session.

        Raises:
            SessionError: the run is done, has another owner by now, or is not known.
        """
        ...

    async def run(self, run_id: str) -> RunRecord:
        """A run as far as it has come.

        Raises:
            SessionError: there is no such run.
        """
        ...

    async def claim(self, run_id: str, owner: str, *, of: str | None = None) -> RunRecord:
        """Make *owner* the one who may commit to a run: in the place of *of*, None for anybody.

        Raises:
            SessionError: there is no such run, or it is another's than *of*'s by now.
        """
        ...

    async def entries(self, run_id: str) -> tuple[Entry, ...]:
        """Everything that happened in a run, in order; nothing for a run nobody knows."""
        ...

    async def runs(
        self, scope: Scope | None = None, *, status: Status | None = None, limit: int = 100
    ) -> tuple[RunRecord, ...]:
        """The latest changed runs, of every scope for None.

        A *scope* without a session stands for all of its sessions.
        """
        ...

    async def put(self, scope: Scope, document: Document) -> None:
        """Keep a document, in the place of one of its kind and name."""
        ...

    async def document(self, scope: Scope, kind: str, name: str) -> Document | None:
        """One document, None where there is none."""
        ...

    async def documents(self, scope: Scope, kind: str) -> tuple[Document, ...]:
        """The documents of a kind with an empty ``text``, the latest changed first."""
        ...

    async def read(self, scope: Scope, kind: str, names: Sequence[str]) -> tuple[Document, ...]:
        """The documents of these names with their texts, in that order; none where there is none.

        All are read at once: who asks keeps to as many as memory may hold.
        """
        ...

    async def remove(self, scope: Scope, kind: str, name: str) -> bool:
        """Delete a document; whether there was one."""
        ...

    async def stamp(self, scope: Scope, kind: str) -> str:
        """Another text after every change of the scope's documents of a kind, whoever made it.

        One that was read before the documents themselves tells whether these are still the same.
        """
        ...

    async def aclose(self) -> None:
        """Give back what was opened; the next use opens it again."""
        ...
