from __future__ import annotations

import pytest

from agentmaker.prompts import (
    DEFAULT_PROMPTS,
    PROMPT_PACKS,
    PromptRegistry,
    PromptTemplate,
    prompts_for,
)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("context.section.memory", "[Memory]"),
        ("context.section.rag", "[Knowledge]"),
        ("context.section.history", "[Conversation history]"),
        ("context.section.tool", "[Tool results]"),
        ("context.current_question", "[Current question]\n{query}"),
        ("context.summary_prefix", "[Recap] "),
        ("reducer.agent.mark", "[Attempted Steps Summary]"),
        ("reducer.plan.mark", "[Earlier Step Results Summary]"),
        ("reducer.reflection.mark", "[Past Critique Points]"),
        ("recap.began", "The conversation began with:"),
        ("recap.facts", "Identifiers and figures from it:"),
        ("wire.cut", "[... {dropped} tokens left out ...]"),
    ],
)
def test_the_english_headings_and_marks_are_those_of_the_documentation(key, text):
    assert DEFAULT_PROMPTS.text(key) == text


def test_every_pack_has_the_same_keys_places_and_protection():
    for pack in PROMPT_PACKS.values():
        assert sorted(pack.keys()) == sorted(DEFAULT_PROMPTS.keys())
        for key in pack:
            ours, theirs = pack.template(key), DEFAULT_PROMPTS.template(key)
            assert (ours.variables, ours.protected) == (theirs.variables, theirs.protected)
            assert ours.template.strip()


def test_a_pack_is_found_by_its_language_code():
    assert prompts_for("zh-CN") is prompts_for("zh_TW") is PROMPT_PACKS["zh"]
    assert prompts_for("EN") is DEFAULT_PROMPTS
    with pytest.raises(ValueError, match="use one of en, zh"):
        prompts_for("fr")


def test_rendering_fills_the_declared_places_and_leaves_other_braces_alone():
    template = PromptTemplate('{"a": 1} {query} {other}', variables=("query",))
    assert template.render(query="{query} {other}") == '{"a": 1} {query} {other} {other}'


def test_rendering_by_key():
    assert DEFAULT_PROMPTS.render("wire.cut", dropped=12) == "[... 12 tokens left out ...]"


def test_a_missing_variable_is_named_with_its_key():
    with pytest.raises(ValueError, match=r"context\.current_question: .*pass query="):
        DEFAULT_PROMPTS.render("context.current_question")


def test_a_value_without_a_place_is_refused():
    with pytest.raises(ValueError, match="no place for 'question'"):
        DEFAULT_PROMPTS.render("context.current_question", query="a", question="b")


@pytest.mark.parametrize("use", ["text", "render", "template"])
def test_an_unknown_key_is_refused_with_its_neighbours(use):
    with pytest.raises(KeyError, match=r"wire\.cat.*wire\.cut"):
        getattr(DEFAULT_PROMPTS, use)("wire.cat")


def test_overrides_make_a_new_registry_and_leave_the_old_one():
    changed = DEFAULT_PROMPTS.with_overrides(
        {"context.section.rag": "[Docs]", "context.current_question": PromptTemplate("Q: {query}")}
    )
    assert changed.text("context.section.rag") == "[Docs]"
    assert changed.render("context.current_question", query="why?") == "Q: why?"
    assert DEFAULT_PROMPTS.text("context.section.rag") == "[Knowledge]"


def test_an_override_of_an_unknown_key_is_refused():
    with pytest.raises(KeyError, match=r"no prompt 'context\.section\.rug'"):
        DEFAULT_PROMPTS.with_overrides({"context.section.rug": "[Rug]"})


def test_an_override_must_keep_what_its_key_protects():
    with pytest.raises(ValueError, match=r"context\.current_question: .*'\{query\}'"):
        DEFAULT_PROMPTS.with_overrides({"context.current_question": "Question: {querry}"})
    registry = PromptRegistry({"rules": PromptTemplate("Be kind. ANSWER:", protected=("ANSWER:",))})
    with pytest.raises(ValueError, match="must keep 'ANSWER:'"):
        registry.with_overrides({"rules": "Be brief."})


def test_registering_takes_new_keys_only():
    registry = DEFAULT_PROMPTS.with_overrides({})
    assert registry.register("context.section.crm", "[Customers]") is registry
    assert "context.section.crm" in registry
    assert "context.section.crm" not in DEFAULT_PROMPTS
    with pytest.raises(ValueError, match="with_overrides"):
        registry.register("context.section.crm", "[Clients]")


def test_a_template_is_frozen():
    with pytest.raises(AttributeError):
        DEFAULT_PROMPTS.template("wire.cut").template = "other"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"template": 5}, TypeError),
        ({"template": "a", "variables": "query"}, TypeError),
        ({"template": "a", "protected": ("b",)}, ValueError),
    ],
)
def test_a_template_that_cannot_work_is_refused(arguments, error):
    with pytest.raises(error):
        PromptTemplate(**arguments)
