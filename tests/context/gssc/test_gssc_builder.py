from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import (
    CallableSource,
    ContextBuilder,
    ContextConfig,
    ContextPacket,
    ContextWindowExceeded,
    GSSCBuilder,
    GSSCConfig,
    Message,
    Scope,
    count_tokens,
)
from agentmaker.prompts import DEFAULT_PROMPTS, prompts_for
from agentmaker.sync import run

OUTPUT = DEFAULT_PROMPTS.text("gssc.output")
MARK = DEFAULT_PROMPTS.text("gssc.cut")


def remembers(query):
    return ["Ann likes green tea."]


async def knows(query, scope):
    return [{"content": f"Green tea costs 3 euros for {scope.user}.", "score": 0.4}, "Closed."]


BUILDER = GSSCBuilder(memory=remembers, rag=knows)
ASKED = {
    "system_instructions": "You sell tea.",
    "conversation_history": [Message("Hello."), Message("Welcome!", role="assistant")],
    "custom_packets": [ContextPacket("Today is Monday.", relevance_score=0.9)],
    "scope": Scope(user="ann"),
}
TEXT = (
    "[Role & Policies]\nYou sell tea.\n\n"
    "[Task]\nWhat does green tea cost?\n\n"
    "[Evidence]\nClosed.\n---\nGreen tea costs 3 euros for ann.\n\n"
    "[Context]\nToday is Monday.\nAnn likes green tea.\nuser: Hello.\nassistant: Welcome!\n\n"
    f"[Output]\n{OUTPUT}"
)


@pytest.mark.anyio
async def test_the_four_stages_make_one_text():
    assert await BUILDER.abuild("What does green tea cost?", **ASKED) == TEXT


def test_the_sync_form_is_the_same():
    assert BUILDER.build("What does green tea cost?", **ASKED) == TEXT


@pytest.mark.anyio
async def test_a_context_says_what_is_in_it_and_what_is_not():
    config = GSSCConfig(max_tokens=160, reserve_ratio=0)
    packets = [
        ContextPacket("b" * 240, relevance_score=0.9),
        ContextPacket("faint", relevance_score=0.01),
        ContextPacket("c" * 1000, relevance_score=0.3),
    ]
    builder = GSSCBuilder(config, memory=remembers)
    context = await builder.abuild_context("green tea", custom_packets=packets)
    assert str(context) == context.text
    assert context.tokens == count_tokens(context.text) <= 160
    assert [each.content[:3] for each in context.selected] == ["Ann", "bbb"]
    assert [(each.packet.content[:3], each.reason) for each in context.excluded] == [
        ("ccc", "budget_exhausted"),
        ("fai", "below_min_relevance"),
    ]
    assert [each.name for each in context.outcomes] == ["memory"]
    assert context.shortened == ()


@pytest.mark.anyio
async def test_what_compression_took_is_reported():
    config = GSSCConfig(max_tokens=100, reserve_ratio=0)
    builder = GSSCBuilder(config)
    many = [ContextPacket(f"{number}", relevance_score=0.9) for number in range(40)]
    context = await builder.abuild_context("?", system_instructions="s" * 80, custom_packets=many)
    assert context.tokens <= 100
    assert len(context.selected) + len(context.excluded) == 41
    long = await builder.abuild_context("?", system_instructions="s" * 800)
    assert [each.content for each in long.shortened] == ["s" * 800]
    assert long.selected == long.shortened


@pytest.mark.anyio
async def test_a_question_beyond_the_reserve_takes_room_from_the_packets_not_from_the_whole():
    builder = GSSCBuilder(GSSCConfig(max_tokens=200))
    packets = [ContextPacket(letter * 120, relevance_score=0.9) for letter in "abcdef"]
    context = await builder.abuild_context("q" * 400, custom_packets=packets)
    assert "q" * 400 in context.text
    assert MARK not in context.text
    assert context.tokens <= 200


@pytest.mark.parametrize("required", [[], [ContextPacket("r", required=True)]])
def test_a_question_that_does_not_fit_is_refused_by_name(required):
    with pytest.raises(ContextWindowExceeded, match="no room for the question"):
        GSSCBuilder(GSSCConfig(max_tokens=50)).build("q" * 400, custom_packets=required)


