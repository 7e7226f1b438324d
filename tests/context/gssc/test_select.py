from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import ContextPacket, ContextWindowExceeded, GSSCConfig, count_tokens
from agentmaker.context.gssc import select
from agentmaker.context.gssc.select import relevance

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SYSTEM = {"type": "system_instruction"}
TURN = {"type": "conversation_history"}


def packet(content="a", relevance=0.8, tokens=1, days=0, **more):
    return ContextPacket(content, NOW - timedelta(days=days), tokens, relevance, **more)


def chosen(packets, query="tea", **given):
    return select(packets, query, now=NOW, **given)


def contents(selection):
    return [each.content for each in selection.packets]


def reasons(selection):
    return {each.packet.content: each.reason for each in selection.excluded}


def test_the_best_by_relevance_and_newness_are_taken_until_the_room_is_full():
    old, new, faint = (
        packet("old", 0.8, 10, days=30),
        packet("new", 0.7, 10),
        packet("faint", 0.3, 10),
    )
    selection = chosen([faint, old, new], budget=20)
    assert contents(selection) == ["new", "old"]
    assert reasons(selection) == {"faint": "budget_exhausted"}


def test_the_score_is_seven_parts_relevance_and_three_parts_recency():
    even = 0.9 - 0.3 / 0.7 * (1 - math.exp(-1))  # ten days newer makes up for so much relevance
    pair = [packet("old", 0.9, days=10), packet("more", even + 0.001), packet("less", even - 0.001)]
    assert contents(chosen(pair)) == ["more", "old", "less"]


def test_weights_are_those_of_the_configuration():
    config = GSSCConfig(recency_weight=1, relevance_weight=0)
    assert contents(chosen([packet("old", 1, days=5), packet("new", 0.2)], config=config)) == [
        "new",
        "old",
    ]


def test_system_instructions_are_apart_and_first():
    system = packet("rules", 0, 5, metadata=SYSTEM)
    assert contents(chosen([packet("b"), system], budget=6)) == ["rules", "b"]


@pytest.mark.parametrize("budget", [0, 3, 5])
def test_system_instructions_that_fill_the_budget_come_back_alone(budget):
    system = packet("rules", 0, 5, metadata=SYSTEM)
    selection = chosen([packet("b"), packet("", tokens=0), system], budget=budget)
    assert contents(selection) == ["rules"]
    assert set(reasons(selection).values()) == {"budget_exhausted"}


def test_relevance_is_worked_out_only_where_nobody_gave_any():
    selection = chosen([packet("green tea", 0.5), packet("no match", 0.51)], "tea prices")
    assert [each.relevance_score for each in selection.packets] == [0.51, 0.5]
    assert chosen([packet("tea prices", 0.5)], "tea prices").packets[0].relevance_score == 1.0


def test_a_chinese_question_finds_the_passage_that_answers_it():
    answer = packet("绿茶的价格是每斤三百元", 0.5)
    other = packet("会议室在三楼", 0.5)
    selection = chosen([other, answer], "绿茶价格多少？")
    assert contents(selection) == [answer.content]
    assert reasons(selection) == {other.content: "below_min_relevance"}


@pytest.mark.parametrize(
    ("query", "content", "share"),
    [
        ("tea prices", "Prices of TEA", 1.0),
        ("tea prices", "coffee prices", 0.5),
        ("tea", "", 0.0),
        ("", "tea", 0.5),
        ("?!", "tea", 0.5),
    ],
)
def test_relevance_is_the_share_of_the_questions_terms(query, content, share):
    assert relevance(query, content) == share


def test_what_is_hardly_relevant_is_dropped_however_new():
    selection = chosen([packet("faint", 0.09), packet("just", 0.1)])
    assert (contents(selection), reasons(selection)) == (["just"], {"faint": "below_min_relevance"})


def test_room_is_not_left_unused_while_one_that_fits_waits():
    selection = chosen([packet("big", 0.9, 50), packet("small", 0.2, 10)], budget=20)
    assert (contents(selection), reasons(selection)) == (["small"], {"big": "budget_exhausted"})


