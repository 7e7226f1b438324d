"""Reads files as text with its structure, one format a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from agentmaker.errors import LoadError
from agentmaker.memory.knowledge.loaders.docx import read_docx
from agentmaker.memory.knowledge.loaders.html import read_html
from agentmaker.memory.knowledge.loaders.markdown import read_markdown
from agentmaker.memory.knowledge.loaders.pdf import read_pdf
from agentmaker.memory.knowledge.loaders.plain import read_plain
from agentmaker.memory.knowledge.loaders.read import MOST_BYTES, Read, Unloadable

LOADERS: Mapping[str, Callable[[bytes], Read]] = {
    **dict.fromkeys((".txt", ".text", ".rst", ".log"), read_plain),
    **dict.fromkeys((".md", ".markdown"), read_markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml"), read_html),
    ".pdf": read_pdf,
    ".docx": read_docx,
}
"""By the end of a file's name, in small letters."""


def read_file(path: Path) -> Read:
    """The text of a file; blocks, so it wants a thread.

    Raises:
        LoadError: it cannot be read, is of no known kind, or holds no text.
        ConfigError: the library for its kind is not installed.
    """
    try:
        return _nonblank(_loader(path)(_bytes(path)))
    except Unloadable as error:
        raise LoadError(str(path), str(error)) from error
    except OSError as error:
        raise LoadError(str(path), f"{error.strerror or error}: check the path") from error


def _loader(path: Path) -> Callable[[bytes], Read]:
    if path.is_dir():
        raise Unloadable("the folder cannot be listed: check its permissions")
    loader = LOADERS.get(path.suffix.lower())
    if loader is None:
        path.stat()  # where nothing is there, that is what is wrong with it
        known = ", ".join(LOADERS)
        raise Unloadable(f"its name ends in none of {known}: add(text, name=...) takes any text")
    return loader


def _bytes(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise Unloadable("it is no regular file: leave it out")
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Unloadable(f"it has more than {MOST_BYTES:,} bytes: split it")
    return data


def _nonblank(read: Read) -> Read:
    if not read.text.strip():
        raise Unloadable("it holds no text: leave it out")
    return read
