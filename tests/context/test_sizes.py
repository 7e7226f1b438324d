from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.sizes import Unit, Units, as_units

units = st.builds(
    Unit,
    rigid=st.integers(0, 50),
    elastic=st.lists(st.integers(0, 50), max_size=2).map(tuple),
    kind=st.sampled_from(["question", "answer", "work", "other"]),
)


def last(found: list[Unit], end: int, kind: str) -> int | None:
    return next((place for place in reversed(range(end)) if found[place].kind == kind), None)


@given(st.lists(units, max_size=12), st.lists(units, max_size=6), st.data())
def test_totals_and_places_are_those_of_the_units(
    first: list[Unit], more: list[Unit], data: st.DataObject
) -> None:
    begun = data.draw(st.integers(0, len(first)))
    grown = Units(first).upto(begun).and_then(more)
    found = [*first[:begun], *more]
    start = data.draw(st.integers(0, len(found)))
    end = data.draw(st.integers(start, len(found)))
    assert grown.total(start, end) == sum(unit.within() for unit in found[start:end])
    assert grown.last_question(end) == last(found, end, "question")
    assert grown.last_answer(end) == last(found, end, "answer")
    assert grown.first_question() == next(
        (place for place, unit in enumerate(found) if unit.kind == "question"), None
    )
    assert (list(grown), grown, as_units(grown) is grown) == (found, Units(found), True)


@given(st.lists(units, max_size=12), st.lists(units, max_size=6), st.data())
def test_what_was_kept_is_summed_anew_where_its_units_are_others(
    first: list[Unit], more: list[Unit], data: st.DataObject
) -> None:
    begun = data.draw(st.integers(0, len(first)))
    found = [*first[:begun], *more]
    known = Units(first)
    places = (
        data.draw(st.sets(st.integers(0, min(len(first), len(found)) - 1)))
        if (first and found)
        else set()
    )
    kept = tuple((place, data.draw(st.none() | st.integers(0, 50))) for place in sorted(places))
    known.within(kept)
    grown = known.upto(begun).and_then(more)
    for _ in range(2):
        assert grown.within(kept) == sum(
            found[place].within() if cap is None else found[place].within(cap)
            for place, cap in kept
        )
