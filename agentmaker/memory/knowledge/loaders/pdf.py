"""PDF: the text of its pages, and where each begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from agentmaker.memory.knowledge.loaders.read import (
    Read,
    Unloadable,
    checked_length,
    library_of_extra,
)

if TYPE_CHECKING:
    from pypdf import PdfReader

_BETWEEN = "\n\n"


def read_pdf(data: bytes) -> Read:
    with library_of_extra():
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, FileNotDecryptedError, WrongPasswordError
    try:
        reader = PdfReader(BytesIO(data))
        pages = list(_pages(reader))
        title = (reader.metadata.title if reader.metadata else None) or ""
    except Unloadable:
        raise
    except (DependencyError, FileNotDecryptedError, WrongPasswordError) as error:
        raise Unloadable("it is encrypted: save it without a password") from error
    except Exception as error:  # whatever a damaged file makes of the library's parsers
        raise Unloadable(
            f"it is damaged ({type(error).__name__}): print it to PDF again"
        ) from error
    if not any(pages):
        raise Unloadable("it has no text but images: run text recognition (OCR) over it")
    return Read(text=_BETWEEN.join(pages), title=title.strip(), pages=_starts(pages))


def _pages(reader: PdfReader) -> Iterator[str]:
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unloadable("it is encrypted: save it without a password")
    characters = 0
    for page in reader.pages:
        text = page.extract_text().strip()
        characters = checked_length(characters + len(text))
        yield text


def _starts(pages: Sequence[str]) -> tuple[int, ...]:
    at, starts = 0, []
    for page in pages:
        starts.append(at)
        at += len(page) + len(_BETWEEN)
    return tuple(starts)
