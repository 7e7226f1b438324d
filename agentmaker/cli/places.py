"""From what is named on the command line to the object it means: an agent, a store."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from agentmaker.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from agentmaker.agents.base import BaseAgent
    from agentmaker.memory.sql.store import SessionStore


def store_at(url: str) -> SessionStore:
    """The store at *url*; none is made.

    Raises:
        StoreError: a file is named that is not there.
    """
    from agentmaker.memory.sql.sqlite import SQLite
    from agentmaker.memory.sql.store import SessionStore
    from agentmaker.memory.sql.urls import database_at

    database = database_at(url)
    if isinstance(database, SQLite) and not Path(database.place).exists():
        raise StoreError(
            f"there is no store at {database.place}: name one with --store or AGENTMAKER_STORE"
        )
    return SessionStore(url)


def agent_at(place: str) -> BaseAgent:
    """The agent at *place*, written as ``module:attribute``.

    Raises:
        ConfigError: there is none.
    """
    from agentmaker.agents.base import BaseAgent

    module, _, attribute = place.partition(":")
    if not (module and attribute) or module.startswith("."):
        raise ConfigError(f"--agent is module:attribute, such as app:agent; not {place!r}")
    found = getattr(_imported(module), attribute, None)
    if not isinstance(found, BaseAgent):
        raise ConfigError(f"{place} is no agent: name a variable of {module} that holds one")
    return found


def _imported(module: str) -> object:
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"cannot import {module} ({error}): run this where `import {module}` works"
        ) from error
