from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.tokens.codes import ALWAYS, BEYOND_ASCII, codes_of, total

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(st.binary(max_size=2_000))
def test_the_total_is_the_sum_of_the_bytes(worths):
    assert total(worths) == sum(worths)


def test_the_total_of_the_largest_bytes_does_not_wrap():
    assert total(b"\xff" * 100_000) == 255 * 100_000


@given(ANY_TEXT)
def test_any_text_has_a_code_of_each_table_for_each_byte_that_the_table_is_about(text):
    utf8 = text.encode("utf-8", "surrogatepass")
    beyond, inner = sum(byte > 0x7F for byte in utf8), sum(0x7F < byte < 0xC0 for byte in utf8)
    codes = dict(zip((*ALWAYS, *BEYOND_ASCII), codes_of(text), strict=False))
    assert {len(codes.pop(name)) for name in ALWAYS} == {len(utf8)}
    sizes = {"scripts": beyond, "characters": inner, "neighbours": inner}
    assert {name: len(each) for name, each in codes.items()} == (sizes if beyond else {})


@given(ANY_TEXT, ANY_TEXT)
def test_a_text_has_the_codes_of_its_parts_but_where_they_meet(one, other):
    together, apart = codes_of(one + other), (codes_of(one), codes_of(other))
    if one.isascii() == other.isascii():
        for place, codes in enumerate(together):
            parts = Counter(apart[0][place]) + Counter(apart[1][place])
            assert (Counter(codes) - parts).total() <= 1


@pytest.mark.parametrize("table", ["letters", "letters otherwise"])
def test_letters_are_told_apart_by_the_letter_before_but_not_by_case(table):
    place = ALWAYS.index(table)
    ab, cb, large = (codes_of(text)[place][-1] for text in ("ab", "cb", "AB"))
    assert ab != cb
    assert ab == large
