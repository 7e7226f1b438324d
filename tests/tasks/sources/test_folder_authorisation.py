"""Nothing outside its root is read, whatever is asked and whatever lies there."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from agentmaker.tasks.source import Unreadable
from agentmaker.tasks.sources import file_text, safe_open, walk
from agentmaker.tasks.sources.folder import FolderSource
from agentmaker.tasks.sources.safe_open import by_path, by_steps, opened_file, parts_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "ref",
    [
        "",
        ".",
        "..",
        "/",
        "../secret.txt",
        "d/../../secret.txt",
        "d/../a.txt",
        "/etc/passwd",
        "//etc/passwd",
        "d//a.txt",
        "d/",
        "./a.txt",
        "a.txt\0",
        "a.txt\0.md",
        "a.txt/..",
        "A.TXT",
        "missing.txt",
        "d",
        "C:/a.txt",
        "..\\secret.txt",
        "a" * 5_000,
        "\udcff",
    ],
)
async def test_a_ref_that_is_no_file_of_the_root_is_refused(write, ref: str) -> None:
    source = FolderSource(write({"a.txt": "x", "d/a.txt": "x"}))
    with pytest.raises(Unreadable):
        await source.read(ref)


async def test_an_absolute_path_is_refused_even_into_the_root(write) -> None:
    root = write({"a.txt": "x"})
    with pytest.raises(Unreadable, match="outside"):
        await FolderSource(root).read(str(root / "a.txt"))


@pytest.mark.parametrize(
    "ref", ["C:a", "a\\b", "a.txt:stream", "a.", "a ", "d /a", "CON", "d/nul.txt", "aux", "a\x01"]
)
def test_names_that_windows_reads_as_others_are_refused_there(ref: str) -> None:
    with pytest.raises(Unreadable, match="outside"):
        parts_of(ref, windows=True)
    assert parts_of(ref, windows=False) == tuple(ref.split("/"))


@pytest.mark.parametrize("ref", ["console", "a.b/c d", "nully.txt", "über"])
def test_names_that_windows_reads_as_they_are_are_not(ref: str) -> None:
    assert parts_of(ref, windows=True) == tuple(ref.split("/"))


async def test_links_are_not_followed_and_those_that_leave_the_root_are_told(write, told) -> None:
    root = write({"a.txt": "x", "d/b.txt": "x"})
    (root / "inside.txt").symlink_to("a.txt")
    (root / "inside").symlink_to("d")
    (root / "out.txt").symlink_to("../secret.txt")
    (root / "out").symlink_to("..")
    (root / "nowhere").symlink_to("nothing")
    (root / "loop").symlink_to("loop")
    (root / "d" / "up").symlink_to("..")
    source = FolderSource(root)
    found = await told(source)
    assert found.refs == ["a.txt", "d/b.txt"]
    assert found.reasons == {
        "out.txt": "outside",
        "out": "outside",
        "nowhere": "unreadable",
        "loop": "unreadable",
    }
    for ref in ("inside.txt", "inside/b.txt", "out.txt", "out/secret.txt", "d/up/a.txt"):
        with pytest.raises(Unreadable):
            await source.read(ref)


@pytest.mark.parametrize("opener", [by_steps, by_path])
def test_a_link_on_the_way_opens_nothing(write, opener) -> None:
    root = write({"d/a.txt": "x"})
    (root / "file").symlink_to("d/a.txt")
    (root / "folder").symlink_to("d")
    with opened_file(str(root), ("d", "a.txt"), opener) as file:
        assert os.read(file, 9) == b"x"
    for parts in (("file",), ("folder", "a.txt"), ("d", "missing"), ("d",)):
        with pytest.raises(OSError), opened_file(str(root), parts, opener):  # noqa: PT011
            raise AssertionError("it was opened")


@pytest.mark.parametrize("opener", [by_steps, by_path])
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_put_in_place_just_before_opening_leads_nowhere(
    write, monkeypatch, opener, what
) -> None:
    root = write({"d/secret.txt": "mine"})
    real, swapped = os.open, []

    def swapping(path, flags, *args, **kwargs):
        # The last moment before the file, or the folder it lies in, is opened.
        if not swapped and str(path).endswith("secret.txt" if what == "file" else "d"):
            swapped.append(path)
            (root / "d" / "secret.txt").unlink()
            if what == "file":
                (root / "d" / "secret.txt").symlink_to("../../secret.txt")
            else:
                (root / "d").rmdir()
                (root / "d").symlink_to("..")
        return real(path, flags, *args, **kwargs)

    if opener is by_path and what == "folder":
        swapping(str(root / "d"), os.O_RDONLY)
    monkeypatch.setattr(safe_open.os, "open", swapping)
    with pytest.raises(OSError), opened_file(str(root), ("d", "secret.txt"), opener):  # noqa: PT011
        raise AssertionError("it was opened")
    assert swapped


async def test_a_folder_that_becomes_a_link_while_it_is_listed_is_not_gone_into(
    write, told, monkeypatch
) -> None:
    root = write({"d/secret.txt": "mine"})
    scan = walk.Walker.folder

    def swapping(self, folder):
        if folder == "d/":
            (root / "d" / "secret.txt").unlink()
            (root / "d").rmdir()
            (root / "d").symlink_to("..")
        return scan(self, folder)

    monkeypatch.setattr(walk.Walker, "folder", swapping)
    found = await told(FolderSource(root))
    assert found.refs == []
    assert found.reasons == {"d": "unreadable"}


async def test_a_file_that_becomes_a_link_before_it_is_read_is_told_not_read(
    write, told, monkeypatch
) -> None:
    root = write({"a.txt": "mine"})
    opened = file_text.opened_file

    def swapping(*args):
        (root / "a.txt").unlink()
        (root / "a.txt").symlink_to("../secret.txt")
        return opened(*args)

    monkeypatch.setattr(file_text, "opened_file", swapping)
    found = await told(FolderSource(root))
    assert (found.refs, found.reasons) == ([], {"a.txt": "unreadable"})


async def test_what_is_no_file_neither_blocks_nor_is_read(write, told) -> None:
    root = write({"a.txt": "x"})
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        bind(listening, root / "socket")
        source = FolderSource(root)
        found = await told(source)
        assert found.refs == ["a.txt"]
        assert found.reasons == {"pipe": "unreadable", "socket": "unreadable"}
        for ref in ("pipe", "socket"):
            with pytest.raises(Unreadable, match="unreadable"):
                await source.read(ref)


async def test_a_pipe_put_in_the_place_of_a_file_does_not_block(write, told) -> None:
    root = write({"a.txt": "x"})
    source = FolderSource(root)
    await told(source)
    (root / "a.txt").unlink()
    os.mkfifo(root / "a.txt")
    with pytest.raises(Unreadable, match="no regular file"):
        await source.read("a.txt")


async def test_without_folders_that_can_be_opened_the_rules_are_the_same(
    write, told, monkeypatch
) -> None:
    root = write({"a.txt": "x", "d/b.txt": "x"})
    (root / "out").symlink_to("..")
    monkeypatch.setattr(safe_open, "STEPWISE", False)
    found = await told(FolderSource(root))
    assert found.refs == ["a.txt", "d/b.txt"]
    assert found.reasons == {"out": "outside"}
    with pytest.raises(OSError), safe_open.opened_folder(str(root), ("out",)):  # noqa: PT011
        raise AssertionError("it was opened")


def bind(listening: socket.socket, path: Path) -> None:
    # The address of such a socket is short.
    listening.bind(os.path.relpath(path))
