"""The one door through which errors of the database leave: as a `StoreError`, without content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from agentmaker.errors import StoreError

_FULL = "make room, then try again"
_HINTS = {
    "disk is full": _FULL,
    "no space left": _FULL,
    "disk i/o error": "see that the disk works and has room, then try again",
    "readonly": "give write permission, or another place",
    "read-only": "give write permission, or another place",
    "unable to open": "see that its folder exists and can be written to",
    "database is locked": "another process has been writing all the time: try again",
    "not a database": "it is no SQLite file: give the store another one",
    "malformed": "the file is damaged: restore a copy, or give the store another one",
    "authentication failed": "give the right user and password in the URL",
    "permission denied": "give its user the right to create and change tables",
    "does not exist": "create it, or mend the URL",
}
"""What to do, by what the database says."""

_OTHERWISE = "see that it runs and can be reached, then try again"


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Raise errors of the database at *place* as a `StoreError` that says what to do."""
    try:
        yield
    except SQLAlchemyError as error:
        raise StoreError(_sentence(place, error)) from error


def _sentence(place: str, error: SQLAlchemyError) -> str:
    said = _said(error)
    hint = next((hint for word, hint in _HINTS.items() if word in said.lower()), _OTHERWISE)
    return f"the store {place} failed ({said}): {hint}"


def _said(error: SQLAlchemyError) -> str:
    """The first line of what the database said of its own state; of a statement, only the kind."""
    if not isinstance(error, DBAPIError):
        return type(error).__name__
    words = str(error.orig).strip().partition("\n")[0]
    about_itself = isinstance(error, OperationalError) or type(error) is DBAPIError
    kind = type(error.orig).__name__
    return words if about_itself or "database" in words else kind
