"""`TableSource`: the rows of a database's table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from agentmaker.errors import ConfigError, StoreError
from agentmaker.tasks.source import LONGEST_READ, Content, Descriptor, Problem, Unreadable
from agentmaker.tasks.sources.databases import engine_at
from agentmaker.tasks.sources.identity import checked_id, digest_of
from agentmaker.tasks.sources.listing import ListedSource, Listing
from agentmaker.tasks.sources.record_mapping import Field, RecordMapping, readable_text
from agentmaker.tasks.sources.texts import part_of, readable, revision_of
from agentmaker.tasks.sources.threads import in_thread

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Engine, RowMapping

    from agentmaker.tasks.sources.rows import Rows

T = TypeVar("T")


class TableSource(ListedSource):
    """The rows of *table*, by the values of its column *key*; made by `RecordsSource.table`.

    Every listing reads all rows, in one transaction; a read reads one. Rows without a key, and
    those that share one, are problems. A SQLite file is opened to be read alone.

    Args:
        url: a URL, the path of a SQLite file, or a SQLAlchemy ``Engine``, which stays yours.
        table: its name, after its schema's and a dot where it has one.
        columns: what is shown, in this order; by default all that hold no bytes.
        where: which rows: values by column, or a condition of SQLAlchemy's.
        text: one of *columns* to show, or a function of the row; None for all of them.
        title: likewise; None for the key.
        id: by default a digest of where the table is and of what is read of it.

    Raises:
        ConfigError: a setting cannot work, or a library is missing; when it is first read, that
            there is no such table or column.
        StoreError: (by its methods) the database cannot be read.
    """

    kind = "records"

    def __init__(
        self,
        url: str | Engine,
        table: str,
        *,
        key: str,
        columns: Sequence[str] | None = None,
        where: Mapping[str, Any] | ColumnElement[bool] | None = None,
        text: Field | None = None,
        title: Field | None = None,
        id: str | None = None,
    ) -> None:
        self.table = _checked_name("table", table)
        self._engine = engine_at(url)
        self._key = _checked_name("key", key)
        self._mapping = RecordMapping(key, text, title)
        self._columns = _checked_columns(columns, text, title)
        self._where = where
        self._place = self._engine.url.render_as_string(hide_password=True)
        self.id = checked_id(id) or digest_of(
            "records", self._place, table, key, self._columns, _written(where)
        )
        self._rows: Rows | None = None
        self._opening = Lock()

    def __repr__(self) -> str:
        return f"TableSource({self._place!r}, {self.table!r}, key={self._key!r})"

    async def listing(self, known: Mapping[str, Descriptor]) -> Listing:
        return await in_thread(self._do, self._list)

    async def read(self, ref: str, *, start: int = 0, limit: int = LONGEST_READ) -> Content:
        """At most *limit* characters of one row as it is now.

        Raises:
            Unreadable: there is none of that key, or more than one, or it cannot be shown.
        """
        try:
            text = await in_thread(self._do, partial(self._text, ref=ref))
        except StoreError as error:
            raise Unreadable("unreadable: the database failed") from error
        return part_of(text, revision_of(text.encode()), start, limit)

    def _do(self, work: Callable[[Connection, Rows], T]) -> T:
        with _translated(self._place):
            rows = self._opened()
            with self._engine.connect() as connection:
                return work(connection, rows)

    def _opened(self) -> Rows:
        from agentmaker.tasks.sources.rows import rows_of

        with self._opening:
            if self._rows is None:
                self._rows = rows_of(
                    self._engine, self.table, self._key, self._columns, self._where
                )
            return self._rows

    def _list(self, connection: Connection, rows: Rows) -> Listing:
        found: dict[str, Descriptor] = {}
        problems = [*_of_keys(connection, rows)]
        for row in rows.all(connection):
            ref = readable(str(_key_of(row)))
            described = self._mapping.described(ref, _shown(row))
            problems.extend(described.problems)
            if ref in found:
                problems.append(Problem(ref, "invalid", "two keys read alike: the first is shown"))
            elif described.descriptor is not None:
                found[ref] = described.descriptor
        return Listing(found, problems)

    def _text(self, connection: Connection, rows: Rows, *, ref: str) -> str:
        row = rows.one(connection, ref)
        if row is None:
            raise Unreadable("gone: no row, or more than one, has this key")
        return readable_text(self._mapping, ref, _shown(row))


def _key_of(row: RowMapping) -> object:
    from agentmaker.tasks.sources.rows import KEY

    return row[KEY]


def _shown(row: RowMapping) -> dict[str, Any]:
    from agentmaker.tasks.sources.rows import KEY

    return {name: value for name, value in row.items() if name != KEY}


def _of_keys(connection: Connection, rows: Rows) -> Iterator[Problem]:
    if lost := rows.without_key(connection):
        yield Problem("", "missing_field", f"rows without a key: {lost}")
    for key in rows.repeated(connection):
        yield Problem(readable(str(key)), "invalid", "several rows have this key")


@contextmanager
def _translated(place: str) -> Iterator[None]:
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except SQLAlchemyError as error:
        raise StoreError(
            f"the table's database {place} failed ({type(error).__name__}): "
            "see that it runs, can be reached, and that its tables may be read"
        ) from error


def _written(where: Mapping[str, Any] | ColumnElement[bool] | None) -> object:
    """*where* as it prints in every process.

    Raises:
        ConfigError: it is no condition.
    """
    if where is None or isinstance(where, Mapping):
        return where
    compile = getattr(where, "compile", None)
    if not callable(compile):
        raise ConfigError(
            f"where must be values by column or a condition of SQLAlchemy's, "
            f"not {type(where).__name__}: such as {{'team': 'support'}}"
        )
    compiled = compile()
    return [str(compiled), compiled.params]


def _checked_name(what: str, name: object) -> str:
    if isinstance(name, str) and name.strip("."):
        return name
    raise ConfigError(f"{what} must be a name, as in {what}='tickets', not {name!r}")


def _checked_columns(
    columns: Sequence[str] | None, *fields: Field | None
) -> tuple[str, ...] | None:
    if columns is None:
        return None
    if isinstance(columns, str) or not columns:
        raise ConfigError(f"columns must be a list of names, or None for all, not {columns!r}")
    for field in fields:
        if isinstance(field, str) and field not in columns:
            raise ConfigError(f"text= and title= are read from columns=: name {field!r} there too")
    return tuple(columns)
