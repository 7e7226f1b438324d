"""The one door through which errors of the database leave: as a `StoreError`, without content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError, SQLAlchemyError

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

_OF_ITSELF = (DatabaseError, DBAPIError, OperationalError)

_OTHERWISE = "see that it runs and can be reached, then try again"


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Raise errors of the database at *place* as a `StoreError` that says what to do."""
    try:
        yield
    except SQLAlchemyError as error:
        raise StoreError(_sentence(place, error)) from error


def _sentence(place: str, error: SQLAlchemyError) -> str:
    cause = error.orig if isinstance(error, DBAPIError) else error
    words = str(cause).lower()
    hint = next((hint for word, hint in _HINTS.items() if word in words), _OTHERWISE)
    # Of its own state the database speaks freely; of a statement it may quote what is in it.
    said = str(cause).strip().partition("\n")[0] if type(error) in _OF_ITSELF else ""
    return f"the store {place} failed ({said or type(cause).__name__}): {hint}"