def test_required_packets_are_in_whatever_their_score():
    kept = packet("policy", 0, 15, required=True)
    selection = chosen([packet("best", 1, 10), kept], budget=20)
    assert (contents(selection), reasons(selection)) == (["policy"], {"best": "budget_exhausted"})


def test_required_packets_that_do_not_fit_are_an_error_with_the_figures():
    packets = [packet("rules", 1, 6, metadata=SYSTEM), packet("policy", 1, 15, required=True)]
    with pytest.raises(ContextWindowExceeded, match="require fewer") as caught:
        chosen(packets, budget=20)
    assert (caught.value.part, caught.value.needed, caught.value.room) == (
        "the required packets",
        15,
        14,
    )


def test_a_packet_cannot_say_that_it_is_smaller_than_it_is():
    assert contents(chosen([packet("x" * 400, tokens=0)], budget=99)) == []
    assert len(contents(chosen([packet("x" * 400, tokens=0)], budget=100))) == 1


def test_the_room_of_the_configuration_is_the_default():
    config = GSSCConfig(max_tokens=10)
    assert contents(chosen([packet("a", tokens=8)], config=config)) == ["a"]
    assert contents(chosen([packet("a", tokens=9)], config=config)) == []


def test_of_equal_packets_the_first_is_taken():
    assert contents(chosen([packet(name) for name in "abc"], budget=2)) == ["a", "b"]


def test_what_was_found_twice_is_in_once_and_a_turn_stays_case_88():
    turn = packet("user: tea", relevance=0.1, metadata=TURN)
    found = [packet("tea"), packet("tea", relevance=0.9), packet("milk tea"), turn, turn]
    selection = chosen(found)
    assert contents(selection) == ["tea", "milk tea", "user: tea", "user: tea"]
    assert [each.reason for each in selection.excluded] == ["duplicate"]


def test_a_required_packet_stands_for_what_says_the_same():
    required = ContextPacket("tea", relevance_score=0.1, required=True)
    selection = select([packet("tea", relevance=0.9), required], "tea", now=NOW)
    assert selection.packets == (required,)


def test_without_a_moment_packets_are_as_old_as_they_are_now():
    fresh, old = ContextPacket("new", relevance_score=0.8), packet("old", days=3000)
    assert contents(select([old, fresh], "tea")) == ["new", "old"]


def cost(packet):
    return max(packet.token_count, count_tokens(packet.content))


PACKETS = st.lists(
    st.builds(
        packet,
        st.text("ab 茶\n", max_size=12),
        st.sampled_from([0, 0.05, 0.3, 0.5, 0.8, 1]),
        st.integers(0, 30),
        st.integers(0, 60),
        metadata=st.sampled_from([{}, SYSTEM, {"type": "knowledge"}]),
    ),
    max_size=8,
)


@given(PACKETS, st.integers(0, 120))
def test_the_same_packets_make_the_same_selection_and_none_is_lost(packets, budget):
    first, again = chosen(packets, budget=budget), chosen(packets, budget=budget)
    assert first == again
    everything = [*first.packets, *(each.packet for each in first.excluded)]
    assert sorted(each.content for each in everything) == sorted(each.content for each in packets)


@given(PACKETS, st.integers(0, 120), st.randoms())
def test_no_order_of_the_packets_loses_one_or_fills_more_than_the_room(packets, budget, random):
    shuffled = random.sample(packets, len(packets))
    for each in (packets, shuffled):
        selection = chosen(each, budget=budget)
        spent = sum(cost(p) for p in selection.packets if p.metadata != SYSTEM)
        assert not spent or spent <= budget
        assert len(selection.packets) + len(selection.excluded) == len(packets)
    roomy, other = chosen(packets, budget=10_000), chosen(shuffled, budget=10_000)
    assert sorted(contents(roomy)) == sorted(contents(other))


@given(PACKETS, st.integers(1, 120))
def test_whatever_was_left_out_for_want_of_room_would_not_fit(packets, budget):
    selection = chosen(packets, budget=budget)
    free = budget - sum(map(cost, selection.packets))
    for each in selection.excluded:
        if each.reason == "budget_exhausted":
            assert cost(each.packet) > free or free <= 0
