from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import anyio
import anyio.to_thread
import pytest

from agentmaker.errors import ConfigError
from agentmaker.tasks.source import LONGEST_READ, PAGE, Changing, TaskSource, Unreadable
from agentmaker.tasks.sources import file_tree, inspection, walk
from agentmaker.tasks.sources.file_text import read_file
from agentmaker.tasks.sources.folder import FolderSource
from agentmaker.tasks.sources.texts import revision_of

pytestmark = pytest.mark.anyio


async def test_a_folder_lists_its_files_by_their_paths_in_a_fixed_order(write, told) -> None:
    root = write({"b.md": "x", "a/z.txt": "x", "a/b/c.txt": "x", "A.txt": "x"})
    source = FolderSource(root)
    assert isinstance(source, TaskSource)
    assert isinstance(source, Changing)
    assert (await told(source)).refs == ["A.txt", "b.md", "a/z.txt", "a/b/c.txt"]
    assert (await told(FolderSource(root))).refs == ["A.txt", "b.md", "a/z.txt", "a/b/c.txt"]


async def test_a_page_has_no_more_than_it_may(write) -> None:
    root = write({f"{number:03}.txt": "x" for number in range(PAGE + 3)})
    pages = [len(page.descriptors) async for page in FolderSource(root).pages()]
    assert pages == [PAGE, 3]


async def test_an_empty_folder_has_nothing(root, told) -> None:
    found = await told(FolderSource(root))
    assert (found.refs, found.problems) == ([], [])


async def test_a_descriptor_says_what_a_file_is(write, told) -> None:
    root = write(
        {"doc.md": "intro\n\n## The heading\ntext é", "run.py": "\n---\nimport os\n", "0": ""}
    )
    found = (await told(FolderSource(root))).descriptors
    assert (found["doc.md"].role, found["doc.md"].title) == ("file", "doc.md")
    assert (found["doc.md"].summary, found["doc.md"].size) == ("The heading", 28)
    assert found["run.py"].summary == "import os"
    assert (found["0"].summary, found["0"].size) == ("", 0)


async def test_a_summary_is_a_short_line(write, told) -> None:
    root = write({"a.md": "# " + "word " * 500, "b.txt": "x" * 100_000})
    found = (await told(FolderSource(root))).descriptors
    assert all(len(each.summary) == 160 for each in found.values())


async def test_a_read_gives_the_characters_asked_for_and_no_more(write, told) -> None:
    source = FolderSource(write({"a.txt": "héllo wörld"}))
    content = await source.read("a.txt", start=1, limit=4)
    assert (content.text, content.start, content.total) == ("éllo", 1, 11)
    assert content.revision == (await told(source)).descriptors["a.txt"].revision
    assert (await source.read("a.txt", start=99)).text == ""
    assert (await source.read("a.txt", start=-5, limit=1)).text == "h"
    assert (await source.read("a.txt", limit=-1)).text == ""


async def test_one_read_is_bounded_whatever_is_asked(write) -> None:
    source = FolderSource(write({"a.txt": "x" * (LONGEST_READ + 10)}))
    content = await source.read("a.txt", limit=10**9)
    assert (len(content.text), content.total) == (LONGEST_READ, LONGEST_READ + 10)


async def test_a_single_file_is_a_source_of_itself_alone(write, told) -> None:
    root = write({".hidden": "text", "other.txt": "not asked for"})
    source = FolderSource(root / ".hidden")
    assert (await told(source)).refs == [".hidden"]
    assert (await source.read(".hidden")).text == "text"
    with pytest.raises(Unreadable, match="outside"):
        await source.read("other.txt")
    (root / ".hidden").unlink()
    assert (await told(source)).refs == []
    write({".hidden/.hidden": "x"})
    found = await told(source)
    assert (found.refs, found.reasons) == ([], {".hidden": "unreadable"})


async def test_hidden_files_and_what_tools_leave_behind_are_left_out(write, told) -> None:
    source = FolderSource(
        write({".git/config": "x", "__pycache__/a": "x", "d/node_modules/a/b": "x", "a": "x"})
    )
    found = await told(source)
    assert (found.refs, found.problems) == (["a"], [])
    for ref in (".git/config", "d/node_modules/a/b"):
        with pytest.raises(Unreadable, match="outside"):
            await source.read(ref)


