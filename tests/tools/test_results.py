from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.prompts import DEFAULT_PROMPTS, PROMPT_PACKS
from agentmaker.scope import Scope
from agentmaker.tokens import count_tokens, estimate_tokens
from agentmaker.tools import Capped, MemoryArchive, cap, capped

SCOPE = Scope(user="alice")
LONG = "".join(f"line {at} of the report\n" for at in range(1_000))


def test_a_result_that_fits_is_left_as_it_is():
    assert cap("short", 2, count_tokens) == "short"


def test_a_long_result_keeps_its_head_and_tail_around_a_marker_with_both_sizes():
    shown = cap(LONG, 200, count_tokens)
    assert shown.startswith("line 0 of the report\n")
    assert shown.endswith("line 999 of the report\n")
    whole = count_tokens(LONG)
    [marker] = [line for line in shown.splitlines() if "tokens in all" in line]
    assert marker.startswith(f"[... {whole} tokens in all, about ")
    kept = int(marker.split("about ")[1].split()[0])
    text = count_tokens(shown.replace(marker, ""))
    assert kept * 0.95 <= text <= kept + 1


def test_the_marker_names_what_recall_brings_back():
    assert 'recall(id="r7") gives any part' in cap(LONG, 200, count_tokens, put_away="r7")
    assert "recall" not in cap(LONG, 200, count_tokens)
    assert 'recall(id="r7")' in cap(
        LONG, 200, count_tokens, put_away="r7", prompts=PROMPT_PACKS["zh"]
    )


def test_where_there_is_hardly_room_the_marker_stands_alone_then_a_shorter_one_then_the_head():
    full = DEFAULT_PROMPTS.render("tool.cut", whole=count_tokens(LONG), kept=0)
    assert cap(LONG, count_tokens(full) + 1, count_tokens).startswith("[... ")
    short = cap(LONG, 10, count_tokens)
    assert short == f"[... {count_tokens(LONG)} tokens left out ...]"
    assert cap(LONG, 2, count_tokens) == LONG[:8]
    assert cap(LONG, 0, count_tokens) == ""


texts = st.text("ab \n中é😀", max_size=40).flatmap(
    lambda part: st.integers(1, 40).map(lambda times: part * times)
)


@given(texts, st.integers(0, 120), st.sampled_from([count_tokens, estimate_tokens, len]))
@pytest.mark.parametrize("put_away", [None, "call_0123456789"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_capped_result_is_never_above_its_tokens(language, put_away, text, tokens, counter):
    shown = cap(text, tokens, counter, put_away=put_away, prompts=PROMPT_PACKS[language])
    assert counter(shown) <= tokens
    assert shown == text or counter(text) > tokens


@pytest.mark.anyio
async def test_what_does_not_fit_is_put_away_whole():
    archive = MemoryArchive()
    given = await capped(LONG, 200, count_tokens, archive=archive, scope=SCOPE, name="r1")
    assert given.put_away == "r1"
    assert 'recall(id="r1")' in given.text
    assert await archive.get(SCOPE, "r1") == LONG


@pytest.mark.anyio
async def test_what_fits_is_not_put_away():
    archive = MemoryArchive()
    given = await capped("short", 200, count_tokens, archive=archive, scope=SCOPE, name="r1")
    assert given == Capped("short")
    assert await archive.names(SCOPE) == ()


@pytest.mark.anyio
async def test_without_an_archive_nothing_is_promised():
    given = await capped(LONG, 200, count_tokens, scope=SCOPE, name="r1")
    assert given == Capped(cap(LONG, 200, count_tokens))
