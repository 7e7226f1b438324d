"""What a user may attach that is no source yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from agentmaker.errors import ConfigError
from agentmaker.tasks.source import TaskSource

Attachable: TypeAlias = TaskSource | str | Path | Sequence[Mapping[str, Any]]
"""A source, the path of a folder, or records."""


def read_source(given: Attachable) -> TaskSource:
    """Raises ConfigError: the path is no folder, or the records are none."""
    if isinstance(given, (str, Path)):
        from agentmaker.tasks.sources.folder import FolderSource

        return FolderSource(given)
    if isinstance(given, (list, tuple)):
        from agentmaker.tasks.sources.records import RecordsSource

        return RecordsSource(given)
    if isinstance(given, TaskSource):
        return given
    raise ConfigError(
        f"{type(given).__name__} is no source: give it id, kind, pages() and read(), or use one "
        "of agentmaker.tasks.sources"
    )


def check_name(name: object) -> str:
    """Raises ConfigError: it is no string, or empty."""
    if isinstance(name, str) and name:
        return name
    raise ConfigError(f"a task's name is a key of source_ratios, not {name!r}")
