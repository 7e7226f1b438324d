from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentmaker.errors import ConfigError
from agentmaker.tasks.source import (
    LONGEST_READ,
    Changing,
    Descriptor,
    Problem,
    TaskSource,
    Unreadable,
)
from agentmaker.tasks.sources.folder import FolderSource

pytestmark = pytest.mark.anyio


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for ref, content in files.items():
        path = root / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


async def listed(source: TaskSource) -> dict[str, Descriptor]:
    return {each.ref: each async for page in source.pages() for each in page.descriptors}


async def problems(source: TaskSource) -> list[Problem]:
    return [each async for page in source.pages() for each in page.problems]


def refs_of(found: Mapping[str, object]) -> list[str]:
    return [*found]


async def test_a_folder_lists_its_files_by_their_paths_in_a_fixed_order(tmp_path: Path) -> None:
    write(tmp_path, {"b.md": "x", "a/z.txt": "x", "a/b/c.txt": "x", "A.txt": "x"})
    source = FolderSource(tmp_path)
    assert isinstance(source, TaskSource)
    assert isinstance(source, Changing)
    assert refs_of(await listed(source)) == ["A.txt", "b.md", "a/z.txt", "a/b/c.txt"]
    assert refs_of(await listed(FolderSource(tmp_path))) == refs_of(await listed(source))


async def test_a_descriptor_says_what_a_file_is(tmp_path: Path) -> None:
    write(tmp_path, {"doc.md": "intro\n\n## The *heading*\ntext é", "run.py": "\n---\nimport os\n"})
    found = await listed(FolderSource(tmp_path))
    assert (found["doc.md"].role, found["doc.md"].title) == ("file", "doc.md")
    assert (found["doc.md"].summary, found["doc.md"].size) == ("The *heading*", 30)
    assert found["run.py"].summary == "import os"


async def test_a_read_gives_the_characters_asked_for_and_no_more(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "héllo wörld"})
    source = FolderSource(tmp_path)
    content = await source.read("a.txt", start=1, limit=4)
    assert (content.text, content.start, content.total) == ("éllo", 1, 11)
    assert content.revision == (await listed(source))["a.txt"].revision
    assert (await source.read("a.txt", start=99)).text == ""
    assert (await source.read("a.txt", limit=-1)).text == ""


async def test_one_read_is_bounded_whatever_is_asked(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "x" * (LONGEST_READ + 10)})
    content = await FolderSource(tmp_path).read("a.txt", limit=10**9)
    assert (len(content.text), content.total) == (LONGEST_READ, LONGEST_READ + 10)


async def test_a_single_file_is_a_source_of_itself_alone(tmp_path: Path) -> None:
    write(tmp_path, {".hidden": "text", "other.txt": "secret"})
    source = FolderSource(tmp_path / ".hidden")
    assert refs_of(await listed(source)) == [".hidden"]
    assert (await source.read(".hidden")).text == "text"
    with pytest.raises(Unreadable, match="outside"):
        await source.read("other.txt")


async def test_hidden_files_and_what_tools_leave_behind_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, {".git/config": "x", "__pycache__/a": "x", "d/node_modules/a/b": "x", "a": "x"})
    source = FolderSource(tmp_path)
    assert refs_of(await listed(source)) == ["a"]
    for ref in (".git/config", ".GIT/config", "d/node_modules/a/b"):
        with pytest.raises(Unreadable, match="outside"):
            await source.read(ref)


async def test_what_is_not_included_can_be_neither_listed_nor_read(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "x", "d/b.md": "x", "d/c.txt": "x"})
    source = FolderSource(tmp_path, include=("*.md",))
    assert refs_of(await listed(source)) == ["a.md", "d/b.md"]
    with pytest.raises(Unreadable, match="outside"):
        await source.read("d/c.txt")


async def test_a_touched_file_keeps_its_revision(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "same"})
    source = FolderSource(tmp_path)
    before = await listed(source)
    os.utime(tmp_path / "a.txt", ns=(1, 1))
    after = await listed(source)
    assert after["a.txt"].revision == before["a.txt"].revision


async def test_changes_tell_what_is_new_changed_and_gone(tmp_path: Path) -> None:
    write(tmp_path, {"a": "1", "b": "1", "c": "1"})
    source = FolderSource(tmp_path)
    known = await listed(source)
    write(tmp_path, {"b": "2", "d": "1"})
    (tmp_path / "c").unlink()
    changes = await source.changes(known)
    changed = {each.ref for each in changes.descriptors if known.get(each.ref) != each}
    assert {"b", "d"} <= changed
    assert changes.gone == ("c",)


@pytest.mark.parametrize("root", ["missing", "", "a\0b", 5, b"bytes"])
async def test_a_root_that_cannot_be_is_refused(tmp_path: Path, root: object) -> None:
    given = tmp_path / root if root == "missing" else root
    with pytest.raises(ConfigError):
        FolderSource(given)
