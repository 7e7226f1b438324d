from __future__ import annotations

import anyio
import pytest

from agentmaker import CallableSource, RetrievalResult, RunLimitExceeded, RunPolicy, Scope, using
from agentmaker.clients.using import current
from agentmaker.errors import RunCancelled
from tests.clients.asking import QUESTION, Asked, talk, text_of

pytestmark = pytest.mark.anyio

ALICE, BOB, CAROL = (Scope(user=name) for name in ("alice", "bob", "carol"))


def source(text: str) -> CallableSource:
    return CallableSource("rag", lambda query: [RetrievalResult(text, 1.0, "rag")])


def scopes_seen(asked_scopes: list[Scope | None]) -> CallableSource:
    return CallableSource("rag", lambda query, scope: asked_scopes.append(scope) or [])


def test_an_inner_block_adds_to_the_outer_one_and_ends_with_itself():
    with using(scope=ALICE, window=4_000):
        with using(window=2_000):
            assert (current().scope, current().window) == (ALICE, 2_000)
        assert (current().scope, current().window) == (ALICE, 4_000)
    assert (current().scope, current().window) == (None, None)


def test_a_block_ends_with_an_error_too():
    with pytest.raises(KeyError), using(scope=ALICE):
        raise KeyError
    assert current().scope is None


async def test_what_one_task_uses_no_other_sees():
    inside = anyio.Event()
    seen = []

    async def one():
        with using(scope=ALICE):
            inside.set()
            await anyio.lowlevel.checkpoint()
            seen.append(current().scope)

    async def other():
        await inside.wait()
        seen.append(current().scope)

    async with anyio.create_task_group() as group:
        group.start_soon(one)
        group.start_soon(other)
    assert sorted(seen, key=str) == sorted([ALICE, None], key=str)


async def test_the_client_s_scope_is_a_default_that_using_and_scoped_replace_in_this_order():
    seen: list[Scope | None] = []
    asked = Asked(scope=ALICE, sources=[scopes_seen(seen)])
    await asked()
    with using(scope=BOB):
        await asked()
        asked.client = asked.client.scoped(CAROL)
        await asked()
    assert seen == [ALICE, BOB, CAROL]


async def test_a_scoped_client_leaves_the_other_as_it_was():
    asked = Asked()
    narrow = asked.client.scoped(window=2_000)
    assert narrow is not asked.client
    await narrow.chat.completions.create(model="m", messages=QUESTION)
    await asked()
    assert [record.ledger.window for record in asked.sink] == [2_000, 8_000]


async def test_scoping_again_adds_to_what_was_said():
    seen: list[Scope | None] = []
    asked = Asked()
    asked.client = asked.client.scoped(ALICE).scoped(window=2_000, sources=[scopes_seen(seen)])
    await asked()
    assert (seen, asked.sink.last.ledger.window) == ([ALICE], 2_000)


async def test_sources_may_be_others_or_none_for_a_while():
    asked = Asked(sources=[source("from the client")])
    with using(sources=[source("from the block")]):
        await asked([{"role": "user", "content": "one?"}])
    with using(sources=()):
        await asked([{"role": "user", "content": "two?"}])
    await asked([{"role": "user", "content": "three?"}])
    first, second, third = (text_of(sent[-1]) for sent in asked.sent)
    assert "from the block" in first
    assert second == "two?"
    assert "from the client" in third


async def test_a_run_is_refused_when_its_calls_are_used_up():
    asked = Asked()
    with using(run=RunPolicy(calls=2)) as run:
        await asked()
        await asked()
        with pytest.raises(RunLimitExceeded, match="calls limit of 2 is reached"):
            await asked()
    assert run.calls == 2
    assert len(asked.server.requests) == 2
    assert {record.run_id for record in asked.sink} == {run.id}
    await asked()


async def test_summaries_count_as_calls_of_the_run():
    asked = Asked(summarizer=lambda text, instruction: "They talked.")
    with using(run=RunPolicy(calls=100)) as run:
        await asked(talk(100) + QUESTION)
    summaries = sum(record.purpose == "summary" for record in asked.sink)
    assert summaries >= 1
    assert run.calls == summaries + 1


async def test_a_run_s_tokens_are_the_provider_s_own_count():
    asked = Asked()
    with using(run=RunPolicy(tokens=10)) as run:
        await asked()
        with pytest.raises(RunLimitExceeded, match="tokens limit of 10"):
            await asked()
    assert run.tokens == asked.sink.last.usage.total_tokens > 10


async def test_a_run_s_time_ends():
    asked = Asked()
    with using(run=RunPolicy(seconds=60)) as run:
        await asked()
        run.started -= 61
        with pytest.raises(RunLimitExceeded, match="seconds limit of 60"):
            await asked()
    assert len(asked.server.requests) == 1


async def test_a_cancelled_run_makes_no_request():
    asked = Asked()
    with using(run=RunPolicy()) as run:
        run.cancel()
        with pytest.raises(RunCancelled):
            await asked()
    assert asked.server.requests == ()


async def test_one_run_may_span_several_blocks():
    asked = Asked()
    with using(run=RunPolicy(calls=2)) as run:
        await asked()
    with using(run=run):
        await asked()
        with pytest.raises(RunLimitExceeded):
            await asked()
