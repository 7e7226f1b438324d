"""Whatever a user gives as records, as a function that gives them now."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from inspect import isawaitable
from typing import Any, TypeAlias

from agentmaker.context.threads import is_async
from agentmaker.errors import ConfigError
from agentmaker.tasks.sources.threads import in_thread

Records: TypeAlias = Iterable[Mapping[str, Any]]
RecordsInput: TypeAlias = (
    Records | Callable[[], Records | Awaitable[Records] | AsyncIterable[Mapping[str, Any]]]
)
RecordsReader: TypeAlias = Callable[[], Awaitable[Sequence[object]]]


def read_records_input(given: RecordsInput) -> RecordsReader:
    """What gives the records of *given* each time it is called.

    Raises:
        ConfigError: they are no records.
    """
    if callable(given):
        return _asked(given)
    kept = given if isinstance(given, Sequence) and not isinstance(given, str) else None
    records = kept if kept is not None else tuple(_iterable(given))
    _check(records)
    return _looked_at(records)


def _looked_at(records: Sequence[object]) -> RecordsReader:
    async def reader() -> Sequence[object]:
        return list(records)

    return reader


def _asked(function: Callable[[], Any]) -> RecordsReader:
    async def reader() -> Sequence[object]:
        given = function() if is_async(function) else await in_thread(function)
        given = await given if isawaitable(given) else given
        if isinstance(given, AsyncIterable):
            return [each async for each in given]
        return await in_thread(list, _iterable(given))

    return reader


def _iterable(given: object) -> Iterable[object]:
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)):
        return given
    raise ConfigError(
        f"records must be a list of dictionaries or a function that gives one, "
        f"not {type(given).__name__}: put a single record into a list"
    )


def _check(records: Sequence[object]) -> None:
    for at, each in enumerate(records):
        if not isinstance(each, Mapping):
            raise ConfigError(
                f"record {at} is a {type(each).__name__}, not a dictionary: "
                "make it one, as by frame.to_dict('records') or model.model_dump()"
            )
