from __future__ import annotations

from itertools import count

import pytest

from agentmaker import RetrievalResult
from agentmaker.context.candidates import (
    MOST_CANDIDATES,
    UnreadableResults,
    aread_candidates,
    read_candidates,
)

ONE = RetrievalResult("one", 0.5, "elsewhere")


@pytest.mark.parametrize(
    ("found", "read"),
    [
        (None, []),
        ([], []),
        ("text", [RetrievalResult("text", 1.0, "rag")]),
        (["a", "b"], [RetrievalResult("a", 1.0, "rag"), RetrievalResult("b", 1.0, "rag")]),
        (ONE, [ONE]),
        ((ONE,), [ONE]),
        ({"content": "c"}, [RetrievalResult("c", 1.0, "rag")]),
        (
            [{"content": "c", "score": 0.2, "id": 7, "metadata": {"page": 3}}],
            [RetrievalResult("c", 0.2, "rag", id="7", metadata={"page": 3})],
        ),
        (iter(["a", ONE]), [RetrievalResult("a", 1.0, "rag"), ONE]),
        (["", "  \n", "a"], [RetrievalResult("a", 1.0, "rag")]),
    ],
)
def test_what_holds_candidates_is_read(found, read):
    assert read_candidates(found, "rag") == read


@pytest.mark.parametrize(
    ("found", "named"),
    [
        (5, "returned int"),
        (object(), "returned object"),
        (b"bytes", "returned bytes"),
        ([5], "returned int without content"),
        ([{"text": "secret"}], "returned dict without content"),
        ({"content": 5}, "returned dict without content"),
    ],
)
def test_what_holds_none_is_refused_by_its_type_alone(found, named):
    with pytest.raises(UnreadableResults, match=named) as caught:
        read_candidates(found, "rag")
    assert "secret" not in str(caught.value)


def test_a_generator_that_never_ends_is_read_to_a_limit():
    assert len(read_candidates((str(n) for n in count()), "rag")) == MOST_CANDIDATES


@pytest.mark.anyio
async def test_an_async_generator_is_read_to_a_limit():
    async def endless():
        for number in count():
            yield str(number)

    assert len(await aread_candidates(endless(), "rag")) == MOST_CANDIDATES


def test_a_result_with_content_that_is_no_text_cannot_be_made():
    with pytest.raises(TypeError, match="content must be a string"):
        RetrievalResult(5, 0.5, "rag")


def test_a_result_compares_and_hashes_without_its_embedding():
    plain, embedded = RetrievalResult("a", 1, "rag"), RetrievalResult("a", 1, "rag", embedding=[1])
    assert plain == embedded
    assert len({plain, embedded}) == 1
