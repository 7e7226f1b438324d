"""DOCX as Markdown: headings, lists and tables in the order of the document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from agentmaker.memory.knowledge.loaders.read import (
    MOST_BYTES,
    Read,
    Unloadable,
    checked_length,
    library_of_extra,
)
from agentmaker.memory.knowledge.loaders.table import table

if TYPE_CHECKING:
    from docx.document import Document
    from docx.oxml.table import CT_Row
    from docx.table import Table
    from docx.text.paragraph import Paragraph

_DEEPEST = 8
_HEADING = re.compile(r"Heading (\d)")
_LEVEL = re.compile(r" (\d)\Z")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def read_docx(data: bytes) -> Read:
    with library_of_extra():
        import docx
    _check_package(data)
    try:
        document = docx.Document(BytesIO(data))
        text = "\n".join(_blocks(document)).strip("\n") + "\n"
        title = document.core_properties.title
    except Unloadable:
        raise
    except Exception as error:  # whatever a damaged file makes of the library's parsers
        raise Unloadable(
            f"it is damaged ({type(error).__name__}): open and save it again"
        ) from error
    return Read(text=text, title=title.strip())


def _check_package(data: bytes) -> None:
    """Look into the package before anything of it is unpacked."""
    if data.startswith(_OLE):
        raise Unloadable("it is encrypted, or an old .doc: save it as DOCX without a password")
    try:
        with ZipFile(BytesIO(data)) as package:
            entries = package.infolist()
    except BadZipFile:
        raise Unloadable("it is damaged or no DOCX: open and save it again") from None
    if sum(entry.file_size for entry in entries) > MOST_BYTES or len(entries) > 10_000:
        raise Unloadable(
            f"it unpacks to more than {MOST_BYTES:,} bytes: split it, or leave images out"
        )


def _blocks(document: Document) -> Iterator[str]:
    # The library looks for the name of a style from the first style on, for every paragraph.
    names = {each.style_id: each.name or "" for each in document.styles}
    characters, in_list = 0, False
    for block in document.iter_inner_content():
        text = _table(block) if _is_table(block) else _paragraph(block, names)  # type: ignore[arg-type]
        if not text:
            continue
        characters = checked_length(characters + len(text))
        item = text.lstrip().startswith(("- ", "1. "))
        if in_list and not item:
            yield ""
        yield from (text,) if item else (text, "")
        in_list = item


def _is_table(block: Paragraph | Table) -> bool:
    return hasattr(block, "rows")


def _table(block: Table) -> str:
    rows: list[dict[int, str]] = [{}]
    for row in block._tbl.tr_lst:
        rows.append(_cells(row, block, rows[-1]))
    return table([[*row.values()] for row in rows[1:]])


def _cells(row: CT_Row, block: Table, above: Mapping[int, str]) -> dict[int, str]:
    """The texts of a row by column: of a cell of several columns by its first, of one of several
    rows in each. The library makes as many cells as a file says that one is wide.
    """
    from docx.table import _Cell

    cells: dict[int, str] = {}
    column = row.grid_before
    for cell in row.tc_lst:
        goes_on = cell.vMerge == "continue"
        cells[column] = above.get(column, "") if goes_on else _Cell(cell, block).text
        column += max(1, cell.grid_span)
    return cells


def _paragraph(block: Paragraph, names: Mapping[str, str]) -> str:
    words = " ".join(block.text.split())
    return _mark(block, names.get(block._p.style or "", "")) + words if words else ""


def _mark(block: Paragraph, style: str) -> str:
    if style == "Title":
        return "# "
    if heading := _HEADING.match(style):
        return "#" * min(int(heading[1]), 6) + " "
    properties = block._p.pPr
    numbering = properties.numPr if properties is not None else None
    if numbering is None and not style.startswith("List"):
        return ""
    return "  " * _depth(style, numbering) + ("1. " if "Number" in style else "- ")


def _depth(style: str, numbering: object) -> int:
    named = _LEVEL.search(style)
    level = getattr(getattr(numbering, "ilvl", None), "val", None)
    return min(int(level) if level else int(named[1]) - 1 if named else 0, _DEEPEST)
