"""Files of every kind as text with its structure, and what becomes of those that cannot be read."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pytest
from docx.styles.styles import Styles
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter

from agentmaker.errors import ConfigError, LoadError
from agentmaker.memory.knowledge.loaders import LOADERS, read_file
from agentmaker.memory.knowledge.loaders import read as limits
from agentmaker.memory.knowledge.loaders.docx import read_docx
from agentmaker.memory.knowledge.loaders.html import read_html
from agentmaker.memory.knowledge.loaders.markdown import read_markdown
from agentmaker.memory.knowledge.loaders.pdf import read_pdf
from agentmaker.memory.knowledge.loaders.plain import read_plain
from agentmaker.memory.knowledge.loaders.read import Unloadable
from tests.memory.knowledge.files import docx_bytes, pdf_bytes

PAGE = """<!doctype html><html><head><title> A  page </title><style>p {color: red}</style></head>
<body><nav><a href="/">Home</a></nav>
<h1>Top <em>of</em> it</h1><p>Some <b>bold</b> words,<br>then a line.</p>
<script>alert("never")</script><div hidden>never</div><p style="color: red; display:none">never</p>
<span aria-hidden="true">never</span><!-- never --><template>never</template>
<ul><li>One<ul><li>Inner</li></ul></li><li><p>Two</p></li></ul><ol><li>First</li></ol>
<h2>Prices</h2>
<table><tr><th>Tea</th><th>Cake | pie</th></tr><tr><td>3 <b>euros</b></td><td>5</td></tr></table>
<pre>def f():
    return 1</pre><div>Last <img alt="picture"> words</div></body></html>"""

AS_MARKDOWN = """Home

# Top of it

Some bold words,
then a line.

- One
  - Inner
- Two

1. First

## Prices

| Tea | Cake / pie |
| --- | --- |
| 3 euros | 5 |

```
def f():
    return 1
```

