from __future__ import annotations

import os
import shutil

import anyio
import pytest

from agentmaker.tasks.source import Unreadable
from agentmaker.tasks.sources import file_text, file_tree, safe_open, walk
from agentmaker.tasks.sources.folder import FolderSource

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0",
        b"a\0b",
        bytes(range(128, 256)) * 4,
        "漢字だけの文章".encode("gbk", "ignore") * 9,
    ],
)
async def test_what_is_no_text_is_told_and_not_offered(write, told, content) -> None:
    source = FolderSource(write({"a.bin": content, "b.txt": "x"}))
    found = await told(source)
    assert (found.refs, found.reasons) == (["b.txt"], {"a.bin": "binary"})
    with pytest.raises(Unreadable, match="binary"):
        await source.read("a.bin")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
async def test_a_byte_order_mark_says_how_a_text_is_written(write, told, encoding) -> None:
    source = FolderSource(write({"a.txt": "# Grüße, 世界 🎉".encode(encoding)}))
    found = await told(source)
    assert (found.reasons, found.descriptors["a.txt"].size) == ({}, 13)
    assert (await source.read("a.txt")).text == "# Grüße, 世界 🎉"


async def test_what_is_not_utf8_is_replaced_and_told(write, told) -> None:
    source = FolderSource(
        write({"a.txt": "Grüße, \ufffd ".encode() + "aus Köln".encode("latin-1")})
    )
    found = await told(source)
    assert found.reasons == {"a.txt": "encoding"}
    assert "1 of its bytes" in found.problems[0].detail
    assert (await source.read("a.txt")).text == "Grüße, \ufffd aus K\ufffdln"


async def test_of_a_huge_file_the_beginning_is_offered_and_that_is_told(write, told) -> None:
    source = FolderSource(write({"a.txt": "ééééé" * 100, "b.txt": "é" * 5}), max_bytes=11)
    found = await told(source)
    assert found.reasons == {"a.txt": "too_large"}
    assert found.descriptors["a.txt"].size == 5
    content = await source.read("a.txt")
    assert (content.text, content.total) == ("ééééé", 5)
    assert (await source.read("b.txt")).text == "ééééé"


async def test_of_a_huge_file_no_more_is_read_than_is_offered(write, monkeypatch) -> None:
    asked, read = [], os.read

    def counting(file: int, size: int) -> bytes:
        asked.append(size)
        return read(file, size)

    monkeypatch.setattr(file_text.os, "read", counting)
    await FolderSource(write({"a.txt": "x" * 100_000}), max_bytes=20_000).read("a.txt")
    assert sum(asked) == 20_001


async def test_what_was_wrong_with_a_file_is_told_by_a_later_process_that_does_not_read_it(
    write, told, monkeypatch
) -> None:
    root = write({"a.txt": "x" * 100, "b.txt": b"K\xf6ln am Rhein"})
    monkeypatch.setattr("agentmaker.tasks.sources.file_states.Scan.settled", lambda *_: True)
    first = await told(FolderSource(root, max_bytes=50))
    changes = await FolderSource(root, max_bytes=50).changes(first.descriptors)
    assert (changes.descriptors, [*changes.problems]) == ((), first.problems)
    other = await FolderSource(root, max_bytes=60).changes(first.descriptors)
    assert [each.ref for each in other.descriptors] == ["a.txt"]


@pytest.mark.parametrize("stamp", ["x", [1, 2], None, {}, [1, 2, 3, 4]])
async def test_a_known_descriptor_that_makes_no_sense_is_made_anew(write, told, stamp) -> None:
    from dataclasses import replace

    source = FolderSource(write({"a.txt": "x"}))
    known = (await told(source)).descriptors
    odd = {"a.txt": replace(known["a.txt"], metadata={"stamp": stamp}, title="odd")}
    changes = await FolderSource(source.root).changes(odd)
    assert [each.title for each in changes.descriptors] == ["a.txt"]