async def test_what_is_not_included_can_be_neither_listed_nor_read(write, told) -> None:
    source = FolderSource(write({"a.md": "x", "d/b.md": "x", "d/c.txt": "x"}), include=("*.md",))
    assert (await told(source)).refs == ["a.md", "d/b.md"]
    with pytest.raises(Unreadable, match="outside"):
        await source.read("d/c.txt")


async def test_what_is_excluded_is_so_however_it_is_written(write, told) -> None:
    source = FolderSource(write({"Secret.txt": "x", "a": "x"}), exclude=("secret.TXT",))
    assert (await told(source)).refs == ["a"]
    with pytest.raises(Unreadable, match="outside"):
        await source.read("Secret.txt")


async def test_a_touched_file_keeps_its_revision(write, told) -> None:
    root = write({"a.txt": "same"})
    source = FolderSource(root)
    before = (await told(source)).descriptors["a.txt"]
    os.utime(root / "a.txt", ns=(1, 1))
    assert (await told(source)).descriptors["a.txt"].revision == before.revision


async def test_changes_tell_what_is_new_changed_and_gone(write, told) -> None:
    root = write({"a": "1", "b": "1", "c": "1"})
    source = FolderSource(root)
    known = (await told(source)).descriptors
    write({"b": "2", "d": "1"})
    (root / "c").unlink()
    changes = await source.changes(known)
    new = {each.ref for each in changes.descriptors if not same(known.get(each.ref), each)}
    assert new == {"b", "d"}
    assert changes.gone == ("c",)


def same(old, new) -> bool:
    return old is not None and old.revision == new.revision


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The refs of files that were opened to be listed."""
    refs: list[str] = []

    def counted(root: str, parts: tuple[str, ...], most: int) -> object:
        refs.append("/".join(parts))
        return read_file(root, parts, most)

    monkeypatch.setattr(inspection, "read_file", counted)
    return refs


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No stamp is so new that it is doubted."""
    monkeypatch.setattr("agentmaker.tasks.sources.file_states.Scan.settled", lambda *_: True)


def set_clock(monkeypatch: pytest.MonkeyPatch, nanoseconds: int) -> None:
    clock = SimpleNamespace(time_ns=lambda: nanoseconds)
    monkeypatch.setattr(walk, "time", clock)


async def test_unchanged_files_are_not_read_again_by_this_object_or_another(
    write, told, reads, settled
) -> None:
    root = write({"a": "1", "d/b": "1"})
    source = FolderSource(root)
    known = (await told(source)).descriptors
    assert reads == ["a", "d/b"]
    assert not (await source.changes(known)).descriptors
    other = await FolderSource(root).changes(known)
    assert (other.descriptors, other.gone, reads) == ((), (), ["a", "d/b"])


async def test_of_many_files_only_the_changed_are_read_again(write, told, reads, settled) -> None:
    root = write({f"{number:03}": "1" for number in range(300)})
    source = FolderSource(root)
    known = (await told(source)).descriptors
    reads.clear()
    write({"007": "22", "299": "22"})
    changes = await source.changes(known)
    assert [each.ref for each in changes.descriptors] == reads == ["007", "299"]


async def test_a_file_changed_within_the_tick_of_its_last_look_is_looked_at_again(
    write, told, monkeypatch
) -> None:
    root = write({"a": "one"})
    stat = (root / "a").stat()
    monkeypatch.setattr("agentmaker.tasks.sources.walk.time.time_ns", lambda: stat.st_ctime_ns)
    source = FolderSource(root)
    before = (await told(source)).descriptors["a"]
    assert "stamp" not in before.metadata
    freeze_stamp(monkeypatch, root / "a")
    write({"a": "two"})
    after = (await told(source)).descriptors["a"]
    assert after.revision != before.revision


