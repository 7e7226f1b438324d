from __future__ import annotations

import json

import pytest

from agentmaker.testing import OVERFLOWS

HIDES_THE_PROMPT = {"llama.cpp-500", "ollama", "ollama-truncated"}


@pytest.mark.parametrize("name", OVERFLOWS)
def test_every_wording_is_json_with_a_status(name):
    status, body = OVERFLOWS[name](9_000, 8_000, 512)

    assert status in (200, 400, 500)
    assert json.loads(json.dumps(body)) == body


@pytest.mark.parametrize("name", sorted(set(OVERFLOWS) - HIDES_THE_PROMPT))
def test_the_numbers_stated_are_the_real_ones(name):
    text = json.dumps(OVERFLOWS[name](9_123, 8_000, 512)[1])

    assert "9123" in text
    assert "8000" in text


def test_a_prompt_that_fits_alone_is_refused_for_what_it_asks():
    _, body = OVERFLOWS["openai"](7_900, 8_000, 512)

    assert "you requested 8412 tokens (7900 in the messages, 512 in the completion)" in str(body)


def test_ollama_says_by_how_much():
    assert "by 1512 tokens" in str(OVERFLOWS["ollama"](9_000, 8_000, 512))
