"""A source bound to a task: for whom, and with what claim."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from agentmaker.context.knobs import check_count
from agentmaker.errors import ConfigError
from agentmaker.tasks.filters import names
from agentmaker.tasks.source import TaskSource
from agentmaker.tasks.sources.identity import RECORDS, records_id

Attachable: TypeAlias = TaskSource | str | Path | Sequence[Mapping[str, Any]]
"""A source, the path of a folder, or records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One source of a task.

    Attributes:
        source_id: the source's own as it was when it was bound.
        consumers: who may see it, None for everyone.
        required: a fault of it stops a read, and all it has is read first.
        priority: added to that of its descriptors.
        metadata: JSON, for the application.
    """

    id: str
    source: TaskSource
    source_id: str
    consumers: frozenset[str] | None = None
    required: bool = False
    priority: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def is_for(self, consumer: str) -> bool:
        return self.consumers is None or consumer in self.consumers

    def facts(self) -> list[Any]:
        """What of it makes a task another one."""
        consumers = None if self.consumers is None else sorted(self.consumers)
        return [self.id, self.source_id, consumers, self.required, self.priority, self.metadata]


def bind(
    given: Attachable,
    *,
    binding_id: str | None,
    consumers: Iterable[str] | None,
    required: bool,
    priority: int,
    metadata: Mapping[str, Any] | None,
    kept: bool,
) -> Binding:
    """Check what a user attaches; *kept* where its index outlives the task, or serves others.

    Raises:
        ConfigError: it is no source, or an option is not what it should be.
    """
    name = None if binding_id is None else _text("binding_id", binding_id)
    source = _source(given, name)
    own = _text("a source's id", source.id)
    if kept and own == records_id(RECORDS):
        raise ConfigError(
            "records need a name to be found by in an index that is kept: "
            "attach RecordsSource(records, name='tickets')"
        )
    return Binding(
        id=name or own,
        source=source,
        source_id=own,
        consumers=None if consumers is None else frozenset(names("consumers", consumers)),
        required=bool(required),
        priority=check_count("priority", priority, least=-1_000_000),
        metadata=_json(metadata or {}),
    )


def _text(what: str, value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ConfigError(f"{what} must be a string that is not empty, not {value!r}")


def _json(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        copy: Mapping[str, Any] = json.loads(json.dumps(dict(metadata)))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"metadata must be JSON ({error}): keep other things elsewhere") from None
    return copy


def _source(given: Attachable, name: str | None) -> TaskSource:
    if isinstance(given, (str, Path)):
        from agentmaker.tasks.sources.folder import FolderSource

        return FolderSource(given)
    if isinstance(given, (list, tuple)):
        from agentmaker.tasks.sources.records import RecordsSource

        return RecordsSource(given, name=name or RECORDS)
    if isinstance(given, TaskSource):
        return given
    raise ConfigError(
        f"{type(given).__name__} is no source: give it id, kind, pages() and read(), or use one "
        "of agentmaker.tasks.sources"
    )