def freeze_stamp(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Let the file keep the stamp it has, as on a coarse file system."""
    stat, file = path.stat(), walk.Walker.file
    monkeypatch.setattr(walk.Walker, "file", lambda self, ref, _: file(self, ref, stat))


async def test_a_descriptor_says_its_stamp_once_no_change_can_hide_behind_it(
    write, told, monkeypatch
) -> None:
    root = write({"a": "one"})
    stat = (root / "a").stat()
    set_clock(monkeypatch, stat.st_ctime_ns + 10**10)
    stamp = [stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_ctime_ns]
    assert (await told(FolderSource(root))).descriptors["a"].metadata == {"stamp": stamp}


async def test_a_change_that_keeps_size_and_time_is_seen_all_the_same(write, told) -> None:
    root = write({"a": "one"})
    source = FolderSource(root)
    before = (await told(source)).descriptors["a"]
    stat = (root / "a").stat()
    write({"a": "two"})
    os.utime(root / "a", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert (await told(source)).descriptors["a"].revision != before.revision


async def test_a_listing_that_was_given_up_has_less_to_do_the_next_time(
    write, told, reads, settled, monkeypatch
) -> None:
    root = write({f"{number:03}": "1" for number in range(PAGE + 5)})
    source, look = FolderSource(root), file_tree.FileTree._look

    def failing(self, found, refs):
        if len(refs) < PAGE:
            raise RuntimeError("stopped")
        return look(self, found, refs)

    monkeypatch.setattr(file_tree.FileTree, "_look", failing)
    with pytest.raises(RuntimeError):
        await told(source)
    monkeypatch.setattr(file_tree.FileTree, "_look", look)
    reads.clear()
    assert len((await told(source)).refs) == PAGE + 5
    assert len(reads) == 5


async def test_many_readers_of_files_that_change_see_whole_files_of_their_revision(
    write, told
) -> None:
    root = write({f"{number}": "0" * 3_000 for number in range(30)})
    source, done = FolderSource(root), []

    def change() -> None:
        for value in "12345":
            for number in range(30):
                (root / "new").write_text(value * 3_000)
                (root / "new").replace(root / f"{number}")
        done.append(True)

    async def read() -> None:
        while not done:
            await source.changes({})
            content = await source.read("7")
            assert len(set(content.text)) == 1
            assert content.revision == revision_of(content.text.encode())

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(read)
        await anyio.to_thread.run_sync(change)
    assert bare((await told(source)).descriptors) == bare(
        (await told(FolderSource(root))).descriptors
    )


def bare(found) -> dict[str, str]:
    return {ref: each.revision for ref, each in found.items()}


async def test_a_fixed_repository_is_listed_once(write, told) -> None:
    root = write({"a": "1", "b": "1"})
    source = FolderSource(root, fixed=True)
    known = (await told(source)).descriptors
    write({"b": "2", "c": "1"})
    changes = await source.changes(known)
    assert (changes.descriptors, changes.gone) == ((), ())
    assert (await source.read("a")).text == "1"
    for ref in ("b", "c"):
        with pytest.raises(Unreadable, match="changed"):
            await source.read(ref)


async def test_an_id_is_of_the_place_and_of_what_is_taken_from_it(root) -> None:
    (root.parent / "link").symlink_to(root)
    assert FolderSource(root).id == FolderSource(root.parent / "link").id
    assert FolderSource(root).id == FolderSource(f"{root}/../root").id
    others = [
        FolderSource(root),
        FolderSource(root.parent),
        FolderSource(root, include=("*.md",)),
        FolderSource(root, exclude=()),
        FolderSource(root, id="mine"),
    ]
    assert len({each.id for each in others}) == len(others)


async def test_a_source_names_its_place(root) -> None:
    assert repr(FolderSource(root, fixed=True)) == f"FolderSource({str(root)!r}, fixed=True)"


@pytest.mark.parametrize("given", ["missing", "", "a\0b", 5, b"bytes"])
async def test_a_root_that_cannot_be_is_refused(tmp_path: Path, given: object) -> None:
    with pytest.raises(ConfigError):
        FolderSource(tmp_path / given if given == "missing" else given)


@pytest.mark.parametrize(
    "setting",
    [
        {"include": "*.md"},
        {"include": ("",)},
        {"exclude": (5,)},
        {"exclude": ("[z-a]",)},
        {"id": ""},
        {"id": 5},
        {"max_bytes": 0},
        {"max_files": 0},
        {"fixed": 1},
    ],
)
async def test_a_setting_that_cannot_work_is_refused(root, setting) -> None:
    with pytest.raises(ConfigError):
        FolderSource(root, **setting)


async def test_a_listing_that_was_broken_off_hides_no_change_from_the_next(
    write, told, monkeypatch
) -> None:
    source = FolderSource(write({"a.txt": "cats", "b.txt": "dogs"}))
    await source.listing({})
    write({"a.txt": "other cats"})

    def failing(root, ref, *rest):
        if ref == "b.txt":
            raise MemoryError
        return inspection.inspect_file(root, ref, *rest)

    with monkeypatch.context() as broken:
        broken.setattr(file_tree, "PAGE", 1)
        broken.setattr(file_tree, "inspect_file", failing)
        with pytest.raises(MemoryError):
            await source.listing({})
    found = await source.listing({})
    assert found.descriptors["a.txt"].summary == "other cats"
