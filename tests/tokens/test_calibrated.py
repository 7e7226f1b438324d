from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.tokens.calibrated import (
    AGREEING,
    LEAST,
    MOST,
    TEMPLATE,
    Count,
    Rate,
    Rates,
    Sample,
    Scale,
    Schemas,
    is_within,
    newest,
    share_of_tools,
    spread,
)

sizes = st.integers(0, 200_000)
counts = st.builds(Count, text=sizes, results=sizes, tools=sizes)
apart = st.floats(0.01, 100.0)


@st.composite
def rates(draw: st.DrawFn) -> Rates:
    taught = Rates()
    for factor, count in draw(st.lists(st.tuples(apart, counts), max_size=8)):
        taught = taught.taught(factor * count.messages, count)
    return taught


@st.composite
def scales(draw: st.DrawFn) -> Scale:
    count = draw(counts)
    reported = int(draw(st.floats(LEAST, MOST)) * count.total)
    sample = Sample(count=count, digest=0, reported=reported)
    tools = Schemas(count.tools, count.tools)
    known = draw(st.sampled_from([sample, None]))
    return Scale(rates=draw(rates()), tools=tools, earlier=tools, sample=known)


@given(rates())
def test_a_rate_stays_within_its_bounds_whatever_it_is_taught(learnt: Rates):
    assert LEAST <= learnt.text.value <= MOST
    assert LEAST <= learnt.results.value <= MOST


@given(st.floats(LEAST, MOST))
def test_a_rate_comes_near_what_it_is_told_again_and_again(factor: float):
    rate = Rate()
    for _ in range(30):
        rate = rate.taught(factor * 1_000, 1_000)
    assert rate.value == pytest.approx(factor, rel=0.02)


def test_a_large_sample_does_not_outweigh_all_that_follow():
    rate = Rate().taught(200_000, 100_000)
    for _ in range(10):
        rate = rate.taught(2_000, 2_000)
    assert rate.value < 1.2


def test_text_and_what_tools_answer_are_told_apart():
    learnt = Rates()
    for _ in range(10):
        learnt = learnt.taught(200, Count(text=200))
        learnt = learnt.taught(700, Count(text=100, results=400))
    assert learnt.text.value == pytest.approx(1.0, abs=0.05)
    assert learnt.results.value == pytest.approx(1.5, abs=0.05)


@given(counts, st.floats(0, LEAST - 0.01) | st.floats(MOST + 0.01, 100))
def test_what_lies_outside_the_bounds_teaches_nothing(count: Count, factor: float):
    assert Rates().taught(factor * count.messages, count) == Rates()
    assert not (count.messages and is_within(factor * count.messages, count.messages))


def test_what_was_taken_away_teaches_nothing():
    assert Rates().taught(150, Count(text=-50, results=200)) == Rates()


@given(scales(), counts)
def test_an_estimate_stays_within_bounds_of_our_own_count(scale: Scale, count: Count):
    messages = scale.estimate(count) - scale.tools.tokens
    assert LEAST * count.messages - 1 <= messages <= MOST * count.messages + 1


@given(scales(), counts, sizes, sizes)
def test_more_to_send_is_never_estimated_as_less(scale: Scale, count: Count, more: int, also: int):
    larger = replace(count, text=count.text + more, results=count.results + also)
    assert scale.estimate(larger) >= scale.estimate(count)


@given(counts)
def test_nothing_learnt_leaves_our_own_count(count: Count):
    scale = Scale(tools=Schemas(count.tools, count.tools))
    assert scale.estimate(count) == count.total
    assert scale.density(count) == scale.cautious == 1.0


def test_a_prompt_counted_before_is_estimated_as_it_was_counted():
    count = Count(text=900, results=100)
    scale = Scale(sample=Sample(count=count, digest=0, reported=1_234))
    assert scale.estimate(count) == 1_234
    assert scale.estimate(replace(count, text=1_000)) == 1_334


@given(scales(), counts)
def test_a_density_stays_within_bounds(scale: Scale, added: Count):
    assert LEAST <= scale.density(added) <= MOST


@given(st.lists(st.floats(0.1, 9.0), max_size=6))
def test_a_window_is_planned_by_less_only_where_several_agree(densities: list[float]):
    recent: tuple[float, ...] = ()
    for density in densities:
        recent = newest(recent, density)
    cautious = Scale(recent=recent).cautious
    assert len(recent) <= AGREEING
    assert cautious >= max(recent, default=1.0)
    assert cautious >= 1.0 or len(recent) == AGREEING


@given(sizes, st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
def test_schemas_stay_within_bounds(counted: int, measured: list[float]):
    schemas = Schemas(counted, counted)
    for tokens in measured:
        schemas = schemas.measured(tokens)
    assert LEAST * counted - 1e-6 <= schemas.tokens <= MOST * counted + TEMPLATE + 1e-6
    assert schemas.seen == len(measured)


def test_schemas_are_first_what_was_measured_and_then_an_average():
    schemas = Schemas(1_000, 1_000).measured(1_400)
    assert schemas.tokens == 1_400
    assert schemas.measured(1_200).tokens == 1_300


@given(rates(), counts)
def test_what_a_first_prompt_is_off_by_is_shared(learnt: Rates, count: Count):
    assert 0 < share_of_tools(learnt, count) <= 1


def test_less_of_it_lies_with_the_messages_once_they_are_known():
    count = Count(text=2_000, tools=1_000)
    learnt = Rates().taught(2_000, Count(text=2_000))
    assert share_of_tools(learnt, count) > share_of_tools(Rates(), count)


SAMPLE = Sample(count=Count(text=4_000), digest=0, reported=4_000)


@pytest.mark.parametrize(
    ("text", "reported", "believed"),
    [
        (4_300, 4_330, True),
        (4_300, 4_160, True),
        (4_300, 4_000, False),
        (4_300, 6_000, True),
        (2_000, 1_500, True),
        (4_010, 4_000, True),
    ],
)
def test_a_prompt_that_grew_and_was_counted_as_before_was_cut(
    text: int, reported: int, believed: bool
):
    assert SAMPLE.believes(Count(text=text), reported) is believed


def test_what_goes_on_from_a_doubted_count_is_believed():
    doubting = SAMPLE.doubting(Count(text=4_300), 3_000)
    assert doubting.believes(Count(text=4_600), 3_290)
    assert not doubting.believes(Count(text=4_600), 3_000)


def test_what_schemas_come_to_is_no_growth_and_a_doubted_count_is_of_its_own_schemas():
    assert not SAMPLE.believes(Count(text=4_300, tools=300), 4_330, tools=300)
    assert SAMPLE.believes(Count(text=4_300, tools=300), 4_600, tools=300)
    doubting = SAMPLE.doubting(Count(text=4_300), 3_000).doubting(Count(text=4_400, tools=9), 3_100)
    assert doubting.believes(Count(text=4_600), 3_290)
    assert not doubting.believes(Count(text=4_600, tools=8), 3_290)


parts = st.dictionaries(st.text(max_size=3), st.integers(0, 10_000), max_size=9)


@given(parts, st.integers(0, 1_000_000))
def test_what_is_spread_adds_up_and_each_part_has_its_share(found: dict[str, int], total: int):
    whole = sum(found.values())
    shares = spread(found, total)
    assert sum(shares.values()) == (total if whole else 0)
    for name, part in found.items():
        assert abs(shares[name] - (part * total / whole if whole else 0)) < 1


@given(parts)
def test_what_is_as_large_as_its_parts_leaves_them(found: dict[str, int]):
    assert spread(found, sum(found.values())) == found
