from __future__ import annotations

import errno
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.errors import StoreError, ToolError
from agentmaker.memory.notes import folder
from agentmaker.memory.notes.markdown import from_markdown, one_line, stems_for, to_markdown
from agentmaker.memory.notes.notes import Notes

pytestmark = pytest.mark.anyio


async def test_a_note_is_a_markdown_file_named_after_its_title(tmp_path):
    notes = Notes(tmp_path / "deep" / "notes")
    assert not (tmp_path / "deep").exists()
    await notes.write("Travel plan 2026", "By train.")
    (file,) = (tmp_path / "deep" / "notes").iterdir()
    assert file.name == "Travel plan 2026.md"
    assert file.read_text() == "# Travel plan 2026\n> By train.\n\nBy train.\n"


async def test_a_chinese_title_stays_readable_as_a_file_name(tmp_path):
    await Notes(tmp_path).write("项目：预算/2026", "一百万元。")
    assert [file.name for file in tmp_path.iterdir()] == ["项目-预算-2026.md"]


@pytest.mark.parametrize(
    "title",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "..",
        ".",
        "C:\\Windows\\system.ini",
        "a/b\\c",
        "nul",
        "COM1",
        ".hidden",
        "*?<>|\"'",
        "x" * 120,
        "数" * 120,
        "line\nbreak\ttab",
        "null\0byte",
        "~root",
    ],
)
async def test_no_title_leads_out_of_the_folder(tmp_path, title):
    folder = tmp_path / "notes"
    notes = Notes(folder)
    await notes.write(title, "text")
    (file,) = folder.iterdir()
    assert [each.name for each in tmp_path.iterdir()] == ["notes"]
    assert file.suffix == ".md"
    assert not file.name.startswith(".")
    assert len(file.name.encode()) < 255
    assert (await notes.read(title)).text == "text"


async def test_titles_that_make_one_file_name_get_files_of_their_own(tmp_path):
    notes = Notes(tmp_path)
    for title in ("a/b", "a\\b", "a:b", "a-b"):
        await notes.write(title, title)
    assert [(await notes.read(title)).text for title in ("a/b", "a\\b", "a:b", "a-b")] == [
        "a/b",
        "a\\b",
        "a:b",
        "a-b",
    ]
    assert len(list(tmp_path.iterdir())) == 4


async def test_a_file_that_somebody_wrote_by_hand_is_a_note(tmp_path):
    (tmp_path / "todo.md").write_text("buy milk. And bread.\n")
    (tmp_path / "Windows.MD").write_bytes(
        "\ufeff\r\n# From Windows\r\n\r\n> short\r\n\r\nlong\r\n".encode()
    )
    (tmp_path / "other.txt").write_text("no note")
    (tmp_path / ".hidden.md").write_text("# Hidden")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "broken.md").write_bytes(b"# Broken\n\n\xff\xfe text")
    notes = Notes(tmp_path)
    found = {note.name: (note.gist, note.text) for note in await notes.texts()}
    assert found == {
        "todo": ("buy milk.", "buy milk. And bread."),
        "From Windows": ("short", "long"),
        "Broken": ("\ufffd\ufffd text", "\ufffd\ufffd text"),
    }
    await notes.append("todo", "and eggs")
    assert (tmp_path / "todo.md").read_text() == (
        "# todo\n> buy milk.\n\nbuy milk. And bread.\nand eggs\n"
    )


async def test_two_files_of_one_title_are_told_apart(tmp_path):
    (tmp_path / "old.md").write_text("# Plan\n\nold")
    (tmp_path / "new.md").write_text("# Plan\n\nnew")
    os.utime(tmp_path / "old.md", (1, 1))
    notes = Notes(tmp_path)
    assert (await notes.read("Plan")).text == "new"
    assert (await notes.read("Plan (old)")).text == "old"


