from __future__ import annotations

import sys

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker import (
    CallableSource,
    ConfigError,
    ContextBuilder,
    ContextConfig,
    ContextWindowExceeded,
    RetrievalResult,
    Scope,
    SourceError,
    count_tokens,
    counter_for,
)
from agentmaker.prompts import DEFAULT_PROMPTS, prompts_for

RATIOS = {"memory": 0.2, "rag": 0.3, "history": 0.3, "tool": 0.1, "crm": 0.05, "wiki": 0.05}
CONFIG = ContextConfig(source_ratios=RATIOS)


def source(name, *texts, **options):
    return CallableSource(name, lambda query: list(texts), **options)


def search_docs(query: str) -> list[RetrievalResult]:
    return [
        RetrievalResult(
            content="Meals are capped at 80 per day, no receipt needed.", score=0.9, source="rag"
        ),
        RetrievalResult(
            content="Hotels are capped at 500 per night, receipt required.", score=0.7, source="rag"
        ),
    ]


def test_the_example_of_the_documentation_to_the_letter():
    builder = ContextBuilder(ContextConfig.for_window(None, fallback_window=8000))
    context = builder.build(
        "how much can I spend on meals?",
        sources=[CallableSource("rag", search_docs)],
        system_prompt="You are a finance assistant.",
    )
    assert context == (
        "You are a finance assistant.\n"
        "\n"
        "[Knowledge]\n"
        "- Meals are capped at 80 per day, no receipt needed.\n"
        "- Hotels are capped at 500 per night, receipt required.\n"
        "\n"
        "[Current question]\n"
        "how much can I spend on meals?"
    )


def test_without_candidates_the_block_is_empty_and_the_context_is_prompt_and_question():
    builder = ContextBuilder(ContextConfig(max_tokens=4000, source_ratios=RATIOS))
    assert builder.build_block("q", sources=[source("rag")]) == ""
    assert builder.build_block("q", sources=[]) == ""
    assert builder.build("q", sources=[]) == "[Current question]\nq"


def test_headings_come_from_the_registry_and_fall_back_to_the_name():
    prompts = DEFAULT_PROMPTS.with_overrides({"context.section.rag": "## Docs"})
    prompts.register("context.section.crm", "## Customers")
    block = ContextBuilder(CONFIG, prompts=prompts).build_block(
        "q", sources=[source("rag", "a"), source("crm", "b"), source("wiki", "c")], budget=500
    )
    assert block == "## Docs\n- a\n\n## Customers\n- b\n\n[wiki]\n- c"


def test_the_chinese_pack_gives_chinese_headings():
    builder = ContextBuilder(ContextConfig(max_tokens=4000), prompts=prompts_for("zh"))
    assert builder.build("为什么？", sources=[source("rag", "因为。")]) == (
        "[知识]\n- 因为。\n\n[当前问题]\n为什么？"
    )


@pytest.mark.anyio
async def test_case_113_sections_stand_in_a_fixed_order_whoever_answers_first():
    names = ["wiki", "tool", "history", "crm", "rag", "memory"]
    texts = set()
    for first in (0, 3, 5):
        turns = [anyio.Event() for _ in names]
        turns[first].set()

        def make(position, turns=turns):
            async def fetch(query):
                await turns[position].wait()
                turns[(position + 1) % len(turns)].set()
                return [names[position]]

            return CallableSource(names[position], fetch)

        block = await ContextBuilder(CONFIG).agather(
            "q", sources=[make(position) for position in range(len(names))], budget=500
        )
        assert [each.name for each in block.outcomes] == names
        texts.add(block.text)
    [text] = texts
    headings = [line for line in text.splitlines() if line.startswith("[")]
    assert headings == [
        "[Memory]",
        "[Knowledge]",
        "[Conversation history]",
        "[Tool results]",
        "[wiki]",
        "[crm]",
    ]


def test_the_scope_of_the_run_reaches_the_sources():
    scope = Scope(user="ann")
    notes = CallableSource("memory", lambda query, who: [f"notes of {who.user}"])
    block = ContextBuilder(CONFIG).build_block("q", sources=[notes], scope=scope, budget=100)
    assert block == "[Memory]\n- notes of ann"


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (["unknown"], "'unknown' has no share in source_ratios"),
        (["rag", "rag"], "two sources are named 'rag'"),
    ],
)
@pytest.mark.parametrize("entry", ["build", "build_block"])
def test_a_source_that_could_never_appear_is_refused_before_any_fetch(entry, sources, message):
    fetched = []
    config = ContextConfig(max_tokens=4000)
    built = [CallableSource(name, fetched.append) for name in sources]
    with pytest.raises(ConfigError, match=message):
        getattr(ContextBuilder(config), entry)("q", sources=built)
    assert fetched == []


