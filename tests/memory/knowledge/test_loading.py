"""Loading files and folders into a knowledge base."""

from __future__ import annotations

import os

import docx
import pytest

from agentmaker.errors import LoadError
from agentmaker.memory.knowledge import KnowledgeBase, cite
from agentmaker.scope import Scope
from tests.memory.knowledge.files import docx_bytes, pdf_bytes

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """``docs`` in the current directory, with something of every kind in it."""
    monkeypatch.chdir(tmp_path)
    docs = tmp_path / "docs"
    (docs / "more").mkdir(parents=True)
    (docs / ".git").mkdir()
    (docs / ".git" / "notes.md").write_text("Hidden tea.")
    (docs / "tea.md").write_text("---\ntitle: Tea\n---\n# Leaves\n\nTea grows in the hills.")
    (docs / "more" / "coffee.html").write_text("<title>Coffee</title><p>Coffee is roasted.</p>")
    (docs / "more" / "rules.pdf").write_bytes(pdf_bytes("Rules of tea.", "Cake costs five."))
    document = docx.Document()
    document.add_heading("Milk", level=1)
    document.add_paragraph("Milk is white.")
    (docs / "milk.docx").write_bytes(docx_bytes(document))
    return docs


async def test_all_files_of_a_folder_are_loaded_by_their_paths(folder):
    base = KnowledgeBase()
    loaded = await base.load("docs")
    assert loaded.problems == ()
    assert loaded.documents == (
        "docs/milk.docx",
        "docs/tea.md",
        "docs/more/coffee.html",
        "docs/more/rules.pdf",
    )
    assert {*await base.names()} == {*loaded.documents}
    (found,) = await base.retrieve("what is roasted?", top_k=1)
    assert found.content == "Coffee\nCoffee is roasted."
    assert found.metadata["uri"] == (folder / "more" / "coffee.html").as_uri()


@pytest.mark.parametrize("path", ["dosc", "docs/tae.md"])
async def test_a_path_where_nothing_is_is_said_to_be_that(folder, path):
    with pytest.raises(LoadError, match="No such file or directory: check the path"):
        await KnowledgeBase().load(path)


async def test_a_place_in_a_pdf_is_cited_with_its_page(folder):
    pages = ("Rules of tea.", "Milk is white and cold.", "Cake costs five.", "Salt is dear.")
    (folder / "more" / "rules.pdf").write_bytes(pdf_bytes(*pages))
    base = KnowledgeBase(chunk_tokens=6)
    await base.load("docs/more/rules.pdf")
    (found,) = await base.retrieve("milk", top_k=1)
    assert str(cite(found)) == "docs/more/rules.pdf, p. 2"


async def test_a_folder_is_loaded_past_files_that_cannot_be_read(folder):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "empty.txt").write_text("")
    (folder / "picture.png").write_bytes(b"\x89PNG\0")
    base = KnowledgeBase()
    loaded = await base.load(folder)
    assert len(loaded.documents) == 4
    assert sorted(os.path.basename(each.file) for each in loaded.problems) == [
        "broken.pdf",
        "empty.txt",
        "picture.png",
    ]
    assert all(each.reason for each in loaded.problems)


async def test_a_file_named_by_itself_that_cannot_be_read_is_an_error(folder):
    (folder / "empty.txt").write_text("")
    base = KnowledgeBase()
    with pytest.raises(LoadError, match="no text"):
        await base.load("docs/tea.md", "docs/empty.txt")
    assert await base.names() == ("docs/tea.md",)
    with pytest.raises(LoadError, match="check the path"):
        await base.load("nowhere.md")


async def test_links_and_hidden_files_of_a_folder_are_left_alone(folder, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("Outside.")
    (folder / "link.md").symlink_to(outside)
    (folder / "round").symlink_to(folder, target_is_directory=True)
    loaded = await KnowledgeBase().load("docs")
    assert len(loaded.documents) == 4


async def test_a_folder_that_cannot_be_read_is_told_and_the_others_are_loaded(folder, monkeypatch):
    (folder / "locked").mkdir()
    listed = os.scandir

    def scandir(path):
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    loaded = await KnowledgeBase().load("docs")
    assert len(loaded.documents) == 4
    assert [str(each) for each in loaded.problems] == [
        "docs/locked cannot be loaded: the folder cannot be listed: check its permissions"
    ]


async def test_what_is_loaded_again_unchanged_is_not_kept_again(folder):
    base = KnowledgeBase()
    await base.load("docs")
    before = await base._store.stamp(Scope(), "knowledge")
    await base.load("docs")
    assert await base._store.stamp(Scope(), "knowledge") == before


async def test_front_matter_is_told_with_a_result(folder):
    (folder / "tea.md").write_text("---\ntitle: Tea\nauthor: Ann\n---\nTea grows in the hills.")
    base = KnowledgeBase()
    await base.load("docs/tea.md", scope=Scope(user="ann"))
    assert await base.retrieve("tea") == []
    (found,) = await base.retrieve("tea", scope=Scope(user="ann"))
    assert found.metadata["author"] == "Ann"
    assert found.metadata["title"] == "Tea"
