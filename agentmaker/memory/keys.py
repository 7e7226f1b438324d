"""Which part of a store a `Scope` names."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from agentmaker.errors import ConfigError
from agentmaker.scope import Scope


def session_id(session: Scope) -> str:
    """The id of the session that *session* names.

    Raises:
        ConfigError: it names none.
    """
    if session.session is None:
        raise ConfigError("no session is named: give Scope(session=...) the session's id")
    return session.session


@lru_cache(maxsize=1_000)  # every step of a run asks it
def owner_of(scope: Scope) -> Scope:
    """Whose *scope* is, whatever the session."""
    return replace(scope, session=None)


def belongs(scope: Scope, to: Scope) -> bool:
    """Whether *scope* is *to*, or one of its sessions where it names none."""
    return scope == to or (to.session is None and owner_of(scope) == to)
