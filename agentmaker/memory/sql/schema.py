"""Makes the tables on first use, and knows whose they are."""

from __future__ import annotations

from sqlalchemy import Connection, insert, inspect, select

from agentmaker.errors import ConfigError
from agentmaker.memory.sql.tables import VERSION, metadata, schema


def is_there(connection: Connection, place: str) -> bool:
    """Whether the tables exist.

    Raises:
        ConfigError: they are those of a later version.
    """
    if not inspect(connection).has_table(schema.name):
        return False
    version = connection.execute(select(schema.c.version)).scalar()
    if version is not None and version > VERSION:
        raise ConfigError(
            f"the store {place} was made by a later agentmaker (tables of version {version}, "
            f"this one knows {VERSION}): upgrade agentmaker-runtime, or give another place"
        )
    return version is not None


def create(connection: Connection, place: str) -> None:
    """Make the tables where they are not there yet; to be called by one at a time."""
    if not is_there(connection, place):
        metadata.create_all(connection)
        connection.execute(insert(schema).values(version=VERSION))
