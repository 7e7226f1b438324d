from __future__ import annotations

import pytest

from agentmaker import ConfigError, MediaTokens

KINDS = ("image", "low_detail_image", "audio", "file")


def test_the_default_costs_are_of_the_documented_order():
    media = MediaTokens()
    assert (media.image, media.low_detail_image) == (1_105, 85)
    assert (media.audio, media.file) == (1_000, 1_500)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tokens", [0, -1, 100_001, 2.5, True, "85", None])
def test_case_59_a_cost_is_a_whole_number_above_nothing_and_bounded(kind, tokens):
    with pytest.raises(ConfigError, match=f"media.{kind} must be a whole number of 1 to 100,000"):
        MediaTokens(**{kind: tokens})


@pytest.mark.parametrize("tokens", [1, 100_000])
def test_the_ends_of_the_range_are_in_it(tokens):
    assert MediaTokens(image=tokens).image == tokens