async def test_a_change_by_hand_is_seen(tmp_path):
    notes = Notes(tmp_path)
    await notes.write("Plan", "old")
    await notes.list()
    (tmp_path / "Plan.md").write_text("# Plan\n\nnew and longer")
    assert (await notes.read("Plan")).text == "new and longer"
    (tmp_path / "Plan.md").unlink()
    assert await notes.list() == ()
    with pytest.raises(ToolError, match="write it first"):
        await notes.read("Plan")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
async def test_a_link_leads_nowhere(tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n\nswordfish")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Plan.md").symlink_to(secret)
    notes = Notes(folder)
    assert await notes.list() == ()
    await notes.write("Plan", "mine")
    assert secret.read_text() == "# Secret\n\nswordfish"
    assert (await notes.read("Plan")).text == "mine"


@pytest.mark.parametrize("fault", ["fsync", "replace"])
async def test_a_full_disk_is_a_typed_error_and_leaves_the_old_note(tmp_path, monkeypatch, fault):
    notes = Notes(tmp_path)
    await notes.write("Plan", "old")

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(folder.os, fault, full)
        with pytest.raises(StoreError, match=r"No space left on device.*make room"):
            await notes.write("Plan", "new")
        with pytest.raises(StoreError):
            await notes.write("Other", "new")
    assert (await notes.read("Plan")).text == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["Plan.md"]


async def test_a_file_where_the_folder_should_be_is_a_typed_error(tmp_path):
    (tmp_path / "notes").write_text("a file")
    with pytest.raises(StoreError, match="another folder"):
        await Notes(tmp_path / "notes").write("Plan", "text")


async def test_of_very_many_files_the_newest_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "MOST_FILES", 3)
    for number in range(5):
        path = tmp_path / f"n{number}.md"
        path.write_text(f"# n{number}")
        os.utime(path, (number, number))
    assert [note.name for note in await Notes(tmp_path).list()] == ["n4", "n3", "n2"]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
async def test_a_file_in_another_encoding_is_read_and_never_written_over(tmp_path, encoding):
    file, notes = tmp_path / "Géant.md", Notes(tmp_path)
    file.write_bytes(written := "> Très grand.\n\nIl a été vu à Nîmes.\n".encode(encoding))
    assert [each.name for each in await notes.list()] == ["Géant"]

    for write in (notes.write, notes.append):
        with pytest.raises(StoreError, match=r"Géant\.md is no UTF-8.*another title"):
            await write("Géant", "Seen again.")
    await notes.write("Géant 2", "Seen again.")

    assert file.read_bytes() == written


async def test_of_a_very_long_file_only_so_much_is_read_and_nothing_of_it_is_written_over(tmp_path):
    (tmp_path / "big.md").write_text("# Big\n\n" + "x" * 300_000)
    notes = Notes(tmp_path, longest=50_000)
    assert len((await notes.read("Big")).text) < 200_000
    with pytest.raises(ToolError, match="the most"):
        await notes.append("Big", "more")
    assert (tmp_path / "big.md").stat().st_size == 300_007


_TEXT = st.text(st.characters(exclude_characters="\r", exclude_categories=("Cs",)))


@given(title=_TEXT, gist=_TEXT, text=_TEXT)
def test_every_note_comes_back_from_markdown_as_it_was(title, gist, text):
    title, gist = one_line(title, 120), one_line(gist, 160)
    if title:
        assert from_markdown(to_markdown(title, gist, text), "stem") == (title, gist, text)


@given(written=_TEXT)
def test_any_text_is_read_as_a_note(written):
    title, gist, _ = from_markdown(written, "stem")
    assert title
    assert "\n" not in title + gist


@given(title=st.text(st.characters(exclude_categories=("Cs",)), min_size=1))
def test_every_title_has_a_file_name_that_names_no_folder(title):
    stems = stems_for(title)
    for stem in (next(stems), next(stems), next(stems)):
        assert stem
        assert not set(stem) & set('/\\:*?"<>|\0\n.')
        assert len(stem.encode()) < 250
        assert stem == stem.strip()
