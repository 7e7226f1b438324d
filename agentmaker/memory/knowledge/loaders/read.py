"""What a loader makes of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from agentmaker.errors import ConfigError

MOST_BYTES = 64_000_000
"""Of a file, and of what is packed in it."""

MOST_CHARACTERS = 16_000_000
"""Of the text in a file."""


class Unloadable(Exception):
    """Raised by a loader that cannot read a file; the words say why and what helps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A file's text, its structure as Markdown.

    Attributes:
        pages: the character at which each page begins; () where there are none.
        metadata: what the file says of itself, as JSON.
    """

    text: str
    title: str = ""
    pages: tuple[int, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def library_of_extra() -> Iterator[None]:
    """Around the import of a library that a loader needs.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{error.name} is missing, which reads such files: "
            'pip install "agentmaker-runtime[docs-loaders]"'
        ) from error


def checked_length(characters: int) -> int:
    """*characters*, where they are not too many.

    Raises:
        Unloadable: they are.
    """
    if characters > MOST_CHARACTERS:
        raise Unloadable(f"it has more than {MOST_CHARACTERS:,} characters: split it")
    return characters
