from __future__ import annotations

import pytest

from agentmaker.calls.refusals.markup import is_page, is_tagged, lines, title


@pytest.mark.parametrize("text", ["<html>", "\n <!DOCTYPE html>", "<?xml version='1.0'?>", "<p>a"])
def test_a_text_that_begins_with_a_tag_is_one_of_tags(text):
    assert is_tagged(text)


@pytest.mark.parametrize("text", ["", "no", "<400> bad", "<|end|>", "see <html>", "< 9"])
def test_other_texts_are_none(text):
    assert not is_tagged(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("<html>", True), ("<?xml?><!DOCTYPE html><html>", True), ("<Error><Message>", False)],
)
def test_xml_is_a_page_only_if_it_is_one_of_html(text, expected):
    assert is_page(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>of <b>9</b>\n tokens</p><p>no</p>", ["of 9 tokens", "no"]),
        ("<pre>Error: no<br> &nbsp; &nbsp;at next</pre>", ["Error: no", "at next"]),
        ("<p>9 &gt; 8 &amp; more", ["9 > 8 & more"]),
        ("<style>p {}</style><script>if (a < b) {}</script><p>no", ["no"]),
        ("<script>never closed <p>no", []),
        ("<html></html>", []),
    ],
)
def test_the_lines_are_those_a_reader_sees(text, expected):
    assert lines(text) == expected


def test_a_page_has_a_title_or_none():
    assert title("<html><title lang='en'>Too\n Large</title><p>no") == ["Too Large"]
    assert title("<html><p>no") == []
