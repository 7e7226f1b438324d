from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.cuts import Cut, Policy, fold, new_cut, standing_cut, tokens_shown
from agentmaker.context.floor import check_floor
from agentmaker.context.sizes import SKELETON, Unit
from agentmaker.errors import ContextWindowExceeded


def user(tokens: int) -> Unit:
    return Unit(rigid=4, elastic=(tokens,), kind="question")


def answer(tokens: int) -> Unit:
    return Unit(rigid=4, elastic=(tokens,), kind="answer")


def work(*results: int) -> Unit:
    return Unit(rigid=12 + 4 * len(results), elastic=results, kind="work")


def policy(room: int, *, most: int | None = None, share: float = 0.6, recap: int = 0) -> Policy:
    return Policy(
        room=room, most=room if most is None else most, target=int(room * share), recap=recap
    )


def shown(cut: Cut | None, total: int) -> list[int]:
    return list(range(total)) if cut is None else [index for index, _ in cut.shown(total)]


texts = st.integers(1, 400)
works = st.lists(st.integers(1, 3_000), min_size=1, max_size=4)
conversations = st.lists(
    st.one_of(texts.map(user), texts.map(answer), works.map(lambda sizes: work(*sizes))),
    min_size=1,
    max_size=40,
)
rooms = st.integers(0, 6_000)


@given(conversations, rooms, rooms, st.floats(0.1, 1.0))
def test_a_cut_fits_or_names_what_is_too_large(
    units: list[Unit], room: int, extra: int, share: float
) -> None:
    limits = policy(room, most=room + extra, share=share, recap=room // 5)
    with suppress(ContextWindowExceeded):
        assert tokens_shown(units, standing_cut(units, limits, None)) <= max(room, limits.most)


@given(conversations, rooms)
def test_what_is_refused_would_not_fit_at_its_barest(units: list[Unit], room: int) -> None:
    asked = [unit for unit in units if unit.kind == "question"][-1:]
    bare = [*asked, *(unit for unit in units[-1:] if unit not in asked)]
    if sum(unit.within(16) if unit.kind != "question" else unit.within() for unit in bare) <= room:
        check_floor(units, room)


@given(conversations, rooms, st.floats(0.1, 1.0))
def test_the_question_is_always_whole_and_the_newest_unit_shown(
    units: list[Unit], room: int, share: float
) -> None:
    try:
        cut = standing_cut(units, policy(room, share=share), None)
    except ContextWindowExceeded:
        return
    caps = dict(cut.shown(len(units))) if cut else dict.fromkeys(range(len(units)))
    assert len(units) - 1 in caps
    asked = [index for index, unit in enumerate(units) if unit.kind == "question"]
    if asked:
        assert caps[asked[-1]] is None


@given(conversations, st.integers(200, 6_000))
def test_a_fold_in_one_go_is_the_fold_call_by_call(units: list[Unit], room: int) -> None:
    limits = policy(room, most=room * 2, recap=room // 10)
    cut: Cut | None = None
    for end in range(1, len(units) + 1):
        cut = fold(units[:end], limits, cut)
    assert cut == fold(units, limits)


@given(conversations, st.integers(200, 6_000), st.lists(texts.map(answer), max_size=5))
def test_a_cut_stands_while_what_it_shows_fits(
    units: list[Unit], room: int, more: list[Unit]
) -> None:
    limits = policy(room)
    try:
        cut = standing_cut(units, limits, None)
    except ContextWindowExceeded:
        return
    longer = [*units, *more]
    if tokens_shown(longer, cut) <= room:
        assert standing_cut(longer, limits, cut) == cut


@given(st.lists(st.integers(1, 90), min_size=30, max_size=60), st.integers(1_000, 2_000))
def test_a_new_cut_ends_below_its_target_by_less_than_one_unit(sizes: list[int], room: int) -> None:
    units = [user(10), *(work(size) for size in sizes)]
    limits = policy(room, share=0.5)
    if tokens_shown(units, None) <= room:
        return
    cut = new_cut(units, limits)
    first = min(index for index in shown(cut, len(units)) if index > 0)
    assert tokens_shown(units, cut) <= limits.target
    assert tokens_shown(units, cut) + units[first - 1].within() > limits.target


@given(st.lists(st.integers(1, 90), min_size=40, max_size=60))
def test_a_cut_that_fills_leaves_less_than_one_unit_and_gives_it_to_the_recap(
    sizes: list[int],
) -> None:
    units = [user(10), *(work(size) for size in sizes)]
    room = tokens_shown(units, None) // 2
    cut = new_cut(units, policy(room, share=1.0, recap=room // 5))
    assert tokens_shown(units, cut) == room


def test_the_output_reserve_gives_way_before_the_floor_does() -> None:
    units = [user(100), work(1_000), user(50)]
    cut = standing_cut(units, policy(100, most=600), None)
    assert cut is not None
    assert 100 < tokens_shown(units, cut) <= 600


def test_old_results_are_shortened_before_their_units_are_dropped() -> None:
    units = [user(50), *(work(2_000) for _ in range(12))]
    cut = new_cut(units, policy(9_000, share=1.0))
    caps = dict(cut.kept)
    assert caps[12] is None
    assert SKELETON in caps.values()
    assert not cut.drops


def test_a_result_larger_than_the_window_is_capped_not_removed() -> None:
    units = [user(20), work(10, 9_000)]
    cut = standing_cut(units, policy(500), None)
    assert cut is not None
    cap = dict(cut.kept)[1]
    assert cap is not None
    assert cap >= 16
    assert tokens_shown(units, cut) <= 500


def test_a_question_larger_than_the_room_is_named() -> None:
    with pytest.raises(ContextWindowExceeded) as caught:
        check_floor([user(900)], 500)
    assert (caught.value.part, caught.value.needed, caught.value.room) == ("the question", 904, 500)


def test_the_last_exchange_is_kept_when_the_trajectory_grows_past_the_history() -> None:
    history: Sequence[Unit] = [user(30), answer(30), user(31), answer(31)]
    units = [*history, user(10), *(work(200) for _ in range(20))]
    cut = new_cut(units, policy(1_500, share=0.6))
    assert shown(cut, len(units))[:3] == [2, 3, 4]


def test_a_recap_is_not_longer_than_half_of_what_it_stands_for() -> None:
    units = [user(10), *(work(80) for _ in range(10))]
    room = tokens_shown(units, None) - 10
    cut = new_cut(units, policy(room, share=1.0, recap=400))
    dropped = tokens_shown(units, None) - sum(units[index].within() for index, _ in cut.kept)
    assert cut.drops
    assert cut.recap <= dropped


@given(conversations, rooms)
def test_without_a_recap_a_cut_begins_with_the_user_as_the_conversation_did(
    units: list[Unit], room: int
) -> None:
    units = [user(10), *units]
    with suppress(ContextWindowExceeded):
        cut = standing_cut(units, policy(room), None)
        begins = units[shown(cut, len(units))[0]].kind
        assert begins == "question" or (cut and cut.recap)
