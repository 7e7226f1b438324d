from __future__ import annotations

import pytest

from agentmaker.testing.counting import PrefixCache, completion_tokens, output_tokens


def body(*texts, **more):
    return {"messages": [{"role": "user", "content": text} for text in texts], **more}


def test_the_share_is_counted_in_characters_into_the_first_message_that_differs():
    cache = PrefixCache()
    cache.share(body("x" * 1_000))

    assert cache.share(body("x" * 500 + "y" * 500)) == pytest.approx(0.5, abs=0.03)


def test_a_change_at_the_front_loses_everything_behind_it():
    cache = PrefixCache()
    cache.share(body("a", "b" * 1_000))

    assert cache.share(body("z", "b" * 1_000)) < 0.05


def test_another_tool_is_a_change_at_the_very_front():
    cache = PrefixCache()
    cache.share(body("a" * 1_000, tools=[{"type": "x"}]))

    assert cache.share(body("a" * 1_000, tools=[{"type": "y"}])) < 0.05


def test_each_key_has_its_own_previous_request_and_the_oldest_is_forgotten():
    cache = PrefixCache(maximum=2)
    for key in ("a", "b"):
        assert cache.share(body("same", prompt_cache_key=key)) == 0
    assert cache.share(body("same", prompt_cache_key="a")) == 1

    cache.share(body("same", prompt_cache_key="c"))

    assert cache.share(body("same", prompt_cache_key="a")) == 1
    assert cache.share(body("same", prompt_cache_key="b")) == 0


def test_output_is_asked_for_under_either_name():
    assert output_tokens({"max_tokens": 5}) == 5
    assert output_tokens({"max_completion_tokens": 6}) == 6
    assert output_tokens({"max_tokens": None}) == 0
    assert output_tokens({"max_tokens": "many"}) == 0


def test_everything_a_choice_says_is_counted():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"content": "a b", "reasoning_content": "c", "tool_calls": [call]}

    said = completion_tokens(
        {"choices": [{"message": message}, {}]}, lambda text: len(text.split())
    )

    assert said > 3
