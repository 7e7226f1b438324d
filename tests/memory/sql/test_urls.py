from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agentmaker.errors import ConfigError
from agentmaker.memory.sql.store import SessionStore


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("store.db", "store.db"),
        (Path("a folder") / "100%.db", "a folder/100%.db"),
        ("sqlite:///store.db", "store.db"),
        ("sqlite+pysqlite:////srv/store.db", "/srv/store.db"),
        ("postgresql://ann:hunter2@host:5433/chats", "host/chats"),
        ("postgresql+psycopg://ann@host/chats", "host/chats"),
        ("postgresql:///chats?host=/run", "localhost/chats"),
    ],
)
def test_a_path_or_a_url_says_where_things_are_kept(url: str | Path, place: str) -> None:
    assert repr(SessionStore(url)) == f"SessionStore({place!r})"


def test_a_store_is_a_file_of_the_working_directory_by_default() -> None:
    assert repr(SessionStore()) == "SessionStore('agentmaker.db')"


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", ":memory:", ""])
def test_a_store_in_memory_is_another_class(url: str) -> None:
    with pytest.raises(ConfigError, match=r"or use MemoryStore\(\)"):
        SessionStore(url)


def test_other_databases_are_refused_in_words() -> None:
    with pytest.raises(ConfigError, match=r"cannot be kept in 'mysql': give a path, sqlite:"):
        SessionStore("mysql://ann:hunter2@host/chats")


def test_a_url_that_cannot_be_read_is_not_shown() -> None:
    with pytest.raises(ConfigError, match="percent-encode") as raised:
        SessionStore("postgresql://ann:hunter2@host:port/chats")
    assert "hunter2" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_sqlite_that_is_too_old_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 34, 1))
    with pytest.raises(ConfigError, match=r"needs 3\.35 or later"):
        SessionStore("store.db")


@pytest.mark.parametrize(
    ("library", "url", "extra"),
    [
        ("sqlalchemy", "store.db", r"agentmaker-runtime\[store\]"),
        ("psycopg", "postgresql://host/chats", r"agentmaker-runtime\[postgres\]"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(
    library: str, url: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ConfigError, match=extra):
        SessionStore(url)
