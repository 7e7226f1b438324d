from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import count_tokens

CJK = [(0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF)]
EVERY_CHARACTER = "".join(map(chr, range(0x110000)))


def by_the_rule(text: str) -> int:
    wide = sum(any(low <= ord(char) <= high for low, high in CJK) for char in text)
    return wide + -(-(len(text) - wide) // 4)


def test_the_example_of_the_documentation():
    assert count_tokens("hello world") == 3


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcde", 2),
        ("你好", 2),
        ("你好ab", 3),
        ("ｱｱｱｱ", 1),
        ("é" * 8, 2),
        ("\U0001f600" * 4, 1),
        ("\x00" * 5, 2),
        ("x" * 400, 100),
    ],
)
def test_cjk_counts_one_each_and_the_rest_a_quarter_rounded_up(text, tokens):
    assert count_tokens(text) == tokens


def test_the_rule_holds_at_the_edges_of_every_block():
    for edge in {end + step for block in CJK for end in block for step in (-1, 0, 1)}:
        assert count_tokens(chr(edge) * 5) == by_the_rule(chr(edge) * 5), hex(edge)


def test_the_rule_holds_for_every_character_there_is():
    assert count_tokens(EVERY_CHARACTER) == by_the_rule(EVERY_CHARACTER)


@given(st.text(st.characters(exclude_categories=())))
def test_the_rule_holds_for_any_text_lone_surrogates_included(text):
    assert count_tokens(text) == by_the_rule(text)


@pytest.mark.parametrize("value", [None, b"bytes", 5, ["text"]])
def test_what_is_no_string_is_refused(value):
    with pytest.raises(TypeError, match="takes a string"):
        count_tokens(value)
