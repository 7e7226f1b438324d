"""One file below a root, read up to a bound."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from agentmaker.tasks.source import Unreadable
from agentmaker.tasks.sources.safe_open import opened_file
from agentmaker.tasks.sources.texts import HEAD, Binary, decoded, encoding_of, revision_of


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file; *cut* where more bytes follow, *lost* of them stand as U+FFFD."""

    text: str
    revision: str
    cut: bool = False
    lost: int = 0


def read_file(root: str, parts: Sequence[str], most: int) -> FileText:
    """The first *most* bytes of a file, as text.

    Raises:
        OSError: it cannot be opened or read.
        Binary: it is no text.
    """
    with opened_file(root, parts) as file:
        data = _bytes_of(file, most + 1)
    cut = len(data) > most
    data = data[:most] if cut else data
    text = decoded(data, cut=cut)
    return FileText(text.text, revision_of(data), cut, text.lost)


def read_or_refuse(root: str, parts: Sequence[str], most: int) -> FileText:
    """As `read_file`.

    Raises:
        Unreadable: for whatever reason.
    """
    try:
        return read_file(root, parts, most)
    except OSError as error:
        raise Unreadable(f"unreadable: {error.strerror or type(error).__name__}") from error
    except Binary as error:
        raise Unreadable(f"binary: {error}") from None


def _bytes_of(file: int, most: int) -> bytes:
    """At most so many; of what is no text, only the beginning is read."""
    data = bytearray(os.read(file, min(HEAD, most)))
    encoding_of(bytes(data))
    while len(data) < most and (more := os.read(file, min(most - len(data), 1 << 20))):
        data += more
    return bytes(data)
