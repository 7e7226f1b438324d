from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.errors import StoreError
from agentmaker.memory.shelf import Shelf

keys = st.sampled_from("abcdef")
steps = st.lists(
    st.tuples(st.sampled_from(["put", "get", "pin", "unpin", "drop"]), keys, st.integers(0, 5)),
    max_size=60,
)


def walk(shelf: Shelf[str, int], history: list[tuple[str, str, int]]) -> None:
    """Do what *history* says, and see after every step that the shelf is as it must be."""
    pins: Counter[str] = Counter()
    for step, key, weight in history:
        if step == "put":
            try:
                shelf.put(key, weight, weight)
            except StoreError:
                assert sum(shelf._items[k] for k in pins if k in shelf._items) + weight > 8
            else:
                assert shelf.get(key) == weight
        elif step == "pin":
            shelf.pin(key)
            pins[key] += 1
        elif step == "unpin" and pins[key]:
            shelf.unpin(key)
            pins[key] -= 1
        elif step in ("get", "drop"):
            getattr(shelf, step)(key)
        pins = +pins
        check(shelf, pins)


def check(shelf: Shelf[str, int], pins: Counter[str]) -> None:
    held = dict(shelf.items())
    assert sum(held.values()) <= 8
    assert len(held) <= max(3, len(held.keys() & pins.keys()) + 1)
    assert shelf._weight == sum(held.values())
    assert shelf._pinned_weight == sum(held[key] for key in held.keys() & pins.keys())
    assert set(shelf._loose) == held.keys() - pins.keys()


@given(steps)
def test_it_never_holds_more_than_it_may_whatever_happens(
    history: list[tuple[str, str, int]],
) -> None:
    walk(Shelf(most=3, heaviest=8, full="full"), history)


@given(steps)
def test_what_is_pinned_stays(history: list[tuple[str, str, int]]) -> None:
    shelf: Shelf[str, int] = Shelf(most=3, heaviest=8, full="full")
    shelf.pin("kept")
    shelf.put("kept", 2, 2)
    for _, key, weight in history:
        shelf.put(key, weight, weight)
    assert shelf.get("kept") == 2


def test_what_was_not_used_for_longest_goes_first() -> None:
    shelf: Shelf[str, int] = Shelf(most=2, heaviest=10, full="full")
    for key in "ab":
        shelf.put(key, 1, 1)
    shelf.get("a")
    shelf.put("c", 1, 1)
    assert dict(shelf.items()) == {"a": 1, "c": 1}


def test_what_is_put_again_was_used_last() -> None:
    shelf: Shelf[str, int] = Shelf(most=2, heaviest=10, full="full")
    for key, weight in (("a", 1), ("b", 1), ("a", 2), ("c", 3)):
        shelf.put(key, weight, weight)
    assert list(shelf.items()) == [("a", 2), ("c", 3)]


def test_what_can_never_fit_is_refused_and_nothing_goes_for_it() -> None:
    shelf: Shelf[str, int] = Shelf(most=2, heaviest=10, full="it is full")
    shelf.put("a", 1, 1)
    with pytest.raises(StoreError, match="it is full"):
        shelf.put("b", 11, 11)
    assert dict(shelf.items()) == {"a": 1}
