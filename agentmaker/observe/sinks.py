"""Where the record of a request can go: the program's own log, a file, or memory.

Each sink is a ``Sink``: something called with one record. None of them sees content.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from agentmaker.calls.recording import EVENT, Record
from agentmaker.errors import ConfigError
from agentmaker.observe.clean import clean_fields, to_line

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger


class StructlogSink:
    """Log one ``agentmaker.request`` event a request, the way the program set structlog up."""

    def __call__(self, record: Record, /) -> None:
        _logger().info(EVENT, **clean_fields(record.fields()))


class JsonlSink:
    """Append one line of strict JSON a request to the file at *path*.

    The file and its folder are made with the first record. It is opened for each one, so
    that it may be rotated or removed at any time and no handle has to be closed. Safe to
    share between threads.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()

    def __call__(self, record: Record, /) -> None:
        line = to_line(record.fields()).encode() + b"\n"
        with self._lock:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Unbuffered: the line reaches the file in one write, whole beside other processes'.
            with self.path.open("ab", buffering=0) as file:
                file.write(line)


@dataclass(slots=True)
class MemorySink:
    """Keep the newest *maximum* records.

    Raises:
        ConfigError: *maximum* is below 1.
    """

    maximum: int = 1000
    _records: deque[Record] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.maximum < 1:
            raise ConfigError(f"MemorySink(maximum) must be at least 1, not {self.maximum}")
        self._records = deque(maxlen=self.maximum)

    def __call__(self, record: Record, /) -> None:
        self._records.append(record)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self._records)

    @property
    def records(self) -> tuple[Record, ...]:
        """What is kept, oldest first."""
        return tuple(self._records)

    @property
    def last(self) -> Record | None:
        """The newest record, None before the first."""
        return self._records[-1] if self._records else None

    def clear(self) -> None:
        """Forget every record."""
        self._records.clear()


def _logger() -> FilteringBoundLogger:
    import structlog

    logger: FilteringBoundLogger = structlog.get_logger("agentmaker")
    return logger