def test_without_compression_what_does_not_fit_is_refused():
    builder = GSSCBuilder(GSSCConfig(max_tokens=100, enable_compression=False))
    assert "[Task]" in builder.build("tea")
    with pytest.raises(ContextWindowExceeded, match="enable_compression=True"):
        builder.build("tea", system_instructions="s" * 800)


def test_prompts_and_counter_can_be_replaced():
    builder = GSSCBuilder(
        GSSCConfig(max_tokens=120, reserve_ratio=0), counter=len, prompts=prompts_for("zh")
    )
    text = builder.build("茶多少钱？", system_instructions="简短回答。" * 50)
    assert len(text) <= 120
    assert "[... 内容已压缩 ...]" in text
    assert prompts_for("zh").text("gssc.output") in text


def test_what_cannot_be_asked_is_refused_when_the_builder_is_made():
    with pytest.raises(TypeError, match="memory must be"):
        GSSCBuilder(memory=5)


@pytest.mark.anyio
async def test_a_builder_is_a_source_of_the_budgeted_builder():
    source = CallableSource("gssc", BUILDER.abuild, pass_scope=True)
    outer = ContextBuilder(ContextConfig(max_tokens=1000, source_ratios={"gssc": 1}))
    text = await outer.abuild("green tea", sources=[source], scope=Scope(user="bob"))
    assert "Green tea costs 3 euros for bob." in text


WORDS = st.sampled_from(
    ["tea ", "茶叶价格", "\n", "[Output]\n", "---\n", "user: x\n", "A" * 300, "🍵"]
)
TEXTS = st.lists(WORDS, max_size=12).map("".join)
PACKETS = st.lists(
    st.builds(
        lambda content, relevance, kind, required: ContextPacket(
            content, relevance_score=relevance, metadata={"type": kind}, required=required
        ),
        TEXTS,
        st.sampled_from([0.05, 0.3, 0.5, 0.9]),
        st.sampled_from(["knowledge", "memory", "conversation_history", "system_instruction"]),
        st.sampled_from([False, False, False, True]),
    ),
    max_size=8,
)


def attempt(most, query, **given):
    """The context, or the error that says why there is none."""
    builder = GSSCBuilder(GSSCConfig(max_tokens=most))
    try:
        return run(partial(builder.abuild_context, query, **given))
    except ContextWindowExceeded as error:
        return error


QUESTIONS = st.lists(st.sampled_from(["tea", "茶", "?"]), max_size=20).map(" ".join)


@given(PACKETS, TEXTS, QUESTIONS, st.integers(30, 900))
def test_whatever_the_packets_the_context_fits_and_says_what_it_lost(packets, system, query, most):
    context = attempt(most, query, system_instructions=system, custom_packets=packets)
    if isinstance(context, ContextWindowExceeded):
        bare = count_tokens(f"[Task]\n{query}\n\n{MARK}\n\n{MARK}\n\n[Output]\n{OUTPUT}")
        assert context.needed > context.room
        assert bare > most or any(each.required for each in packets)
        return
    text = context.text
    assert context.tokens == count_tokens(text) <= most
    assert f"[Task]\n{query}".strip() in text
    assert text.endswith(f"[Output]\n{OUTPUT}")
    lost = [each for each in context.excluded if each.reason == "compressed"]
    assert bool(lost or context.shortened) == (MARK in text.splitlines())
    everything = [*context.selected, *(each.packet for each in context.excluded)]
    texts = [each.content for each in packets] + [system] * bool(system.strip())
    assert sorted(each.content for each in everything) == sorted(texts)
    kinds = [each.kind == "system_instruction" for each in context.selected]
    assert kinds == sorted(kinds, reverse=True)
    assert text.startswith("[Role & Policies]" if any(kinds) else (MARK, "[Task]"))
    kept = [each.content for each in context.selected if each not in context.shortened]
    assert all(each.content in kept for each in packets if each.required)
