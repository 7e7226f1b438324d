"""Documents, within a transaction of the caller."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, RowMapping, delete, literal, select

from agentmaker.memory.records import Document
from agentmaker.memory.sql.codec import from_microseconds, to_microseconds
from agentmaker.memory.sql.tables import documents, key_of, scope_key, stamps
from agentmaker.memory.sql.upsert import insert_into
from agentmaker.memory.stamps import new_stamp
from agentmaker.scope import Scope

_AT_ONCE = 500
"""Names in one query; SQLite takes a thousand values."""


def put(connection: Connection, scope: Scope, document: Document) -> None:
    key = {
        "scope": scope_key(scope),
        "kind": document.kind,
        "key": key_of(document.name),
    }
    values = {
        "name": document.name,
        "gist": document.gist,
        "text": document.text,
        "updated": to_microseconds(document.updated),
    }
    new = insert_into(documents, connection.dialect.name).values({**key, **values})
    connection.execute(new.on_conflict_do_update(index_elements=[*key], set_=values))
    _change_stamp(connection, scope, document.kind)


def remove(connection: Connection, scope: Scope, kind: str, name: str) -> bool:
    gone = delete(documents).where(
        documents.c.scope == scope_key(scope),
        documents.c.kind == kind,
        documents.c.key == key_of(name),
    )
    if not connection.execute(gone).rowcount:
        return False
    _change_stamp(connection, scope, kind)
    return True


def read_stamp(connection: Connection, scope: Scope, kind: str) -> str:
    found = select(stamps.c.stamp).where(stamps.c.scope == scope_key(scope), stamps.c.kind == kind)
    return connection.execute(found).scalar() or ""


def read_document(connection: Connection, scope: Scope, kind: str, name: str) -> Document | None:
    found = select(documents).where(
        documents.c.scope == scope_key(scope),
        documents.c.kind == kind,
        documents.c.key == key_of(name),
    )
    row = connection.execute(found).mappings().one_or_none()
    return _document(row) if row else None


def read_documents(connection: Connection, scope: Scope, kind: str) -> tuple[Document, ...]:
    columns = [column for column in documents.c if column.name != "text"]
    found = (
        select(*columns, literal("").label("text"))
        .where(documents.c.scope == scope_key(scope), documents.c.kind == kind)
        .order_by(documents.c.updated.desc(), documents.c.name.desc())
    )
    return tuple(map(_document, connection.execute(found).mappings()))


def read_named(
    connection: Connection, scope: Scope, kind: str, names: Sequence[str]
) -> tuple[Document, ...]:
    keys = {name: key_of(name) for name in names}
    found = {}
    every = [*keys.values()]
    for first in range(0, len(every), _AT_ONCE):
        some = select(documents).where(
            documents.c.scope == scope_key(scope),
            documents.c.kind == kind,
            documents.c.key.in_(every[first : first + _AT_ONCE]),
        )
        found.update({row["key"]: row for row in connection.execute(some).mappings()})
    return tuple(_document(found[keys[name]]) for name in names if keys[name] in found)


def _change_stamp(connection: Connection, scope: Scope, kind: str) -> None:
    key = {"scope": scope_key(scope), "kind": kind}
    values = {"stamp": new_stamp()}
    new = insert_into(stamps, connection.dialect.name).values({**key, **values})
    connection.execute(new.on_conflict_do_update(index_elements=[*key], set_=values))


def _document(row: RowMapping) -> Document:
    return Document(
        kind=row["kind"],
        name=row["name"],
        text=row["text"],
        gist=row["gist"],
        updated=from_microseconds(row["updated"]),
    )
