"""What a program holds as plain data: a copy of dictionaries, lists and scalars alone."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, TypeAlias
from uuid import UUID

from agentmaker.context.knobs import kind_of
from agentmaker.errors import ConfigError

Data: TypeAlias = Any
"""A dictionary, a list, a `Table`, a string, a number, a date with or without a time, or None."""

DEEPEST = 64
"""Levels of nesting that can be shown."""

LONGEST_KEY = 150
"""Characters: what is longer is a value, and YAML's readers take it for no key."""

LARGEST = 10**640
"""Python may refuse to write numbers of more digits."""

_SCALARS = (str, int, float, date, type(None))  # bool is an int, datetime a date
AS_TEXT: dict[type, Callable[[Any], str]] = {
    Decimal: str,
    PurePath: str,
    UUID: str,
    time: time.isoformat,
    timedelta: str,
}
"""What is shown as text, and how; a class whose fields are not for a model adds itself."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows to be shown as a table: flat dictionaries, all with the same keys.

    >>> to_table(Table([{"code": "P0", "hours": 1}, {"code": "P1", "hours": 8}]))
    '| code | hours |\\n| --- | --- |\\n| P0 | 1 |\\n| P1 | 8 |'
    """

    rows: Sequence[Any]


def plain_data(value: Any, *, name: str) -> Data:
    """*value*, called *name*, as plain data that shares nothing with it.

    - Keys keep their order; the items of a set are sorted by their text.
    - Models and dataclasses become dictionaries, tuples lists, enums their values.
    - What YAML has no type for becomes text: decimals, paths, UUIDs, times, durations.

    Raises:
        ConfigError: a part of it is none of these; named by its place, as in ``info['team'][0]``.
    """
    return _plain(value, name, ())


def _plain(value: Any, name: str, above: tuple[int, ...]) -> Data:
    if isinstance(value, Enum):
        return _plain(value.value, name, above)
    if isinstance(value, _SCALARS):
        return _scalar(value, name)
    if write := _writer(value):
        return write(value)
    if id(value) in above:
        raise ConfigError(f"{name} contains itself: give it without the cycle")
    if len(above) >= DEEPEST:
        raise ConfigError(f"{name} is nested more than {DEEPEST} levels deep: give less of it")
    return _nested(value, name, (*above, id(value)))


def _nested(value: Any, name: str, above: tuple[int, ...]) -> Data:
    fields = _fields(value)
    if fields is not None:
        items = ((_key(key, name), key, item) for key, item in fields.items())
        return {read: _plain(item, f"{name}[{key!r}]", above) for read, key, item in items}
    if isinstance(value, Table):
        return Table(_rows(value.rows, name, above))
    if isinstance(value, Set):
        return sorted((_plain(item, name, above) for item in value), key=repr)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [_plain(item, f"{name}[{at}]", above) for at, item in enumerate(value)]
    raise ConfigError(
        f"{name} cannot be shown to a model ({kind_of(value)}): "
        "give text, numbers, dates, or dictionaries and lists of these"
    )


def _scalar(value: Any, name: str) -> Data:
    """*value* itself, or the plain value that a subclass of its type stands for."""
    if is_huge(value):
        raise ConfigError(f"{name} is a number of more than 640 digits: give it as text")
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return value if type(value) is kind else kind(value)
    return value


def is_huge(value: object) -> bool:
    """Whether *value* is a number of more digits than can be relied on to be written."""
    return isinstance(value, int) and abs(value) >= LARGEST


def _writer(value: Any) -> Callable[[Any], str] | None:
    return next((write for kind, write in AS_TEXT.items() if isinstance(value, kind)), None)


def _fields(value: Any) -> Mapping[Any, Any] | None:
    """The names and values that *value* is made of; None where it is no such thing."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, (type, Table)):
        return None
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    dump = getattr(value, "model_dump", None)
    dumped = dump() if callable(dump) else None
    return dumped if isinstance(dumped, Mapping) else None


def _key(key: Any, name: str) -> Any:
    key = key.value if isinstance(key, Enum) else key
    write = _writer(key)
    if write is None and (not isinstance(key, _SCALARS) or _is_nan(key)):
        raise ConfigError(f"{name} has a key that cannot be shown ({kind_of(key)}): make it text")
    read = write(key) if write else _scalar(key, f"a key of {name}")
    if isinstance(read, str) and len(read) > LONGEST_KEY:
        raise ConfigError(f"{name} has a key of {len(read)} characters: shorten it")
    return read


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _rows(rows: Any, name: str, above: tuple[int, ...]) -> list[dict[Any, Data]]:
    """The rows of a table, each with its columns in the order of the first one's."""
    plain = _plain(rows, name, above)
    columns = plain[0].keys() if _is_flat(plain) else ()
    if not columns or any(row.keys() != columns for row in plain):
        raise ConfigError(
            f"{name} is no table: give a list of flat dictionaries with the same keys, "
            "or give it without Table"
        )
    return [{column: row[column] for column in columns} for row in plain]


def _is_flat(rows: Any) -> bool:
    dictionaries = isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)
    return bool(dictionaries) and all(
        isinstance(cell, _SCALARS) for row in rows for cell in row.values()
    )
