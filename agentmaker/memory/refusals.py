"""What a store says to who comes too late, or with a name nobody knows."""

from __future__ import annotations

from agentmaker.errors import SessionError


def changed_since(session_id: str) -> SessionError:
    return SessionError(
        f"session {session_id!r} was changed by somebody else meanwhile: "
        "read its state again and make the change from that"
    )


def unknown_run(run_id: str) -> SessionError:
    return SessionError(
        f"no run {run_id!r} is kept in this store: look its id up with its runs() "
        "or `agentmaker runs`, or name the store that has it"
    )


def known_already(run_id: str) -> SessionError:
    return SessionError(f"a run {run_id!r} is kept already: give the new one an id of its own")


def owned_by_another(run_id: str) -> SessionError:
    return SessionError(
        f"run {run_id!r} was resumed somewhere else: end this attempt, or claim the run anew"
    )


def done_already(run_id: str) -> SessionError:
    return SessionError(
        f"run {run_id!r} is done, and its turns are in its session: ask a question of its own"
    )
