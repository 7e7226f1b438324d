"""What bench_mmr compares with is what it says."""

from __future__ import annotations

import pytest

from benchmarks import bench_mmr
from benchmarks.embedded import found
from benchmarks.naive_mmr import naive_picks


def test_the_naive_loop_picks_by_the_definition():
    rows = [[1.0, 0.0], [0.99, 0.01], [0.6, 0.8], [0.0, 1.0]]
    assert naive_picks(rows, [1.0, 0.9, 0.8, 0.5], 3, 0.7, 0.95) == [0, 2, 3]


def test_the_naive_loop_ends_when_only_duplicates_are_left():
    assert naive_picks([[1.0, 0.0]] * 3, [1.0, 0.9, 0.8], 3, 0.7, 0.95) == [0]


def test_a_search_finds_the_same_again_but_not_for_another_question():
    once, again, other = found(30, 8, 1), found(30, 8, 1), found(30, 8, 2)
    assert once == again != other
    assert once.shape == (30, 8)
    assert max(once.scores) <= 1


def test_each_embedding_is_a_buffer_of_its_own():
    vectors = found(10, 8).vectors
    assert len({each.buffer_info()[0] for each in vectors}) == 10


def test_the_naive_loop_and_ours_are_compared_by_what_they_pick(monkeypatch):
    given = found(30, 384)
    assert min(given.scores) > 0
    assert bench_mmr.naive(given)[1]
    monkeypatch.setattr(bench_mmr, "THRESHOLD", 0.5)
    monkeypatch.setattr(bench_mmr, "selected", lambda candidates: candidates[:20])
    assert not bench_mmr.naive(given)[1]


def test_a_missed_bar_is_shown():
    fast = bench_mmr.Speed(bench_mmr.MIDDLE, ours=1.0, pyversity=1.0, plain=2.0)
    slow = bench_mmr.Speed(bench_mmr.LARGEST, ours=7.0, pyversity=10.0, plain=2.0)
    speeds = {bench_mmr.MIDDLE: fast, bench_mmr.LARGEST: slow}
    assert [bar.met for bar in bench_mmr._speed_bars(speeds)] == [True, False]
    assert [bar.met for bar in bench_mmr._naive_bars(399.0, True, fast)] == [False, True]


def test_what_is_not_installed_is_said_and_held_to_no_bar():
    alone = bench_mmr.Speed(bench_mmr.MIDDLE, ours=None, pyversity=None, plain=2.0)
    assert alone.row[1:4] == ("not installed",) * 3
    assert not list(bench_mmr._speed_bars(dict.fromkeys(bench_mmr.MOST_OF_PYVERSITY, alone)))


def test_pauses_are_measured_around_the_selection():
    pytest.importorskip("numpy")
    candidates = found(40, 8).candidates(bench_mmr.numpy_row)
    assert bench_mmr.longest_pause(candidates, runs=1) > 0