Last picture words
"""


def test_html_becomes_markdown_without_what_nobody_sees():
    read = read_html(PAGE.encode())
    assert read.text == AS_MARKDOWN
    assert read.title == "A page"


def test_a_table_that_is_there_for_looks_is_read_like_the_rest():
    page = b"<table><tr><td><h2>Head</h2><p>Text</p></td><td><table><tr><td>1</td></tr></table>"
    assert read_html(page).text == "## Head\n\nText\n\n| 1 |\n"


def test_html_is_read_in_the_encoding_its_meta_element_tells():
    page = '<meta charset="gb2312"><title>茶</title><p>中文</p>'
    assert read_html(page.encode("gb18030")).text == "中文\n"
    latin = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">“tea”'
    assert read_html(latin.encode("cp1252")).text == "“tea”\n"


def test_a_page_without_a_title_is_named_by_its_first_heading():
    assert read_html(b"<h1>Tea <i>shop</i></h1>").title == "Tea shop"


@pytest.mark.parametrize("unit", ["<div>", "<ul><li>a", "<table><tr><td>", "<b>", "<h1>", "<pre>"])
def test_html_however_deep_is_read(unit):
    assert "x" in read_html(f"{unit * 3_000}x".encode()).text


@settings(deadline=None)
@given(st.text(alphabet='<>/="aphlitdr 1\n&;'))
def test_no_html_breaks_its_loader(page):
    read_html(page.encode())


def test_markdown_is_its_own_text_with_the_front_matter_apart():
    read = read_markdown(
        b'---\ntitle: "Tea"\nauthor: Ann\ntags:\n  - a\n---\n\n# Head\r\n\r\nText.'
    )
    assert read.text == "# Head\n\nText."
    assert read.title == "Tea"
    assert read.metadata == {"author": "Ann"}


def test_markdown_without_front_matter_is_named_by_its_first_heading():
    assert read_markdown(b"# Head\n\nText.").title == "Head"
    assert read_markdown(b"Text.\n\n# Head").title == ""


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be", "utf-32-be"]
)
def test_a_text_is_read_by_its_byte_order_mark(encoding):
    mark = "\ufeff" if encoding.endswith("-be") else ""
    assert read_plain(f"{mark}tea 茶\r\nnow\rend".encode(encoding)).text == "tea 茶\nnow\nend"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x89PNG\0\0", "binary"),
        ("茶".encode("gb18030"), "save it as UTF-8"),
        (b"\xff\xfea", "save it as UTF-8"),
    ],
)
def test_what_is_no_text_is_refused(data, says):
    with pytest.raises(Unloadable, match=says):
        read_plain(data)


def test_an_encoding_that_nobody_knows_is_refused():
    with pytest.raises(Unloadable, match="save it as UTF-8"):
        read_html(b'<meta charset="klingon"><p>a</p>')


def test_docx_becomes_markdown_in_the_order_of_the_document(tmp_path):
    document = docx.Document()
    document.core_properties.title = "Tea guide"
    document.add_heading("Guide", level=1)
    document.add_paragraph("Before the table.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip([*table.row_cells(0), *table.row_cells(1)], "abcd", strict=True):
        cell.text = text
    table.cell(1, 0).merge(table.cell(1, 1))
    document.add_paragraph("One", style="List Bullet")
    document.add_paragraph("Inner", style="List Bullet 2")
    document.add_paragraph("First", style="List Number")
    document.add_heading("Deeper", level=3)
    document.add_paragraph("End.")
    read = read_file(_file(tmp_path, "a.docx", docx_bytes(document)))
    assert read.title == "Tea guide"
    assert read.text == (
        "# Guide\n\nBefore the table.\n\n| a | b |\n| --- | --- |\n| c d |\n\n"
        "- One\n  - Inner\n1. First\n\n### Deeper\n\nEnd.\n"
    )


def test_a_pdf_knows_where_its_pages_begin(tmp_path):
    read = read_file(
        _file(tmp_path, "a.pdf", pdf_bytes("Tea costs three.", "", "Cake costs five."))
    )
    assert read.text == "Tea costs three.\n\n\n\nCake costs five."
    assert read.pages == (0, 18, 20)


def test_a_pdf_without_text_is_refused():
    with pytest.raises(Unloadable, match="OCR"):
        read_pdf(pdf_bytes("", ""))


def test_an_encrypted_pdf_is_refused_and_one_without_a_password_read():
    with pytest.raises(Unloadable, match="without a password"):
        read_pdf(_encrypted("secret"))
    assert "Tea" in read_pdf(_encrypted("")).text


@pytest.mark.parametrize("name", ["a.pdf", "a.docx"])
@pytest.mark.parametrize(
    "data", [b"nothing of the kind", b"%PDF-1.7\n1 0 obj", b"PK\x03\x04 cut off"]
)
def test_a_damaged_file_is_refused_by_name(tmp_path, name, data):
    with pytest.raises(LoadError, match=name) as caught:
        read_file(_file(tmp_path, name, data))
    assert caught.value.file == str(tmp_path / name)
    assert "again" in caught.value.reason


@settings(deadline=None, max_examples=60)
@given(at=st.integers(0, 600), byte=st.integers(0, 255))
def test_a_pdf_with_a_wrong_byte_is_read_or_refused(at, byte):
    data = bytearray(pdf_bytes("Tea costs three."))
    data[at % len(data)] = byte
    with suppress(Unloadable):
        assert isinstance(read_pdf(bytes(data)).text, str)


def test_an_old_or_encrypted_word_file_is_refused(tmp_path):
    file = _file(tmp_path, "a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(LoadError, match="password"):
        read_file(file)


def test_a_package_that_unpacks_to_too_much_is_not_unpacked(tmp_path):
    bomb = BytesIO()
    with ZipFile(bomb, "w", ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", bytes(limits.MOST_BYTES + 1))
    assert bomb.tell() < limits.MOST_BYTES // 100
    with pytest.raises(LoadError, match="unpacks to more"):
        read_file(_file(tmp_path, "a.docx", bomb.getvalue()))


def test_a_package_without_a_document_is_refused(tmp_path):
    package = BytesIO()
    with ZipFile(package, "w") as written:
        written.writestr("other.txt", "x")
    with pytest.raises(LoadError, match="damaged"):
        read_file(_file(tmp_path, "a.docx", package.getvalue()))


def test_a_file_of_an_unknown_kind_is_refused_with_the_kinds_there_are(tmp_path):
    with pytest.raises(LoadError, match=r"\.docx.*add\(text, name=") as caught:
        read_file(_file(tmp_path, "a.xlsx", b"x"))
    assert all(ending in str(caught.value) for ending in LOADERS)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
@pytest.mark.parametrize("data", [b"", b" \n\n "])
def test_an_empty_file_is_refused(tmp_path, name, data):
    with pytest.raises(LoadError, match="no text"):
        read_file(_file(tmp_path, name, data))


def test_a_huge_file_is_not_read(tmp_path):
    file = tmp_path / "a.txt"
    with file.open("wb") as written:
        written.truncate(limits.MOST_BYTES + 1)
    with pytest.raises(LoadError, match="split it"):
        read_file(file)


def test_a_text_that_is_too_long_is_refused():
    with pytest.raises(Unloadable, match="split it"):
        read_plain(b"a" * (limits.MOST_CHARACTERS + 1))


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(LoadError, match="no regular file"):
        read_file(tmp_path / "a.txt")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(LoadError, match=r"none\.txt.*check the path"):
        read_file(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("name", "library"), [("a.pdf", "pypdf"), ("a.docx", "docx"), ("a.html", "bs4")]
)
def test_a_missing_library_is_named_with_what_installs_it(tmp_path, monkeypatch, name, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ConfigError, match=r'pip install "agentmaker-runtime\[docs-loaders\]"'):
        read_file(_file(tmp_path, name, b"x"))


def _file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def _encrypted(password: str) -> bytes:
    writer = PdfWriter(clone_from=BytesIO(pdf_bytes("Tea costs three.")))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    written = BytesIO()
    writer.write(written)
    return written.getvalue()


def test_a_docx_cannot_say_that_it_is_larger_than_it_is():
    document = docx.Document()
    numbering = document.add_paragraph("Item", style="List Bullet")._p.get_or_add_pPr()
    numbering.get_or_add_numPr().get_or_add_ilvl().val = 1_000_000_000
    cell = document.add_table(rows=1, cols=2).cell(0, 0)
    cell.text = "wide"
    cell._tc.grid_span = 1_000_000_000
    assert read_docx(docx_bytes(document)).text == f"{'  ' * 8}- Item\n\n| wide |  |\n"


def test_a_cell_of_several_rows_is_told_in_each():
    document = docx.Document()
    table = document.add_table(rows=3, cols=2)
    for row, text in enumerate("abc"):
        table.cell(row, 1).text = text
    table.cell(0, 0).merge(table.cell(2, 0)).text = "tea"
    assert read_docx(docx_bytes(document)).text == (
        "| tea | a |\n| --- | --- |\n| tea | b |\n| tea | c |\n"
    )


def test_the_styles_of_a_docx_are_read_once(monkeypatch):
    asked = []
    styles = Styles.default
    monkeypatch.setattr(Styles, "default", lambda *given: asked.append(1) or styles(*given))
    document = docx.Document()
    for _ in range(20):
        document.add_paragraph("Tea.")
    data = docx_bytes(document)
    asked.clear()
    assert read_docx(data).text == "\n\n".join(["Tea."] * 20) + "\n"
    assert not asked


@pytest.mark.parametrize("said", ["utf-16", "UTF-16LE", "utf32"])
def test_a_page_that_says_it_is_of_wide_characters_is_read_as_utf_8(said):
    page = f'<meta charset="{said}"><p>Kaffee für zwei</p>'
    assert read_html(page.encode()).text == "Kaffee für zwei\n"


@pytest.mark.parametrize("said", ["undefined", "punycode", "hex", "unheard-of"])
def test_an_encoding_of_no_page_is_refused(said):
    with pytest.raises(Unloadable, match="save it as UTF-8"):
        read_html(f'<meta charset="{said}"><p>Tea ü'.encode())


def test_blanks_in_front_matter_are_read_at_once():
    value = "x" + " " * 1_000_000 + "y"
    assert read_markdown(f"---\na: {value}\nb: 'z' \t\n---\ntext".encode()).metadata == {
        "a": value,
        "b": "z",
    }
