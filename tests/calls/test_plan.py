from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.plan import RECAP_MOST, Plan
from agentmaker.calls.room import Room
from agentmaker.calls.views import Key, Turn
from agentmaker.context.cuts import Cut
from agentmaker.context.elastic import unit_sizes
from agentmaker.messages import read_messages, units
from agentmaker.tokens import count_tokens
from tests.calls.talk import assistant, calls, result, user

KEY = Key(None, "policy", b"")
TALK = read_messages([user("1"), assistant("a"), user("2"), calls("c"), result("c"), assistant()])


def plan(cut: Cut | None = None, asked: int | None = 2, **given: Any) -> Plan:
    room = given.pop("room", Room(window=8_000, output=4_000, least_output=500, system=100))
    return Plan(
        room=room,
        account=room,
        conversation=TALK,
        units=tuple(unit_sizes(TALK, units(TALK), count_tokens)),
        spans=tuple(units(TALK)),
        asked=asked,
        key=KEY,
        turn=Turn(KEY, ()),
        cut=cut,
        **given,
    )


def test_the_question_divides_history_from_work():
    assert (plan().history, plan().work) == (range(2), range(3, 5))
    assert (plan(asked=None).history, plan(asked=None).work) == (range(0), range(5))


def test_without_a_cut_everything_is_shown():
    assert list(plan().shown_in(range(5))) == [(unit, None) for unit in range(5)]
    assert plan().dropped_in(range(5)) == []
    assert plan().shown_tokens == plan().tokens_in(range(5))


def test_a_cut_says_what_is_shown_and_how_short():
    cut = Cut(end=4, kept=((2, None), (3, 16)), asked=2)
    assert list(plan(cut).shown_in(range(5))) == [(2, None), (3, 16), (4, None)]
    assert plan(cut).dropped_in(plan(cut).history) == [range(2)]
    assert (plan(cut).before, plan(cut).behind) == (range(2), range(3, 4))


def test_a_unit_s_messages_stay_together():
    assert [each.role for each in plan().messages_of(3)] == ["assistant", "tool"]


@given(st.integers(0, 20_000), st.floats(0.01, 1), st.integers(0, 9_000), st.floats(0, 1))
def test_case_107_no_room_is_negative_and_a_cut_goes_no_deeper_than_its_room(
    output, mark, block, share
):
    room = Room(
        window=8_000, output=max(500, output), least_output=500, system=100, block_share=share
    )
    policy = plan(room=room, block_tokens=block).policy(mark)
    assert 0 <= policy.target <= policy.room <= max(0, policy.most)
    assert 0 <= policy.recap <= min(RECAP_MOST, policy.target)


@pytest.mark.parametrize(("mark", "share"), [(1.0, 1.0), (0.5, 0.5)])
def test_a_mark_at_the_brim_fills_the_room(mark, share):
    policy = plan().policy(mark)
    assert policy.target == int(policy.room * share)
