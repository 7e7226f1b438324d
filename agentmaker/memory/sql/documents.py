"""Documents, within a transaction of the caller."""

from __future__ import annotations

from sqlalchemy import Connection, RowMapping, literal, select

from agentmaker.memory.records import Document
from agentmaker.memory.sql.codec import from_microseconds, to_microseconds
from agentmaker.memory.sql.tables import documents, key_of, scope_key
from agentmaker.memory.sql.upsert import insert_into
from agentmaker.scope import Scope


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


def _document(row: RowMapping) -> Document:
    return Document(
        kind=row["kind"],
        name=row["name"],
        text=row["text"],
        gist=row["gist"],
        updated=from_microseconds(row["updated"]),
    )
