"""Vectors of words, which stand for what a model of embeddings would make."""

from __future__ import annotations

import math

from agentmaker.testing.vectors import vector_of


def likeness(first, second):
    return sum(map(float.__mul__, first, second))


def test_texts_that_share_words_are_near_and_others_are_not():
    one, like, other = (
        vector_of(text, 64)
        for text in ("red wine from Spain", "Spanish red wine", "the printer is broken")
    )
    assert likeness(one, like) > 0.5 > 0.3 > abs(likeness(one, other))
    assert math.isclose(likeness(one, one), 1)
    assert likeness(vector_of("红酒来自西班牙", 64), vector_of("西班牙红酒", 64)) > 0.5


def test_a_text_without_words_is_near_to_nothing():
    assert vector_of("...", 3) == [0.0, 0.0, 0.0]