def test_a_bare_function_is_refused_with_the_way_to_wrap_it():
    with pytest.raises(TypeError, match=r"CallableSource\(name, fn\)"):
        ContextBuilder(CONFIG).build_block("q", sources=[search_docs], budget=100)


def test_a_quota_smaller_than_a_chunk_is_refused_when_the_builder_is_made():
    config = ContextConfig(max_tokens=400)
    with pytest.raises(ValueError, match="less than one chunk"):
        ContextBuilder(config)
    ContextBuilder(config, min_chunk_tokens=20)


@pytest.mark.parametrize("entry", ["build", "build_block"])
def test_a_standalone_call_without_a_budget_is_refused(entry):
    with pytest.raises(ValueError, match="max_tokens is not set"):
        getattr(ContextBuilder(CONFIG), entry)("q", sources=[source("rag", "a")])


def test_a_config_that_is_none_is_refused_with_what_to_give():
    with pytest.raises(ConfigError, match=r"ContextConfig\(max_tokens=...\), not dict"):
        ContextBuilder({"max_tokens": 500})


@pytest.mark.parametrize("budget", [-1, 1.5, "500"])
def test_a_budget_that_is_no_number_of_tokens_is_refused(budget):
    with pytest.raises(ConfigError, match="budget"):
        ContextBuilder(CONFIG).build_block("q", sources=[], budget=budget)


@pytest.mark.parametrize(
    ("prompt", "query", "part"),
    [("s" * 4000, "q", "the system prompt"), ("", "q" * 5000, "the question")],
)
def test_case_91_what_cannot_fit_is_named_and_no_source_is_fetched(prompt, query, part):
    fetched = []
    builder = ContextBuilder(ContextConfig(max_tokens=1000, source_ratios={"rag": 1.0}))
    with pytest.raises(ContextWindowExceeded) as caught:
        builder.build(query, sources=[CallableSource("rag", fetched.append)], system_prompt=prompt)
    assert caught.value.part == part
    assert caught.value.needed > caught.value.room
    assert fetched == []


@pytest.mark.anyio
async def test_case_91_without_room_no_source_is_fetched():
    fetched = []
    builder = ContextBuilder(CONFIG)
    rag = CallableSource("rag", fetched.append)
    block = await builder.agather("q", sources=[rag], budget=0)
    assert (block.text, block.tokens, fetched) == ("", 0, [])
    assert [(each.outcome, each.reason) for each in block.outcomes] == [
        ("rejected", "there is no room for it")
    ]
    with pytest.raises(SourceError, match="no room"):
        await builder.agather(
            "q", sources=[CallableSource("rag", fetched.append, required=True)], budget=0
        )


def test_a_question_larger_than_the_reserve_takes_room_from_the_sections():
    config = ContextConfig(max_tokens=400, source_ratios={"rag": 1.0})
    builder = ContextBuilder(config)
    texts = [f"{number} " + "word " * 20 for number in range(30)]
    for words, least in ((1, 280), (250, 370)):
        context = builder.build(
            "why " * words, sources=[source("rag", *texts)], system_prompt="Be kind."
        )
        assert least < count_tokens(context) <= 400


@pytest.mark.anyio
async def test_case_88_what_stands_in_the_trajectory_is_not_injected_again():
    para = "The refund window is thirty days from delivery, in the original packaging."
    block = await ContextBuilder(CONFIG).agather(
        "q",
        sources=[source("rag", "PARA", para, "NEW")],
        budget=500,
        exclude=[" PARA\n", f"Page 3 of the handbook.\n{para}\nPage 4."],
    )
    assert block.text == "[Knowledge]\n- NEW"
    assert (block.outcomes[0].found, block.outcomes[0].kept) == (3, 1)


def test_case_88_a_short_text_inside_another_is_no_repetition():
    async def main():
        return await ContextBuilder(CONFIG).agather(
            "q", sources=[source("rag", "yes")], budget=500, exclude=["yesterday it rained " * 9]
        )

    assert anyio.run(main).text == "[Knowledge]\n- yes"


