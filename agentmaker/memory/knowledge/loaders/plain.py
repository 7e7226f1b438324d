"""Plain text, in the encodings that a file can tell."""

from __future__ import annotations

import codecs

from agentmaker.memory.knowledge.loaders.read import Read, Unloadable, checked_length

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read_plain(data: bytes) -> Read:
    return Read(text=decoded(data))


def decoded(data: bytes, otherwise: str = "utf-8") -> str:
    """The text of *data*, with line ends as ``\\n``: by its byte order mark, or as *otherwise*.

    Raises:
        Unloadable: it is no text, or in another encoding.
    """
    mark, encoding = _marked(data) or (b"", otherwise)
    if not mark and b"\0" in data:
        raise Unloadable("it is binary: give a text, Markdown, HTML, PDF or DOCX file")
    try:
        text = data[len(mark) :].decode(encoding)
    except LookupError:
        raise Unloadable(f"nobody knows its encoding {encoding!r}: save it as UTF-8") from None
    except UnicodeError as error:
        where = f"byte {error.start}" if isinstance(error, UnicodeDecodeError) else "it"
        raise Unloadable(f"{where} is no {encoding.upper()}: save it as UTF-8") from None
    checked_length(len(text))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _marked(data: bytes) -> tuple[bytes, str] | None:
    """The byte order mark of *data* and the encoding it tells."""
    return next((each for each in _MARKS if data.startswith(each[0])), None)
