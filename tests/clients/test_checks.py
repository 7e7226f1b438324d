"""Bad input: every refusal says what to give instead, and comes before anything is sent."""

from __future__ import annotations

import math

import openai
import pytest

import agentmaker
from agentmaker import CallableSource, ConfigError, ContextConfig, Dialect, RunPolicy, Scope
from agentmaker.calls.forms.dialects import DIALECTS
from agentmaker.clients.checks import read_dialect
from agentmaker.clients.hosts import Chosen
from agentmaker.testing import MemorySink
from tests.clients.asking import QUESTION, TOOL, Asked, user

CLIENT = openai.AsyncOpenAI(api_key="k")
RAG = CallableSource("rag", lambda query: [])


def wrap(**given):
    return agentmaker.wrap(CLIENT, **{"window": 8_000, **given})


@pytest.mark.parametrize("knob", ["window", "fallback_window", "output_tokens"])
@pytest.mark.parametrize("value", [-1, 0, "8k", 1.5, True, math.nan, math.inf, [8_000]])
def test_a_number_of_tokens_that_is_none_is_refused(knob, value):
    with pytest.raises(
        ConfigError, match=f"{knob} must be a positive whole number of tokens or None"
    ):
        wrap(**{knob: value})


@pytest.mark.parametrize("reserve", [8_000, 8_001, 64_000])
def test_a_reserve_as_large_as_the_window_is_refused(reserve):
    """Case 106."""
    with pytest.raises(ConfigError, match=r"output_tokens=.* leaves nothing of window=8000: lower"):
        wrap(output_tokens=reserve)


@pytest.mark.anyio
async def test_a_cap_as_large_as_the_window_is_refused_before_anything_is_sent():
    """Case 106."""
    asked = Asked()
    with pytest.raises(agentmaker.ContextWindowExceeded, match="output cap") as refused:
        await asked(max_tokens=8_000)
    assert (refused.value.part, refused.value.needed) == ("the output cap", 8_000)
    assert asked.server.requests == ()


@pytest.mark.parametrize("value", [math.nan, -0.1, 1.1, "half", None, True])
def test_a_ratio_that_is_none_is_refused(value):
    with pytest.raises(ConfigError):
        ContextConfig(source_ratios={"rag": value})
    with pytest.raises(ConfigError, match="rag_ratio"):
        agentmaker.WindowBudgetConfig(rag_ratio=value)


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ([CallableSource("web", lambda query: [])], r"'web' has no share in source_ratios"),
        ([RAG, CallableSource("rag", lambda query: [])], "two sources are named 'rag'"),
        (RAG, "sources must be a list, not CallableSource: put it in a list"),
        ([lambda query: []], r"sources\[0\] must be a ContextSource, not function: wrap a fun"),
        ("rag", "sources must be a list, not str"),
        (None, "sources must be a list, not NoneType"),
    ],
)
def test_a_source_nobody_could_ask_is_refused_when_wrapping(sources, words):
    with pytest.raises(ConfigError, match=words):
        wrap(sources=sources)


def sync(record):
    raise AssertionError("never called")


async def late(record):
    raise AssertionError("never called")


@pytest.mark.parametrize(
    ("sinks", "words"),
    [
        (MemorySink(), "sinks must be a list, not MemorySink: put it in a list"),
        ([MemorySink], r"sinks\[0\] must be a function .*, not the class MemorySink"),
        (["log"], r"sinks\[0\] must be a function \(record\) -> None, not str"),
        ([sync, late], r"sinks\[1\] is async: a sink is a plain function"),
        ([lambda: None], r"sinks\[0\] must be a function \(record\)"),
        ("log", "sinks must be a list, not str"),
    ],
)
def test_a_sink_nobody_could_call_is_refused(sinks, words):
    with pytest.raises(ConfigError, match=words):
        wrap(sinks=sinks)


@pytest.mark.parametrize(
    ("middleware", "words"),
    [
        ([5], r"middleware\[0\] must be a function async \(call, next\) -> reply, not int"),
        (late, "middleware must be a list, not function: put it in a list"),
        ([late], r"middleware\[0\] must be a function async \(call, next\)"),
        ([agentmaker.Middleware], r"middleware\[0\] .* not the class Middleware"),
    ],
)
def test_middleware_nobody_could_call_is_refused(middleware, words):
    with pytest.raises(ConfigError, match=words):
        wrap(middleware=middleware)


