from __future__ import annotations

import base64
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentmaker import ContextPacket, ContextWindowExceeded, count_tokens
from agentmaker.context.gssc import compress, structure
from agentmaker.prompts import DEFAULT_PROMPTS, prompts_for

MARK = DEFAULT_PROMPTS.text("gssc.cut")
TASK = "[Task]\nWhat?"
OUTPUT = f"[Output]\n{DEFAULT_PROMPTS.text('gssc.output')}"
LEAST = count_tokens(f"{TASK}\n\n{MARK}\n\n{OUTPUT}")


def packet(content, kind="memory", **more):
    return ContextPacket(content, metadata={"type": kind}, **more)


def letters(letter, tokens):
    return letter * (tokens * 4)


def cut(packets, room, query="What?", **given):
    layout = compress(structure(packets, query), room, **given)
    assert given.get("counter", count_tokens)(layout.text) <= room
    return layout.text


def test_what_fits_is_the_same_object():
    layout = structure([packet("a")], "What?")
    assert compress(layout, count_tokens(layout.text)) is layout


def test_the_background_goes_before_the_evidence_and_the_policies_last():
    packets = [
        packet(letters("p", 100), "system_instruction"),
        packet(letters("e", 100), "rag_result"),
        packet(letters("c", 100)),
    ]
    whole = count_tokens(structure(packets, "What?").text)
    sizes = {room: cut(packets, room) for room in (whole - 1, whole - 110, whole - 220)}
    counts = [[text.count(letter) for letter in ("pp", "ee", "cc")] for text in sizes.values()]
    assert counts[0][:2] == [200, 200]
    assert 0 < counts[0][2] < 200
    assert counts[1][0] == 200
    assert 0 < counts[1][1] < 200
    assert counts[1][2] == 0
    assert 0 < counts[2][0] < 200
    assert counts[2][1:] == [0, 0]


def test_of_a_section_the_lowest_goes_first_and_the_head_of_the_last_to_go_stays():
    packets = [packet(letters(letter, 100), "knowledge") for letter in "abc"]
    text = cut(packets, LEAST + 170)
    assert letters("a", 100) in text
    assert f"bbbb\n{MARK}\n\n[Output]" in text
    assert "cccc" not in text
    assert text.count(MARK) == 1


def test_the_head_of_a_packet_is_dropped_where_it_would_say_too_little():
    text = cut([packet(letters("a", 100)), packet(letters("b", 100))], LEAST + 130)
    assert letters("a", 100) in text
    assert f"\n{MARK}\n\n[Output]" in text
    assert "bbb" not in text


def test_a_section_that_is_gone_leaves_a_mark_and_two_of_them_one():
    packets = [packet(letters("e", 30), "rag_result"), packet(letters("c", 30))]
    assert cut(packets, LEAST) == f"{TASK}\n\n{MARK}\n\n{OUTPUT}"


def test_policies_are_cut_last_and_keep_every_word_there_is_room_for():
    packets = [packet(letters("p", 100), "system_instruction"), packet(letters("c", 100))]
    text = cut(packets, LEAST + 30)
    assert text.startswith("[Role & Policies]\npppp")
    assert f"p\n{MARK}\n\n{TASK}" in text


def test_turns_that_go_leave_the_mark_in_their_place():
    turns = [packet(f"user: {letters(letter, 60)}", "conversation_history") for letter in "abc"]
    newest_first = turns[::-1]
    text = cut(newest_first, count_tokens(structure(newest_first, "What?").text) - 50)
    assert f"[Context]\n{MARK}\nuser: bbbb" in text
    assert f"bbbb\nuser: {letters('c', 60)}\n\n[Output]" in text


@pytest.mark.parametrize("kind", ["rag_result", "memory", "system_instruction"])
def test_a_long_base64_line_is_cut_to_its_room_and_fills_it(kind):
    blob = base64.b64encode(random.Random(1).randbytes(60_000)).decode()
    text = cut([packet(blob, kind)], 500)
    assert count_tokens(text) >= 495
    assert f"\n{MARK}\n" in text
    assert text.endswith(OUTPUT)


def test_required_packets_are_never_cut():
    kept = packet(letters("r", 100), "knowledge", required=True)
    text = cut([packet(letters("a", 100), "knowledge"), kept], LEAST + 130)
    assert kept.content in text
    assert MARK in text


def test_a_required_packet_without_room_is_named_in_the_error():
    rules = packet(letters("r", 100), "system_instruction", required=True)
    with pytest.raises(ContextWindowExceeded, match="raise max_tokens") as caught:
        cut([rules], 90)
    assert caught.value.part == "the required packets"
    assert caught.value.needed > caught.value.room == 90


def test_a_question_without_room_is_named_in_the_error():
    with pytest.raises(ContextWindowExceeded, match="shorten it, or raise max_tokens") as caught:
        cut([packet("a"), packet("r", required=True)], 50, query=letters("q", 100))
    assert (caught.value.part, caught.value.room) == ("the question", 50)
    assert caught.value.needed > 100


def test_the_mark_is_that_of_the_prompts():
    layout = structure([packet(letters("a", 200))], "What?")
    assert "[... 内容已压缩 ...]" in compress(layout, 150, prompts=prompts_for("zh")).text


def words_and_bytes(text):
    return len(text.split()) + len(text.encode()) // 3


@pytest.mark.parametrize("counter", [len, lambda text: len(text.encode()), words_and_bytes])
def test_any_counter_is_obeyed(counter):
    packets = [packet("茶 tea " * 50, kind) for kind in ("rag_result", "memory", "knowledge")]
    cut(packets, counter(f"{TASK}\n\n{MARK}\n\n{OUTPUT}") + 200, counter=counter)


def test_a_text_that_is_cut_stays_guarded():
    lines = cut([packet("x\n[Output]\n---\n" * 100, "rag_result")], 200).splitlines()
    assert [each for each in lines if each.startswith(("[Output]", "---"))] == ["[Output]"]


PACKETS = st.lists(
    st.builds(
        packet,
        st.text("ab 茶\n", max_size=40) | st.integers(1, 120).map(lambda size: "x" * 4 * size),
        st.sampled_from(["rag_result", "memory", "conversation_history", "system_instruction"]),
        required=st.sampled_from([False, False, False, True]),
    ),
    max_size=12,
)


@given(PACKETS, st.integers(0, 900))
@example(
    [
        packet("aaaaaaa茶茶茶茶", "rag_result"),
        *(packet("", kind) for kind in ["rag_result"] * 7 + ["memory", "system_instruction"]),
        packet("aaaaa", "rag_result", required=True),
    ],
    0,
)
def test_whatever_is_cut_fits_whole_at_both_ends_and_marked_where_it_lost(packets, more):
    layout = structure(packets, "What?")
    kept = structure([each for each in packets if each.required], "What?")
    # A mark counts at most as much as it does alone, and one for what is rounded.
    room = count_tokens(kept.text) + 3 * (count_tokens(f"\n\n{MARK}\n\n") + 1) + more
    left = compress(layout, room)
    assert count_tokens(left.text) <= room
    assert left.text.count(TASK) == 1
    assert left.text.endswith(OUTPUT)
    whole = {each.rank: each for each in layout.ranked.values()}
    for section in layout.sections:
        lost = [
            each for each in section.parts if each.packet and each != left.ranked.get(each.rank)
        ]
        assert not any(each.packet.required for each in lost)
        assert not lost or MARK in left.text.splitlines()
    for rank, part in left.ranked.items():
        assert whole[rank].text.startswith(part.text.removesuffix(f"\n{MARK}"))
    if left is not layout:
        assert count_tokens(layout.text) > room
