"""What bench_index measures is what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentmaker.tasks.package import Block, ContextPackage, Ref
from benchmarks import bench_index, bound, generations
from benchmarks.bench_index import Asked, Measured
from benchmarks.bound import Bound
from benchmarks.generations import Judged, all_the_same, at_one_moment, text_of
from benchmarks.shelf import BYTES, Shelf, queries


def test_texts_are_a_kilobyte_and_the_same_again():
    once, again = [*Shelf(4).items()], [*Shelf(4).items()]
    assert once == again
    assert [*Shelf(4, edition=2).items()] != once
    sizes = [len(passage.text.encode()) for item in once for passage in item.passages]
    assert all(BYTES - 3 < size <= BYTES for size in sizes)


def test_the_same_is_asked_again():
    assert queries(3) == queries(3)
    assert {len(each) for each in queries(3).values()} == {3}


@pytest.mark.parametrize("place", ["a file", "memory"])
def test_a_small_index_is_measured(place):
    found = bench_index.one(place, 30)
    assert found.written == (bench_index.CHANGED if place == "a file" else 0)
    assert (found.place, found.put_again) == (place, 0)
    assert len(found.asked) == len(queries(1))
    assert len(found.row) == len(bench_index.PLACE_COLUMNS)
    assert all(len(each.row) == len(bench_index.QUERY_COLUMNS) for each in found.asked)


def test_missed_bars_are_shown():
    fine = Measured("a file", 1.0, 0.1, 10, 0.1, 0, 100.0, 1.0, [Asked("any", [1.0], [2.0])])
    assert all(bar.met for bar in fine.bars())
    slow = [Asked("any", [1.0], [bench_index.MOST_MS + 1.0])]
    for worse in (
        replace(fine, built=61.0),
        replace(fine, asked=slow),
        replace(fine, peak=301.0),
        replace(fine, written=11),
        replace(fine, reopened=1.5),
        replace(fine, put_again=1),
    ):
        assert [bar.met for bar in worse.bars()].count(False) == 1


@pytest.mark.parametrize("kind", bound.KINDS)
def test_a_small_task_is_measured(kind):
    found = bound.bound(kind, 30)
    assert (found.update_read, found.update_written) == (bound.CHANGED, bound.CHANGED)
    assert (found.reopen_read, found.reopen_written) == (0 if kind == "files" else 30, 0)
    assert len(found.row) == len(bound.COLUMNS)


def test_missed_bars_of_a_task_are_shown():
    fine = Bound("files", 1.0, 5.0, 90.0, 20.0, 10, 10, 50.0, 0, 0, 100.0)
    assert all(bar.met for bar in fine.bars())
    for worse in (
        replace(fine, built=61.0),
        replace(fine, read=51.0),
        replace(fine, update_read=11),
        replace(fine, update_written=20_000),
        replace(fine, reopen_read=1),
        replace(fine, reopen_written=1),
        replace(fine, peak=301.0),
    ):
        assert [bar.met for bar in worse.bars()].count(False) == 1


def test_of_things_replaced_in_order_the_first_are_one_generation_newer():
    assert at_one_moment([2, 2, 1])
    assert at_one_moment([1, 1])
    assert at_one_moment([])
    assert not at_one_moment([1, 2])
    assert not at_one_moment([3, 1])
    assert all_the_same([2, 2])
    assert not all_the_same([2, 1])


def package(revision: str, *texts: str) -> ContextPackage:
    blocks = tuple(
        Block(reference_id=f"r{at}", role="", label="", text=text, completeness="complete")
        for at, text in enumerate(texts)
    )
    refs = tuple(
        Ref(
            reference_id=block.reference_id,
            binding_id="",
            source_id="",
            source_revision="",
            ref=block.reference_id,
            revision="",
        )
        for block in blocks
    )
    return ContextPackage(
        revision=revision, consumer="", phase="", query="", blocks=blocks, refs=refs
    )


def test_a_package_of_no_one_moment_is_counted():
    found = Judged("files")
    found.take(package("1", text_of(2, 0), text_of(1, 1)), at_one_moment)
    assert found.inconsistent == 0
    found.take(package("1", text_of(2, 0), text_of(2, 1)), at_one_moment)
    assert found.inconsistent == 1  # another text at the same revision
    found.take(package("2", text_of(1, 0), text_of(2, 1)), at_one_moment)
    assert found.inconsistent == 2
    assert len(found.row) == len(generations.COLUMNS)


@pytest.mark.anyio
async def test_a_few_readers_are_judged_while_files_and_records_change(tmp_path):
    for found in (await generations.files(tmp_path, 3), await generations.records(3)):
        assert found.packages == 3 * generations.READS
        assert found.inconsistent == 0
