"""What a user may attach that is no source yet."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from agentmaker.errors import ConfigError
from agentmaker.tasks.source import TaskSource

Attachable: TypeAlias = TaskSource | str | Path
"""A source, or the path of a folder."""


def read_source(given: Attachable) -> TaskSource:
    """Raises ConfigError: the path is no folder."""
    if not isinstance(given, (str, Path)):
        return given
    from agentmaker.tasks.sources import FolderSource

    return FolderSource(given)


def check_name(name: object) -> str:
    """Raises ConfigError: it is no string, or empty."""
    if isinstance(name, str) and name:
        return name
    raise ConfigError(f"a task's name is a key of source_ratios, not {name!r}")
