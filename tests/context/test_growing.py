from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.growing import NO_NAMES, Growing

parts = st.lists(st.lists(st.integers(), max_size=5), max_size=6)


@given(parts, parts, st.integers(0, 40))
def test_two_that_go_on_from_one_do_not_see_each_other(
    first: list[list[int]], other: list[list[int]], cut: int
) -> None:
    one, known = Growing[int](), list[int]()
    for part in first:
        one, known = one.and_then(part), [*known, *part]
    two, also = one.upto(min(cut, len(one))), known[:cut]
    for part in other:
        two, also = two.and_then(part), [*also, *part]
    assert (list(one), list(two)) == (known, also)
    assert (len(one), one[1:4], list(reversed(two))) == (len(known), known[1:4], also[::-1])


def test_a_place_that_others_added_is_out_of_reach() -> None:
    one = Growing([1, 2])
    one.and_then([3])
    assert [one[-1], *one[1:9]] == [2, 2]
    assert 3 not in one
    assert one == Growing([1, 2]) != Growing([1])


def test_threads_may_go_on_from_the_same_one() -> None:
    begun, grown = Growing([0]), list[Growing[int]]()
    start = threading.Barrier(8)

    def go_on(number: int) -> None:
        start.wait()
        for _ in range(200):
            grown.append(begun.and_then([number, number]))

    threads = [threading.Thread(target=go_on, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each[0] == 0 and each[1] == each[2] and len(each) == 3 for each in grown)


@given(st.lists(st.sampled_from("ab"), max_size=6), st.lists(st.sampled_from("ab"), max_size=6))
def test_whether_a_list_begins_with_it_is_said_and_the_list_left_alone(
    known: list[str], items: list[str]
) -> None:
    longer, before = Growing([*known, "c"]).upto(len(known)), [*items]
    assert longer.begins(items) == Growing(known).begins(items) == (items[: len(known)] == known)
    assert items == before


def test_a_list_whose_items_cannot_be_compared_is_left_alone() -> None:
    class Odd:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not me")

    items = [Odd(), 1, 2]
    with pytest.raises(RuntimeError, match="not me"):
        Growing[object](["known"]).begins(items)
    assert items[1:] == [1, 2]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=4), max_size=12))
def test_names_are_known_once_they_were_added(added: list[list[str]]) -> None:
    names, known = NO_NAMES, set[str]()
    for part in added:
        names, known = names.and_then(part), known | set(part)
        assert {name for name in "abcdefgh" if name in names} == known


@given(st.lists(st.integers(-9, 9)), st.integers(-10, 10), st.integers(0, 40))
def test_values_that_rise_are_found_among_its_own(
    items: list[int], value: int, length: int
) -> None:
    rising = Growing(sorted(items)).upto(min(length, len(items)))
    assert rising.upto_value(value) == sum(each <= value for each in rising)
    assert rising.upto_value(-value, key=lambda each: each - 1) == sum(
        each - 1 <= -value for each in rising
    )
    assert rising.upto_value(value, len(rising)) == len(rising)
