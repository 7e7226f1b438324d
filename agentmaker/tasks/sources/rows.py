"""The statements that read a table's rows: all of them by pages, and one by its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Engine,
    LargeBinary,
    MetaData,
    RowMapping,
    Select,
    String,
    Table,
    TypeDecorator,
    cast,
    func,
    inspect,
    select,
    type_coerce,
)
from sqlalchemy.exc import NoSuchTableError
from sqlalchemy.types import TypeEngine

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
        """Every row whose key is its own, by their keys, no more than `PAGE` in memory."""
        own = () if self.unique else (self.key.not_in(self._repeated()),)
        statement = self._select().where(self.key.is_not(None), *own).order_by(self.key)
        yield from connection.execute(statement, execution_options={"yield_per": PAGE}).mappings()

    def one(self, connection: Connection, ref: str) -> RowMapping | None:
        """The row of exactly that key; None where there is none, or more than one."""
        for condition in self._named(ref):
            found = connection.execute(self._select().where(condition)).mappings()
            rows = [row for row in found if str(row[KEY]) == ref]
            if rows:
                return rows[0] if len(rows) == 1 else None
        return None

    def _named(self, ref: str) -> Iterator[ColumnElement[bool]]:
        """By its value, which an index finds; then as text: it may not be of its column's type."""
        kind = _type_of(self.key)
        with suppress(ArithmeticError, ValueError):
            if kind in _READ:
                yield self.key == _READ[kind](ref)
        yield cast(self.key, String) == ref

    def repeated(self, connection: Connection) -> Sequence[Any]:
        """The first keys that several rows have."""
        if self.unique:
            return ()
        return connection.execute(self._repeated().order_by(self.key).limit(PAGE)).scalars().all()

    def without_key(self, connection: Connection) -> int:
        counted = select(func.count()).select_from(self.key.table)
        return connection.execute(counted.where(self.key.is_(None), *self.where)).scalar_one()

    def _select(self) -> Select[Any]:
        return select(_lenient(self.key, KEY), *map(_lenient, self.columns)).where(*self.where)

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


class _Lenient(TypeDecorator[Any]):
    """The value that *of* makes of what is stored, or what is stored where it cannot."""

    impl = String
    cache_ok = True

    def __init__(self, of: TypeEngine[Any]) -> None:
        super().__init__()
        self.of = of

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(self.of)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        process = super().result_processor(dialect, coltype)

        def read(value: Any) -> Any:
            try:
                return process(value) if process else value
            except (ArithmeticError, TypeError, ValueError):
                return value

        return read if process else None


def _lenient(column: Column[Any], label: str = "") -> ColumnElement[Any]:
    return type_coerce(column, _Lenient(column.type)).label(label or column.name)


def _type_of(column: Column[Any]) -> type:
    try:
        return column.type.python_type
    except NotImplementedError:
        return str
