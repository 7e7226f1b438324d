"""Chunks of a text: nothing is lost, nothing is too long, and what belongs together stays so."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentmaker.errors import ConfigError
from agentmaker.memory.chunks import Chunk, chunks
from agentmaker.tokens import estimate_tokens

MARKUP = st.sampled_from(
    [
        *(
            "# A",
            "## B",
            "### C ##",
            "Title\n=====",
            "One. Two! Three?",
            "第一句。第二句！",
            "1.5",
            "word",
        ),
        *("```py\nx = 1\n\ny = 2\n```", "~~~", "| a | b |", "- item", "  more", "---\nkey: v\n---"),
        *("\r\n", "\u3000", "\n\n", "👩\u200d👧"),
    ]
)
TEXTS = st.lists(st.one_of(MARKUP, st.text(max_size=30)), max_size=30).flatmap(
    lambda parts: st.sampled_from(("\n", "\n\n", " ", "")).map(lambda by: by.join(parts))
)
COUNTERS = st.sampled_from((len, estimate_tokens, lambda text: len(text.split())))

GUIDE = """# Guide

What it is.

## Install

Run this:

```sh
# no heading

make install
```

| key | value |
|-----|-------|
| one | 1     |

Linux
-----

Use the package.

# Licence ##

Free.
"""


def texts_of(text, most, counter=len):
    return [each.text for each in chunks(text, most=most, counter=counter)]


@given(text=TEXTS, most=st.integers(1, 60), counter=COUNTERS)
def test_each_character_that_is_not_blank_is_in_one_chunk_in_order(text, most, counter):
    parted = chunks(text, most=most, counter=counter)
    assert all(each.text == text[each.start : each.end] for each in parted)
    ends = [0, *(each.end for each in parted)]
    starts = [*(each.start for each in parted), len(text)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    assert not "".join(text[a:b] for a, b in zip(ends, starts, strict=True)).strip()
    assert all(each.text.strip() for each in parted)


@given(text=TEXTS, most=st.integers(1, 60), counter=COUNTERS)
def test_no_chunk_counts_more_than_was_asked_but_a_single_character(text, most, counter):
    for each in chunks(text, most=most, counter=counter):
        assert counter(each.text) <= most or len(each.text) == 1


@given(text=TEXTS)
def test_a_text_that_fits_is_one_chunk(text):
    parted = chunks(text, most=len(text) + 1, counter=len)
    assert len(parted) == bool(text.strip())


def unsteady(text):
    """Counts a text less when it grows, and more when it is trimmed."""
    return (len(text) * 7919 + sum(map(ord, text[-1:]))) % 13 + len(text) // 5


@given(text=TEXTS, most=st.integers(1, 60))
@example(text="# h\n00", most=1)
def test_nothing_is_lost_by_a_counter_that_grows_and_shrinks(text, most):
    found = chunks(text, most=most, counter=unsteady)
    assert "".join("".join(each.text.split()) for each in found) == "".join(text.split())


def test_a_text_that_fits_is_counted_once():
    counted = []
    chunks("One.\n\nTwo.", most=50, counter=lambda text: counted.append(text) or len(text))
    assert counted == ["One.\n\nTwo."]


def test_a_blank_text_has_no_chunks():
    assert chunks(" \n\t\n\u3000", most=3) == ()


def test_chunks_begin_at_headings_and_know_those_they_stand_under():
    parted = chunks(GUIDE, most=90, counter=len)
    assert [(each.headings, each.text.splitlines()[0]) for each in parted] == [
        ((), "# Guide"),
        (("Guide", "Install"), "| key | value |"),
        ((), "# Licence ##"),
    ]


def test_a_heading_made_by_an_underline_counts_as_one():
    parted = chunks(GUIDE, most=24, counter=len)
    assert (("Guide", "Linux"), "Use the package.") in [
        (each.headings, each.text) for each in parted
    ]


def test_a_heading_is_not_the_end_of_a_chunk_while_what_follows_fits():
    assert texts_of("Some words here.\n\n# Next\n\nMore words.", 24) == [
        "Some words here.",
        "# Next\n\nMore words.",
    ]


def test_code_is_kept_whole_where_it_fits_and_has_no_headings():
    code = "```sh\n# no heading\n\nmake install\n```"
    assert code in texts_of(GUIDE, len(code))
    assert not any("no heading" in each.headings for each in chunks(GUIDE, most=12, counter=len))


def test_code_that_does_not_fit_is_cut_between_lines():
    code = "~~~\n" + "".join(f"line_{at} = {at}\n" for at in range(20)) + "~~~"
    lines = set(code.splitlines())
    assert all(set(each.splitlines()) <= lines for each in texts_of(code, 40))


def test_a_fence_that_is_never_closed_goes_to_the_end():
    assert chunks("```\n# a\n\n# b\n" + "x\n" * 9, most=12, counter=len)[-1].headings == ()


def test_rows_of_a_table_are_kept_whole():
    table = "".join(f"| {at} | value of {at} |\n" for at in range(30))
    rows = set(table.splitlines())
    assert all(set(each.splitlines()) <= rows for each in texts_of(table, 70))


def test_prose_is_cut_between_sentences():
    assert texts_of("One is here. Two is there! Is 3.5 three?", 16) == [
        "One is here.",
        "Two is there!",
        "Is 3.5 three?",
    ]


def test_chinese_prose_is_cut_between_sentences():
    assert texts_of("他说：“你好。”她没有回答！后来呢？", 8) == [
        "他说：“你好。”",
        "她没有回答！",
        "后来呢？",
    ]


def test_a_sentence_that_does_not_fit_is_cut_between_words():
    assert texts_of("alpha beta gamma delta", 11) == ["alpha beta", "gamma delta"]


def test_front_matter_stays_together_and_is_no_heading():
    front = "---\ntitle: Guide\ntags: [a]\n---"
    parted = chunks(f"{front}\nText.\n\n" + "More. " * 20, most=40, counter=len)
    assert parted[0].text.startswith(front)
    assert not any(each.headings for each in parted)


def test_a_line_of_a_megabyte_without_spaces_is_counted_a_few_times_over():
    counted = 0

    def counter(text):
        nonlocal counted
        counted += len(text)
        return len(text)

    parted = chunks("a" * 1_000_000, most=1_000, counter=counter)
    assert len(parted) < 1_020
    assert counted < 12_000_000


@pytest.mark.parametrize("unit", [".", ". ", "a\n", "\n\n\na", "# ", "`", "---\n", "。"])
def test_long_monotonous_texts_are_counted_a_few_times_over(unit):
    counted = 0

    def counter(text):
        nonlocal counted
        counted += len(text)
        return len(text)

    text = unit * (60_000 // len(unit))
    chunks(text, most=100, counter=counter)
    assert counted < 20 * len(text)


def test_chunks_of_one_token_are_single_characters():
    assert texts_of("ab 好", 1) == ["a", "b", "好"]


def test_a_character_that_counts_more_than_allowed_is_a_chunk():
    assert texts_of("ab", 1, lambda text: 3 * len(text)) == ["a", "b"]


@pytest.mark.parametrize("most", [0, -1, 1.5, True])
def test_no_room_is_refused(most):
    with pytest.raises(ConfigError, match="most"):
        chunks("text", most=most)


def test_a_chunk_is_a_value():
    assert chunks("text", most=9) == (Chunk("text", 0, 4, ()),)
