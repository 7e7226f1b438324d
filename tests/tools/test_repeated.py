from __future__ import annotations

import pytest

from agentmaker.messages import ToolCall
from agentmaker.prompts import PROMPT_PACKS
from agentmaker.tokens import count_tokens
from agentmaker.tools import Repeats, said_once

LONG = "the same words " * 40


def call(id: str, arguments: object = '{"path": "a", "n": 1}', name: str = "read") -> ToolCall:
    return ToolCall(id=id, name=name, arguments=arguments)


@pytest.fixture
def repeats() -> Repeats:
    repeats = Repeats()
    repeats.note(call("c1"), LONG)
    return repeats


@pytest.mark.parametrize("arguments", ['{"n":1,"path":"a"}', {"path": "a", "n": 1}])
def test_the_same_result_of_the_same_call_becomes_a_sentence_that_names_the_call(
    repeats, arguments
):
    said = said_once(call("c2", arguments), LONG, repeats, count_tokens)
    assert said == ("Unchanged: the same result as that of the earlier call c1 of read, see there.")
    assert count_tokens(said) < 64


def test_what_was_put_away_can_be_recalled():
    repeats = Repeats()
    repeats.note(call("c1"), LONG, put_away="r1")
    assert 'recall(id="r1")' in said_once(call("c2"), LONG, repeats, count_tokens)
    said = said_once(call("c2"), LONG, repeats, count_tokens, prompts=PROMPT_PACKS["zh"])
    assert said.startswith("没有变化")
    assert 'recall(id="r1")' in said


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (call("c2"), LONG + "!"),
        (call("c2", '{"path": "b", "n": 1}'), LONG),
        (call("c2", '{"path": "a", "n": "1"}'), LONG),
        (call("c2", '{"path": "a"'), LONG),
        (call("c2", None), LONG),
        (call("c2", name="read2"), LONG),
    ],
)
def test_anything_else_is_said_in_full(repeats, other, text):
    assert said_once(other, text, repeats, count_tokens) == text


def test_a_short_result_is_said_again():
    repeats = Repeats()
    short, longer = "x" * 256, "x" * 257
    for text in (short, longer):
        repeats.note(call("c1"), text)
    assert said_once(call("c2"), short, repeats, count_tokens) == short
    assert said_once(call("c2"), longer, repeats, count_tokens) != longer


def test_after_a_cut_nothing_is_named_that_may_be_gone(repeats):
    repeats.cut()
    assert said_once(call("c2"), LONG, repeats, count_tokens) == LONG
    repeats.note(call("c2"), LONG)
    assert "c2" in said_once(call("c3"), LONG, repeats, count_tokens)


def test_case_116_digests_of_the_latest_results_are_all_that_is_kept():
    repeats = Repeats(max_results=2)
    for at in range(3):
        repeats.note(call(f"c{at}"), f"{at}{LONG}")
    assert repeats.earlier(call("c9"), f"0{LONG}") is None
    assert repeats.earlier(call("c9"), f"2{LONG}").call_id == "c2"


@pytest.mark.parametrize("arguments", [None, "", "[" * 100_000, "\ud800", {"a": {1, 2}}])
def test_any_arguments_and_text_can_be_noted(arguments):
    repeats = Repeats()
    text = "\ud800" * 400
    repeats.note(call("c1", arguments), text)
    assert said_once(call("c2", arguments), text, repeats, count_tokens) != text
