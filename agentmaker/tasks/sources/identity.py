"""Names of sources that are the same in every process."""

from __future__ import annotations

from agentmaker.digests import hashed
from agentmaker.errors import ConfigError
from agentmaker.plain import dumps

RECORDS = "records"
"""What records are called that have no name of their own."""


def records_id(name: str) -> str:
    return f"records:{name}"


def digest_of(kind: str, *facts: object) -> str:
    """*kind* and a digest of *facts*, which print the same in every process."""
    return f"{kind}:{hashed(dumps(facts), size=12).hex()}"


def checked_id(id: object) -> str:
    """*id*, "" for none.

    Raises:
        ConfigError: it is no text, or empty.
    """
    if id is None:
        return ""
    if isinstance(id, str) and id.strip():
        return id
    raise ConfigError(f"id must be a text that names the source, or None, not {id!r}")