async def test_a_file_that_may_not_be_read_is_told(write, told, monkeypatch) -> None:
    source, real = FolderSource(write({"a.txt": "x", "b.txt": "x", "d/c.txt": "x"})), os.open

    def denying(path, *args, **kwargs):
        if path in ("a.txt", "d"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(safe_open.os, "open", denying)
    found = await told(source)
    assert found.refs == ["b.txt"]
    assert found.reasons == {"a.txt": "unreadable", "d": "unreadable"}
    assert {each.detail for each in found.problems} == {"Permission denied"}
    with pytest.raises(Unreadable, match="Permission denied"):
        await source.read("a.txt")


async def test_a_file_that_could_not_be_read_is_tried_again(write, told, monkeypatch) -> None:
    source, read = FolderSource(write({"a.txt": "x"})), file_text.read_file
    monkeypatch.setattr("agentmaker.tasks.sources.file_states.Scan.settled", lambda *_: True)

    def failing(*args):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("agentmaker.tasks.sources.inspection.read_file", failing)
    assert (await told(source)).reasons == {"a.txt": "unreadable"}
    monkeypatch.setattr("agentmaker.tasks.sources.inspection.read_file", read)
    assert (await told(source)).refs == ["a.txt"]


@pytest.mark.parametrize("then", ["gone", "shorter", "folder"])
async def test_a_file_changed_between_listing_and_reading_is_what_it_is_now(
    write, told, then
) -> None:
    root = write({"a.txt": "long text"})
    source = FolderSource(root)
    before = (await told(source)).descriptors["a.txt"]
    (root / "a.txt").unlink()
    if then == "folder":
        (root / "a.txt").mkdir()
    if then == "shorter":
        write({"a.txt": "lo"})
        content = await source.read("a.txt", start=5)
        assert (content.text, content.start, content.total) == ("", 2, 2)
        assert content.revision != before.revision
    else:
        with pytest.raises(Unreadable, match="unreadable"):
            await source.read("a.txt")


async def test_a_file_deleted_while_the_folder_is_listed_is_told(write, told, monkeypatch) -> None:
    root, look = write({"a.txt": "x", "b.txt": "x"}), file_tree.inspect_file

    def deleting(at, ref, *rest):
        (root / "a.txt").unlink(missing_ok=True)
        return look(at, ref, *rest)

    monkeypatch.setattr(file_tree, "inspect_file", deleting)
    found = await told(FolderSource(root))
    assert (found.refs, found.reasons) == (["b.txt"], {"a.txt": "unreadable"})


@pytest.mark.parametrize(
    ("error", "reasons"),
    [(FileNotFoundError(2, "No such file"), {}), (OSError(5, "I/O"), {"b": "unreadable"})],
)
async def test_a_file_that_is_gone_before_it_is_scanned_costs_no_other(
    write, told, monkeypatch, error, reasons
) -> None:
    scan = walk.Walker.file

    def failing(self, ref, stat):
        if ref == "b":
            raise error
        scan(self, ref, stat)

    monkeypatch.setattr(walk.Walker, "file", failing)
    found = await told(FolderSource(write({"a": "x", "b": "x", "c": "x"})))
    assert (found.refs, found.reasons) == (["a", "c"], reasons)


async def test_a_file_truncated_while_it_is_read_is_what_was_left_of_it(write, monkeypatch) -> None:
    root, read = write({"a.txt": "x" * 50_000}), os.read

    def truncating(file: int, size: int) -> bytes:
        data = read(file, size)
        os.truncate(root / "a.txt", 10)
        return data

    monkeypatch.setattr(file_text.os, "read", truncating)
    content = await FolderSource(root).read("a.txt")
    assert content.total == len(content.text) < 50_000


async def test_more_files_than_are_listed_are_told(write, told) -> None:
    source = FolderSource(write({f"{number}/a": "x" for number in range(9)}), max_files=4)
    found = await told(source)
    assert found.refs == ["0/a", "1/a", "2/a", "3/a"]
    assert found.reasons == {"": "too_large"}
    assert (await told(FolderSource(source.root, max_files=9))).problems == []


async def test_of_a_folder_with_too_many_files_no_more_are_scanned_than_listed(
    write, told, monkeypatch
) -> None:
    added, file = [], walk.Walker.file
    monkeypatch.setattr(walk.Walker, "file", lambda *given: (added.append(given), file(*given)))
    found = await told(FolderSource(write({f"{n}": "x" for n in range(10)}), max_files=4))
    assert (found.refs, found.reasons) == (["0", "1", "2", "3"], {"": "too_large"})
    assert len(added) == 5


async def test_a_name_that_is_no_utf8_is_told(root, write, told) -> None:
    os.mkfifo(os.fsencode(root) + b"/\xfe")
    os.link(write({"a": "x"}) / "a", os.fsencode(root) + b"/\xff.txt")
    found = await told(FolderSource(root))
    assert (found.refs, found.reasons) == (["a"], {"?.txt": "encoding", "?": "unreadable"})


async def test_a_root_that_is_gone_has_nothing_and_says_so(write, told) -> None:
    source = FolderSource(write({"a": "x"}))
    known = (await told(source)).descriptors
    shutil.rmtree(source.root)
    changes = await source.changes(known)
    assert changes.gone == ("a",)
    assert [each.reason for each in changes.problems] == ["unreadable"]


async def test_a_deep_tree_is_listed(write, told) -> None:
    ref = "/".join(["d"] * 300) + "/a.txt"
    source = FolderSource(write({ref: "x"}))
    assert (await told(source)).refs == [ref]
    assert (await source.read(ref)).text == "x"


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="nothing tells what is open")
async def test_descriptors_of_files_are_closed(write, told) -> None:
    source = FolderSource(write({"d/a": "x", "d/b": b"\0", "c": b"\xff\xff"}))
    await told(source)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        await told(source)
        for ref in ("d/a", "d/b", "missing", "d"):
            try:
                await source.read(ref)
            except Unreadable:
                continue
    assert len(os.listdir("/proc/self/fd")) <= before


async def test_files_are_read_beside_the_event_loop(write, told, monkeypatch) -> None:
    from threading import Event, get_ident

    source, go, seen = FolderSource(write({"a": "x"})), Event(), []
    read = file_text.read_file

    def waiting(*args):
        seen.append(get_ident())
        assert go.wait(20)
        return read(*args)

    monkeypatch.setattr("agentmaker.tasks.sources.file_text.read_file", waiting)

    async def let_go() -> None:
        go.set()

    async with anyio.create_task_group() as group:
        group.start_soon(source.read, "a")
        group.start_soon(let_go)
    assert seen
    assert get_ident() not in seen


async def test_a_read_that_hangs_can_be_cancelled(write, monkeypatch) -> None:
    from threading import Event

    source, go = FolderSource(write({"a": "x"})), Event()
    monkeypatch.setattr(
        "agentmaker.tasks.sources.file_text.read_file", lambda *_: go.wait(20) and None
    )
    with anyio.move_on_after(0.01) as scope:
        await source.read("a")
    go.set()
    assert scope.cancelled_caught