def test_a_text_that_two_sources_found_stands_once():
    block = ContextBuilder(CONFIG).build_block(
        "q", sources=[source("rag", "same", "b"), source("memory", "same")], budget=500
    )
    assert block == "[Memory]\n- same\n\n[Knowledge]\n- b"


def test_of_equal_texts_of_one_source_the_best_score_counts():
    found = [
        {"content": "same", "score": 0.1},
        {"content": "other", "score": 0.5},
        {"content": "same", "score": 0.9},
    ]
    rag = CallableSource("rag", lambda query: found)
    block = ContextBuilder(CONFIG).build_block("q", sources=[rag], budget=500)
    assert block == "[Knowledge]\n- same\n- other"


def test_a_candidate_larger_than_the_budget_is_skipped_and_the_others_fill_it():
    block = ContextBuilder(CONFIG).build_block(
        "q", sources=[source("rag", "x" * 4000, "small", "y" * 4000, "tiny")], budget=100
    )
    assert block == "[Knowledge]\n- small\n- tiny"


def test_a_huge_candidate_does_not_push_out_its_small_double():
    found = [
        {"content": "x" * 4000, "score": 0.9, "embedding": [1.0, 0.0]},
        {"content": "x", "score": 0.5, "embedding": [1.0, 0.0]},
    ]
    rag = CallableSource("rag", lambda query: found)
    assert ContextBuilder(CONFIG).build_block("q", sources=[rag], budget=100) == "[Knowledge]\n- x"


def test_without_borrowing_a_source_keeps_to_its_share():
    texts = ["word " * 8 + str(number) for number in range(200)]
    sources = [source("rag", *texts), source("memory", "short")]
    strict = ContextConfig(source_ratios=RATIOS, allow_borrow=False)
    alone = count_tokens(ContextBuilder(strict).build_block("q", sources=sources, budget=1000))
    shared = count_tokens(ContextBuilder(CONFIG).build_block("q", sources=sources, budget=1000))
    assert 250 < alone < 320
    assert 950 < shared <= 1000


def test_a_counter_is_asked_once_for_each_candidate():
    asked = []

    def counter(text):
        asked.append(text)
        return count_tokens(text)

    texts = [f"text {number}" for number in range(40)]
    ContextBuilder(CONFIG, token_counter=counter).build_block(
        "q", sources=[source("rag", *texts)], budget=120
    )
    lines = [text for text in asked if text.startswith("- ")]
    assert sorted(lines) == sorted(f"- {text}\n" for text in texts)


def words_and_lines(text):
    """A counter for which a whole may cost more than its parts do."""
    return len(text.split()) + text.count("\n- ") * 2


contents = st.lists(
    st.text(st.sampled_from("ab 的\n.😀"), max_size=120).map(str.strip), max_size=8, unique=True
)


@settings(max_examples=60)
@given(
    st.dictionaries(st.sampled_from(sorted(RATIOS)), contents, max_size=4),
    st.integers(0, 160),
    st.sampled_from(["estimate", "exact", "odd"]),
    st.booleans(),
)
def test_a_block_never_exceeds_its_budget_and_leaves_nothing_out_that_fits(
    texts, budget, kind, borrow
):
    counter = {"estimate": count_tokens, "exact": counter_for("gpt-4o"), "odd": words_and_lines}
    config = ContextConfig(source_ratios=RATIOS, allow_borrow=borrow)
    builder = ContextBuilder(config, token_counter=counter[kind])
    sources = [source(name, *found) for name, found in texts.items()]

    async def main():
        return await builder.agather("q", sources=sources, budget=budget)

    block = anyio.run(main)
    assert block.tokens == (counter[kind](block.text) if block.text else 0) <= budget
    assert sum(each.kept for each in block.outcomes) == block.text.count("- ") - sum(
        text.count("- ") for found in texts.values() for text in found
    )
    if kind == "estimate" and borrow and budget:
        said = {text for found in texts.values() for text in found if text}
        for text in said:
            assert f"- {text}" in block.text or (
                block.tokens + count_tokens(f"[Conversation history]\n\n- {text}\n") > budget
            )


def test_the_builder_alone_needs_no_heavy_library():
    program = (
        "import sys, agentmaker.context.builder as b; "
        "print([m for m in ('openai', 'numpy', 'splintr', 'pydantic') if m in sys.modules])"
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