@pytest.mark.parametrize("dialect", ["latin", 5, ["lenient"], {}])
def test_an_unknown_dialect_is_refused_with_the_known_ones(dialect):
    known = ", ".join(sorted((*DIALECTS, "learning")))
    with pytest.raises(ConfigError, match=f"use one of {known}, or a Dialect"):
        wrap(dialect=dialect)


def test_a_known_dialect_may_be_named_or_given():
    assert read_dialect("lenient").system == "anywhere"
    assert read_dialect(Dialect(system="one")) == Dialect(system="one")


def test_without_one_the_dialect_is_chosen_and_may_learn():
    assert read_dialect(None) == Chosen()
    assert read_dialect("learning") == Chosen(learns=True)


def test_a_configuration_that_is_none_is_refused():
    with pytest.raises(ConfigError, match=r"not dict: AgentmakerConfig\.from_dict"):
        wrap(config={"language": "en"})


@pytest.mark.parametrize("scope", ["alice", {"user": "alice"}, Scope])
def test_a_scope_that_is_none_is_refused(scope):
    with pytest.raises(ConfigError, match=r"scope must be a Scope"):
        wrap(scope=scope)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"window": "8k"}, "window must be a positive whole number"),
        ({"window": 0}, "window must be a positive whole number"),
        ({"scope": "alice"}, "scope must be a Scope"),
        ({"sources": [5]}, r"sources\[0\] must be a ContextSource"),
        ({"run": 5}, r"run must be a RunPolicy, not int: RunPolicy\(calls=\.\.\.\)"),
        ({"run": RunPolicy}, "run must be a RunPolicy, not the class RunPolicy"),
    ],
)
def test_using_and_scoped_refuse_the_same(given, words):
    with pytest.raises(ConfigError, match=words), agentmaker.using(**given):
        pytest.fail("the block was entered")
    with pytest.raises(ConfigError, match=words):
        wrap().scoped(**given)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("messages", "error", "words"),
    [
        (None, TypeError, r'not NoneType: give \[{"role": "user", "content": "..."}\]'),
        (5, TypeError, "messages must be a list of messages, not int"),
        ("hi", TypeError, "messages must be a list of messages, not str"),
        (user("hi"), TypeError, "messages must be a list of messages, not dict"),
        ([], ConfigError, "nothing in messages can be sent"),
        ([None], TypeError, r"messages\[0\]: expected a message dictionary or object, not None"),
        ([user("hi"), "there"], TypeError, r'messages\[1\]: .* not str: give {"role": "user"'),
        ([{"content": "hi"}], ValueError, r"messages\[0\]: role must be one of"),
        ([{"role": "narrator", "content": "hi"}], ValueError, r"messages\[0\]: role .*'narrator'"),
    ],
)
async def test_messages_that_are_none_are_refused_by_their_place(messages, error, words):
    asked = Asked()
    with pytest.raises(error, match=words):
        await asked(messages)
    with pytest.raises(error, match=words):
        await agentmaker.afit(messages, window=8_000)
    assert asked.server.requests == ()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tools": TOOL}, "tools must be a list of schemas, not dict"),
        ({"tools": "look"}, "tools must be a list of schemas, not str"),
        ({"tools": [print]}, r"tools\[0\] must be a dictionary as the API takes it"),
        (
            {"response_format": Scope},
            "response_format must be .*, not the class Scope",
        ),
        ({"extra_body": [1]}, "extra_body must be a dictionary, not list"),
    ],
)
async def test_schemas_that_are_none_are_refused(given, words):
    asked = Asked()
    with pytest.raises(TypeError, match=words):
        await asked(QUESTION, **given)
    assert asked.server.requests == ()


@pytest.mark.anyio
@pytest.mark.usefixtures("by_the_rule")
async def test_tools_larger_than_the_window_are_refused_before_any_source_is_asked():
    """Case 91."""
    queries = []
    asked = Asked(sources=[CallableSource("rag", lambda query: queries.append(query) or [])])
    tools = [{"type": "function", "function": {"name": "f", "description": "word " * 20_000}}]
    with pytest.raises(agentmaker.ContextWindowExceeded) as refused:
        await asked(tools=tools)
    assert refused.value.part == "the tools"
    assert "of a window of 8,000 tokens" in str(refused.value)
    assert "the tools 2" in str(refused.value)
    assert (queries, asked.server.requests) == ([], ())
