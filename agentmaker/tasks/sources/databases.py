"""From what a user gives to the database whose rows are read."""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from agentmaker.errors import ConfigError

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine


def engine_at(given: str | Engine) -> Engine:
    """The engine of *given*, nothing opened yet; ours keeps no connection.

    Raises:
        ConfigError: it is none, its file is not there, or a library is missing.
    """
    try:
        return _engine_at(given)
    except ImportError as error:
        extra = "store" if error.name == "sqlalchemy" else "postgres"
        raise ConfigError(
            f"a library for tables is missing: pip install 'agentmaker-runtime[{extra}]', "
            "or the driver that the URL names"
        ) from error


def _engine_at(given: str | Engine) -> Engine:
    from sqlalchemy import Engine, NullPool, create_engine
    from sqlalchemy.exc import NoSuchModuleError

    if isinstance(given, Engine):
        return given
    url = _url(given)
    create = partial(create_engine, url, poolclass=NullPool, hide_parameters=True)
    if url.get_backend_name() == "sqlite":
        return create(creator=partial(_connect, _file_of(url)))
    try:
        return create()
    except NoSuchModuleError:
        raise ConfigError(
            f"SQLAlchemy knows no {url.drivername!r}: install what it needs, or mend the URL"
        ) from None


def _url(given: object) -> URL:
    from sqlalchemy import URL, make_url
    from sqlalchemy.exc import ArgumentError

    if not isinstance(given, (str, os.PathLike)):
        raise ConfigError(
            f"a table is read from a URL or a SQLAlchemy Engine, not {type(given).__name__}: "
            "of an AsyncEngine, give its sync_engine's URL"
        )
    text = os.fspath(given)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # Without the cause: it may show the password.
        raise ConfigError("the table's URL cannot be read: percent-encode its password") from None
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def _file_of(url: URL) -> str:
    path = os.path.abspath(url.database or "")
    if not url.database or not os.path.isfile(path):
        raise ConfigError(f"there is no SQLite file at {path}: give the path of one, or an Engine")
    return path


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, check_same_thread=False)
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection
