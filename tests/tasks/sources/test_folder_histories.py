"""Whatever happens to a tree: what was known and what changed make what there is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st

from agentmaker.tasks.source import Changes, Descriptor, Unreadable
from agentmaker.tasks.sources.folder import FolderSource
from agentmaker.tasks.sources.skills import SkillsSource

REFS = st.sampled_from(
    ["a", "b.md", "d/a", "d/SKILL.md", "d/e/a", "d/e/SKILL.md", ".h/a", "SKILL.md"]
)
CONTENTS = st.sampled_from([b"", b"text", b"# Other text", b"\0", b"K\xf6ln am Rhein", b"x" * 200])
EDITS = st.tuples(st.sampled_from(["write", "remove", "touch", "link", "folder"]), REFS, CONTENTS)


def edit(root: Path, how: str, ref: str, content: bytes) -> None:
    path = root / ref
    try:
        if how == "touch":
            os.utime(path)
        elif how == "remove" and path.is_dir():
            shutil.rmtree(path)
        elif how == "remove":
            path.unlink()
        elif how == "folder":
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content) if how == "write" else path.symlink_to("../../a")
    except OSError:
        return


def bare(descriptors: Mapping[str, Descriptor]) -> dict[str, Descriptor]:
    """Without the stamps, which are told once they are old enough."""
    return {
        ref: replace(each, metadata={k: v for k, v in each.metadata.items() if k != "stamp"})
        for ref, each in descriptors.items()
    }


def applied(known: Mapping[str, Descriptor], changes: Changes) -> dict[str, Descriptor]:
    left = {ref: each for ref, each in known.items() if ref not in changes.gone}
    return {**left, **{each.ref: each for each in changes.descriptors}}


async def check(root: Path, kind: type, rounds: list[list[tuple[str, str, bytes]]]) -> None:
    source = kind(root, max_bytes=100)
    known: dict[str, Descriptor] = {}
    for edits in rounds:
        for each in edits:
            edit(root, *each)
        other = await kind(root, max_bytes=100).changes(known)
        changes = await source.changes(known)
        fresh = await kind(root, max_bytes=100).listing({})
        assert bare(applied(known, changes)) == bare(fresh.descriptors)
        assert bare(applied(known, other)) == bare(fresh.descriptors)
        assert sorted(map(str, changes.problems)) == sorted(map(str, fresh.problems))
        known = applied(known, changes)
        for ref, each in known.items():
            content = await source.read(ref)
            assert (content.revision, content.total) == (each.revision, each.size)
    for ref in {".h/a", "secret", "../secret", *known} - known.keys():
        try:
            await source.read(ref)
        except Unreadable:
            continue
        raise AssertionError(f"{ref} was read")


HISTORIES = st.lists(st.lists(EDITS, max_size=6), min_size=1, max_size=4)


@given(HISTORIES, st.sampled_from([FolderSource, SkillsSource]))
@runs(max_examples=60)
def test_known_and_changes_are_a_fresh_listing(history, kind) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "secret").write_text("secret")
        root = Path(folder) / "root"
        root.mkdir()
        anyio.run(check, root, kind, history)
