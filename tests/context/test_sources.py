from __future__ import annotations

import functools
from unittest.mock import Mock

import pytest

from agentmaker import CallableSource, ConfigError, ContextSource, RetrievalResult, Scope
from agentmaker.context.sources import Grant
from agentmaker.tokens import count_tokens

SCOPE = Scope(user="ann")
GRANT = Grant(tokens=100, deadline=2.0, counter=count_tokens)


def seen(*args, **kwargs):
    return [f"{args} {kwargs}"]


def one_parameter(query):
    return seen(query)


def two_parameters(query, where):
    return seen(query, where)


def keyword_only(query, *, scope=None):
    return seen(query, scope=scope)


def second_with_default(query, top_k=5):
    return seen(query, top_k)


def second_named_scope(query, scope=None):
    return seen(query, scope)


def second_annotated(query, who: Scope | None = None):
    return seen(query, who)


def with_grant(query, grant):
    return seen(query, grant)


def with_keywords(query, **kwargs):
    return seen(query, **kwargs)


class Memory:
    def search(self, query, *, scope=None):
        return seen(query, scope=scope)

    def __call__(self, query, scope):
        return seen(query, scope)


PLAIN = f"('q',) {{}}"  # noqa: F541
POSITIONAL = f"('q', {SCOPE!r}) {{}}"
BY_NAME = f"('q',) {{'scope': {SCOPE!r}}}"
NO_SCOPE_BY_NAME = "('q',) {'scope': None}"


@pytest.mark.parametrize(
    ("fn", "pass_scope", "called"),
    [
        (one_parameter, None, PLAIN),
        (two_parameters, None, POSITIONAL),
        (lambda q, s: [*seen(q, s)], None, POSITIONAL),
        (keyword_only, None, NO_SCOPE_BY_NAME),
        (keyword_only, True, BY_NAME),
        (keyword_only, False, NO_SCOPE_BY_NAME),
        (second_with_default, None, "('q', 5) {}"),
        (second_named_scope, None, POSITIONAL),
        (second_named_scope, False, "('q', None) {}"),
        (second_annotated, None, POSITIONAL),
        (two_parameters, True, POSITIONAL),
        (with_keywords, None, PLAIN),
        (with_keywords, True, BY_NAME),
        (Memory().search, None, NO_SCOPE_BY_NAME),
        (Memory().search, True, BY_NAME),
        (Memory(), None, POSITIONAL),
        (functools.partial(two_parameters, where="fixed"), None, "('q', 'fixed') {}"),
    ],
)
def test_the_scope_goes_where_the_function_wants_it(fn, pass_scope, called):
    source = CallableSource("memory", fn, pass_scope=pass_scope)
    [found] = source.fetch("q", SCOPE)
    assert found.content == called


@pytest.mark.anyio
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_function_that_wants_its_grant_is_given_it(is_async):
    async def later(query, *, grant):
        return with_grant(query, grant)

    source = CallableSource("rag", later if is_async else with_grant)
    [found] = await source.afetch("q", SCOPE, grant=GRANT)
    assert found.content == f"('q', {GRANT!r}) {{}}"


@pytest.mark.parametrize(
    ("fn", "pass_scope", "error"),
    [
        (one_parameter, True, "takes no scope"),
        (lambda: ["a"], None, "cannot be called with the query"),
        (two_parameters, False, "cannot be called with the query"),
        ("search", None, "needs a function"),
    ],
)
def test_a_function_that_could_never_be_called_is_refused_at_once(fn, pass_scope, error):
    with pytest.raises(TypeError, match=error):
        CallableSource("rag", fn, pass_scope=pass_scope)


@pytest.mark.parametrize(
    ("name", "options"),
    [("", {}), (None, {}), ("rag", {"timeout": 0}), ("rag", {"timeout": "2"})],
)
def test_a_knob_out_of_range_is_refused(name, options):
    with pytest.raises(ConfigError):
        CallableSource(name, one_parameter, **options)


def test_a_function_that_does_not_tell_its_signature_is_given_the_query():
    assert CallableSource("rag", Mock(return_value=["a"])).fetch("q")[0].content == "a"
    assert CallableSource("rag", max).fetch("q")[0].content == "q"


async def coroutine(query):
    return ["async " + query]


async def async_generator(query):
    yield "async " + query


class AsyncCallable:
    async def __call__(self, query):
        return ["async " + query]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "fn",
    [
        coroutine,
        async_generator,
        AsyncCallable(),
        lambda q: coroutine(query=q),
        lambda q: async_generator(query=q),
    ],
    ids=["coroutine", "async generator", "async object", "lambda", "lambda to async generator"],
)
async def test_async_functions_of_any_kind_are_awaited_and_not_fetched(fn):
    source = CallableSource("rag", fn)
    with pytest.raises(TypeError, match=r"await afetch"):
        source.fetch("q")
    [found] = await source.afetch("q")
    assert (found.content, found.source) == ("async q", "rag")


@pytest.mark.anyio
async def test_a_generator_runs_in_the_thread_and_a_sync_source_is_awaitable():
    def generator(query):
        yield query
        yield {"content": query * 2}

    found = await CallableSource("rag", generator).afetch("q")
    assert [each.content for each in found] == ["q", "qq"]


@pytest.mark.anyio
async def test_a_subclass_writes_fetch_and_may_ask_for_its_grant():
    class Notes(ContextSource):
        name = "notes"

        def fetch(self, query, scope=None, *, grant=None):
            return [RetrievalResult(f"{query} {grant.tokens}", 1.0, self.name)]

    [found] = await Notes().afetch("q", grant=GRANT)
    assert found.content == "q 100"
    assert (Notes.required, Notes.timeout) == (False, None)
