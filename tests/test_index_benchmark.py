"""What bench_index measures is what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import bench_index
from benchmarks.bench_index import Asked, Measured
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
