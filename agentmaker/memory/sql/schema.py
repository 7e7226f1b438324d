"""Makes the tables on first use, and knows whose they are."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, inspect, select

from agentmaker.errors import ConfigError
from agentmaker.memory.sql.tables import VERSION, metadata, schema


def is_current(connection: Connection, place: str) -> bool:
    """Whether all tables exist.

    Raises:
        ConfigError: they are those of a later version.
    """
    return found_version(connection, place) == VERSION


def found_version(connection: Connection, place: str) -> int:
    """The version of the tables that exist, 0 where there are none.

    Raises:
        ConfigError: it is a later one than ours.
    """
    if not inspect(connection).has_table(schema.name):
        return 0
    version = connection.execute(select(schema.c.version)).scalar() or 0
    if version > VERSION:
        raise ConfigError(
            f"the store {place} was made by a later agentmaker (tables of version {version}, "
            f"this one knows {VERSION}): upgrade agentmaker-runtime, or give another place"
        )
    return version


def create(connection: Connection, place: str) -> None:
    """Make the tables that are not there yet; to be called by one at a time.

    So far a later version only had tables more, which an earlier store is given here.
    """
    if not is_current(connection, place):
        metadata.create_all(connection)
        connection.execute(delete(schema))
        connection.execute(insert(schema).values(version=VERSION))
