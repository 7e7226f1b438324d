from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import ConfigError, MediaTokens, count_tokens, counter_for
from agentmaker.tokens import CountMemo, ExactCounter, media_of, remembered_counter, unremembered
from agentmaker.tokens.memo import LONG
from agentmaker.tokens.pieces import PIECE


class Asked:
    """A counter that remembers what it was asked."""

    name = "asked"
    exact = True

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str) -> int:
        self.texts.append(text)
        return count_tokens(text)


def test_a_text_is_counted_once():
    asked = Asked()
    memo = CountMemo(asked)
    assert [memo("hello world"), memo("hello " + "world")] == [3, 3]
    assert asked.texts == ["hello world"]


def test_a_very_long_text_is_remembered_without_being_kept():
    asked = Asked()
    memo = CountMemo(asked)
    text = "x" * (LONG + 1)
    assert memo(text) == memo(text) == count_tokens(text)
    assert len(asked.texts) == 1
    assert all(len(key) < 100 for key in memo._young)


def test_a_long_lone_surrogate_is_remembered_too():
    memo = CountMemo(count_tokens)
    assert memo("\ud800" * (LONG + 1)) == -(-(LONG + 1) // 4)


@given(st.lists(st.text(max_size=8), max_size=60))
def test_it_stays_within_its_bounds_and_always_counts_right(texts):
    memo = CountMemo(count_tokens, max_texts=6, max_chars=20)
    for text in texts:
        assert memo(text) == count_tokens(text)
        assert len(memo) <= 6
        assert sum(len(key) for key in [*memo._young, *memo._old]) <= 20 + 8


def test_what_is_used_stays_and_what_is_not_goes():
    asked = Asked()
    memo = CountMemo(asked, max_texts=8)
    for number in range(40):
        memo("used")
        memo(f"once {number}")
    assert asked.texts.count("used") == 1
    memo("once 0")
    assert asked.texts.count("once 0") == 2


def test_it_says_of_itself_what_its_counter_says():
    assert (CountMemo(Asked()).name, CountMemo(Asked()).exact) == ("asked", True)
    rule, estimate = CountMemo(count_tokens), CountMemo(counter_for("a-model-nobody-knows"))
    assert (rule.name, rule.exact) == ("count_tokens", False)
    assert (estimate.name, estimate.exact) == ("estimate", False)


@pytest.mark.parametrize("text", ["[BOS]", "<s>hi", "a <|im_end|> b", "[INST] <<SYS>>"])
def test_case_65_so_does_one_with_marks_of_its_own(text):
    def refusing(text: str) -> int:
        if any(mark in text for mark in ("[BOS]", "<s>", "<|im_end|>", "[INST]", "<<SYS>>")):
            raise ValueError("Encountered text corresponding to disallowed special token")
        return count_tokens(text)

    assert CountMemo(refusing)(text) == pytest.approx(count_tokens(text), abs=2)


def test_a_counter_that_refuses_special_tokens_counts_them_as_text():
    def strict(text: str) -> int:
        if "<|endoftext|>" in text:
            raise ValueError("disallowed special token")
        text.encode()
        return len(text)

    memo = CountMemo(strict)
    assert memo("a <|endoftext|> b") > 0
    assert memo("\ud83d") == 1


def test_a_long_text_that_a_counter_panics_at_is_counted_in_pieces():
    class Panic(BaseException):
        pass

    Panic.__name__ = "PanicException"

    def fragile(text: str) -> int:
        if len(text) > PIECE:
            raise Panic
        return len(text)

    assert CountMemo(fragile)("x" * (3 * PIECE + 1)) == 3 * PIECE + 1


def test_what_is_no_panic_passes():
    def stopped(text: str) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CountMemo(stopped)("x" * PIECE * 2)


def exact_counter() -> ExactCounter:
    return ExactCounter("letters", lambda text: list(map(ord, text)), lambda t: chr(t).encode())


def test_a_count_is_remembered_when_its_last_piece_is_counted():
    memo = CountMemo(exact_counter())
    text = "x" * (2 * PIECE + 1)
    steps = memo.counting(text)
    for _ in range(2):
        next(steps)
        assert memo.lacks(text)
    assert len(list(steps)) == 1
    assert not memo.lacks(text)
    assert memo(text) == len(text)
    assert list(memo.counting(text)) == []


def test_a_count_left_in_its_middle_leaves_nothing_behind():
    memo = CountMemo(exact_counter())
    steps = memo.counting("x" * (2 * PIECE))
    next(steps)
    steps.close()
    assert len(memo) == 0


def test_counters_that_know_no_pieces_count_at_once():
    asked = Asked()
    memo = CountMemo(asked)
    assert list(memo.counting("hello world")) == []
    assert not memo.lacks("hello world")
    assert memo("hello world") == 3
    assert len(asked.texts) == 1


def test_a_models_counter_is_remembered_with_what_media_cost():
    media = MediaTokens(image=77)
    assert remembered_counter("m") is remembered_counter("m")
    assert remembered_counter("m", media) is remembered_counter("m", MediaTokens(image=77))
    assert media_of(remembered_counter("m", media)) == media
    assert media_of(count_tokens) == media_of(remembered_counter("m")) == MediaTokens()


@pytest.mark.parametrize("answer", [None, -1, 2.5, "3"])
def test_a_counter_that_returns_no_number_of_tokens_is_named(answer):
    with pytest.raises(TypeError, match="must return a whole number"):
        CountMemo(lambda text: answer)("text")


@pytest.mark.parametrize("value", [5, ["a"], None])
def test_what_is_no_text_is_refused(value):
    with pytest.raises(TypeError):
        CountMemo(counter_for(None))(value)


def test_limits_that_hold_nothing_are_refused():
    with pytest.raises(ConfigError, match="at least 2"):
        CountMemo(count_tokens, max_texts=1)


def test_what_is_counted_once_is_not_remembered_and_what_is_known_is_not_counted():
    asked = Asked()
    memo = CountMemo(asked)
    assert memo("known") == unremembered(memo)("known") == unremembered(count_tokens)("known")
    assert unremembered(memo)("tried") == unremembered(memo)("tried") == count_tokens("tried")
    assert asked.texts == ["known", "tried", "tried"]
    assert len(memo) == 1
