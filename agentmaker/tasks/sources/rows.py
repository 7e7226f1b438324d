"""The statements that read a table's rows: all of them by pages, and one by its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    LargeBinary,
    MetaData,
    RowMapping,
    Select,
    Table,
    func,
    inspect,
    select,
)
from sqlalchemy.exc import NoSuchTableError

from agentmaker.errors import ConfigError
from agentmaker.tasks.source import PAGE

KEY = "agentmaker_key"

_READ: dict[type, Callable[[str], Any]] = {
    int: int,
    float: float,
    Decimal: Decimal,
    UUID: UUID,
    date: date.fromisoformat,
    datetime: datetime.fromisoformat,
}


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table; *unique* says whether the database keeps keys from being repeated."""

    key: Column[Any]
    columns: tuple[Column[Any], ...]
    where: tuple[ColumnElement[bool], ...]
    unique: bool

    def all(self, connection: Connection) -> Iterator[RowMapping]:
        """Every row whose key is its own, by their keys, `PAGE` at a time."""
        own = () if self.unique else (self.key.not_in(self._repeated()),)
        statement = self._select().where(self.key.is_not(None), *own)
        page = connection.execute(statement.order_by(self.key).limit(PAGE)).mappings().all()
        while page:
            yield from page
            after = statement.where(self.key > page[-1][KEY]).order_by(self.key).limit(PAGE)
            page = connection.execute(after).mappings().all() if len(page) == PAGE else ()

    def one(self, connection: Connection, ref: str) -> RowMapping | None:
        """The row of exactly that key; None where there is none, or more than one."""
        try:
            value = _READ.get(_type_of(self.key), str)(ref)
        except (ArithmeticError, ValueError):
            return None
        found = connection.execute(self._select().where(self.key == value).limit(2)).mappings()
        rows = [row for row in found if str(row[KEY]) == ref]
        return rows[0] if len(rows) == 1 else None

    def repeated(self, connection: Connection) -> Sequence[Any]:
        """The first keys that several rows have."""
        if self.unique:
            return ()
        return connection.execute(self._repeated().order_by(self.key).limit(PAGE)).scalars().all()

    def without_key(self, connection: Connection) -> int:
        counted = select(func.count()).select_from(self.key.table)
        return connection.execute(counted.where(self.key.is_(None), *self.where)).scalar_one()

    def _select(self) -> Select[Any]:
        return select(self.key.label(KEY), *self.columns).where(*self.where)

    def _repeated(self) -> Select[Any]:
        keys = select(self.key).where(self.key.is_not(None), *self.where)
        return keys.group_by(self.key).having(func.count() > 1)


def rows_of(
    engine: Engine,
    name: str,
    key: str,
    columns: Sequence[str] | None,
    where: Mapping[str, Any] | ColumnElement[bool] | None,
) -> Rows:
    """The rows of the table *name*; columns of bytes are left out unless they are named.

    Raises:
        ConfigError: there is no such table or column.
        SQLAlchemyError: the database cannot be read.
    """
    table = _table(engine, name)
    shown = [*columns] if columns is not None else [*map(_name, filter(_shown, table.columns))]
    return Rows(
        key=_column(table, key),
        columns=tuple(_column(table, each) for each in shown),
        where=_conditions(table, where),
        unique=_is_unique(engine, table, key),
    )


def _table(engine: Engine, name: str) -> Table:
    schema, _, bare = name.rpartition(".")
    try:
        return Table(
            bare, MetaData(), schema=schema or None, autoload_with=engine, resolve_fks=False
        )
    except NoSuchTableError:
        raise ConfigError(f"the database has no table {name!r}: name one it has") from None


def _column(table: Table, name: str) -> Column[Any]:
    column = table.columns.get(name)
    if column is None:
        has = ", ".join(table.columns.keys())
        raise ConfigError(f"the table {table.name} has no column {name!r}: it has {has}")
    return column


def _conditions(
    table: Table, where: Mapping[str, Any] | ColumnElement[bool] | None
) -> tuple[ColumnElement[bool], ...]:
    if where is None:
        return ()
    if not isinstance(where, Mapping):
        return (where,)
    return tuple(_column(table, name) == value for name, value in where.items())


def _is_unique(engine: Engine, table: Table, key: str) -> bool:
    found = inspect(engine)
    unique = [found.get_pk_constraint(table.name, table.schema)["constrained_columns"]]
    constraints = found.get_unique_constraints(table.name, table.schema)
    unique.extend(each["column_names"] for each in constraints)
    return [key] in unique


def _shown(column: Column[Any]) -> bool:
    return not isinstance(column.type, LargeBinary)


def _name(column: Column[Any]) -> str:
    return column.name


def _type_of(column: Column[Any]) -> type:
    try:
        return column.type.python_type
    except NotImplementedError:
        return str
