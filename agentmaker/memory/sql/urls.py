"""From what a user gives to the database it means."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING

from agentmaker.errors import ConfigError

if TYPE_CHECKING:
    from sqlalchemy import URL

    from agentmaker.memory.sql.database import Database

_DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}


def database_at(url: str | PathLike[str]) -> Database:
    """The database of *url*, not opened yet.

    Raises:
        ConfigError: it is none that we know, or a library is missing.
    """
    try:
        return _database_at(_parsed(fspath(url)))
    except ImportError as error:
        extra = "store" if error.name == "sqlalchemy" else "postgres"
        raise ConfigError(
            f"a library of the store is missing: pip install 'agentmaker-runtime[{extra}]'"
        ) from error


def _parsed(url: str) -> URL:
    from sqlalchemy import URL, make_url
    from sqlalchemy.exc import ArgumentError

    if "://" not in url:
        return URL.create("sqlite", database=url)
    scheme = url.partition("://")[0]
    if scheme not in _DRIVERS:
        raise ConfigError(
            f"a store cannot be kept in {scheme!r}: "
            "give a path, sqlite:///a-file.db or postgresql://user@host/database"
        )
    try:
        return make_url(url).set(drivername=_DRIVERS[scheme])
    except (ArgumentError, ValueError):
        # Without the cause: it may show the password.
        raise ConfigError(
            f"the store's {scheme} URL cannot be read: write it as {scheme}://user@host/database "
            "and percent-encode what is special in it"
        ) from None


def _database_at(url: URL) -> Database:
    from agentmaker.memory.sql.postgresql import PostgreSQL
    from agentmaker.memory.sql.sqlite import SQLite

    if url.drivername != "sqlite":
        import psycopg  # noqa: F401

        return PostgreSQL(url, f"{url.host or 'localhost'}/{url.database}")
    if not url.database or ":memory:" in url.database or url.query.get("mode") == "memory":
        raise ConfigError("a SQLite store needs a file: name one, or use MemoryStore()")
    return SQLite(url, url.database)
