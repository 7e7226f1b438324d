"""What the provider reports teaches our count, as a user of a wrapped client sees it."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

import anyio
import openai
import pytest

import agentmaker
from agentmaker import AgentmakerConfig, ContextWindowExceeded, WindowBudgetConfig
from agentmaker.testing import ModelServer, ServerError
from agentmaker.tokens import count_tokens
from tests.clients.asking import TOOL, Asked, assistant, step, talk, user

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("by_the_rule")]


def counting(share: float) -> dict[str, Any]:
    """A server that counts *share* tokens for one of ours."""
    return {"window": None, "counter": lambda text: round(share * count_tokens(text))}


def reporting(tokens: int, cached: int = 0) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Fine."}
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": tokens,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }


def growing(turns: int, words: int = 300) -> list[list[dict[str, Any]]]:
    """The requests of one conversation."""
    messages = talk(turns, words)
    return [messages[: 2 * nth + 1] for nth in range(1, turns)]


async def test_case_67_a_server_that_counts_far_less_teaches_it_within_bounds():
    asked = Asked([reporting(10_000) for _ in range(6)], server={"window": None}, window=64_000)
    conversation = [user("字" * 17_992)]
    for _ in range(6):
        await asked(conversation)
    estimates = [record.ledger.estimate for record in asked.sink]
    assert estimates[0] == pytest.approx(18_000, rel=0.001)
    assert estimates[1:] == [10_000] * 5
    last = asked.sink.last.ledger
    assert last.factor == pytest.approx(10 / 18, rel=0.01)
    assert (last.samples, last.last_error) == (5, 0.0)


async def test_case_67_conversations_of_one_request_each_teach_those_to_come():
    asked = Asked([reporting(10_000) for _ in range(6)], server={"window": None}, window=64_000)
    for nth in range(6):
        await asked([user(f"{nth}" + "字" * 17_992)])
    assert asked.sink.last.estimate_error == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("share", [0.6, 0.9, 1.1, 1.6])
async def test_from_the_third_call_on_the_estimate_is_what_the_server_counts(share: float):
    asked = Asked(server=counting(share), window=64_000)
    for messages in growing(8):
        await asked(messages)
    assert abs(asked.sink.records[0].estimate_error) > 0.05
    assert all(abs(record.estimate_error) < 0.015 for record in asked.sink.records[2:])


@pytest.mark.parametrize("share", [0.6, 1.6])
async def test_tools_that_come_and_go_leave_the_estimate_right(share: float):
    asked = Asked(server=counting(share), window=64_000)
    tools = {"tools": [TOOL] * 40}
    for nth, messages in enumerate(growing(10)):
        await asked(messages, **(tools if nth % 2 else {}))
    assert all(abs(record.estimate_error) < 0.015 for record in asked.sink.records[3:])


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_streams_teach_too_when_their_usage_is_asked_for():
    asked = Asked(server=counting(1.4), window=64_000)
    for messages in growing(4):
        usage = {"include_usage": True}
        async with await asked(messages, stream=True, stream_options=usage) as stream:
            async for _ in stream:
                pass
    assert asked.sink.last.ledger.samples == 2
    assert abs(asked.sink.last.estimate_error) < 0.015


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_stream_without_usage_teaches_nothing():
    asked = Asked(server=counting(1.4), window=64_000)
    for messages in growing(3):
        async with await asked(messages, stream=True) as stream:
            async for _ in stream:
                pass
    assert asked.sink.last.ledger.samples == 0


@pytest.mark.parametrize(
    "reply",
    [
        reporting(1),
        reporting(0),
        reporting(100_000),
        reporting(4_000, cached=4_100),
        ServerError(500, {"error": {"message": "no"}}),
    ],
)
async def test_what_says_nothing_of_how_texts_are_counted_teaches_nothing(reply: Any):
    asked = Asked([reply, "Fine."], server={"window": None}, window=64_000)
    messages = talk(40, 200)
    with suppress(openai.APIError):
        await asked(messages)
    await asked(messages)
    last = asked.sink.last.ledger
    assert (last.factor, last.samples, last.last_error) == (1.0, 0, None)


async def test_it_can_be_switched_off():
    config = AgentmakerConfig(window_budget=WindowBudgetConfig(calibrate=False))
    asked = Asked(server=counting(1.5), window=64_000, config=config)
    for messages in growing(5):
        await asked(messages)
    assert {record.ledger.factor for record in asked.sink} == {1.0}


async def test_the_ledger_adds_up_in_the_tokens_of_the_provider():
    asked = Asked(server=counting(1.37), window=8_000)
    for messages in growing(40):
        await asked(messages, tools=[TOOL] * 9)
        ledger = asked.sink.last.ledger
        assert sum(row.used for row in ledger) == ledger.window == 8_000
        prompt = ("system", "tools", "response_format", "history", "question", "trajectory")
        assert sum(ledger[name].used for name in prompt) == ledger.estimate
    assert asked.sink.last.ledger.dropped > 0


@pytest.mark.parametrize("share", [0.6, 1.5, 1.9])
async def test_no_request_is_over_a_window_that_is_counted_otherwise(share: float):
    asked = Asked(server=counting(share), window=8_000, output_tokens=512)
    for messages in growing(60):
        await asked(messages)
    counted = [record.usage.prompt_tokens for record in asked.sink]
    assert max(counted) + 512 <= 8_000
    assert max(counted) > 0.8 * (8_000 - 512)


async def cuts(*shares: float) -> int:
    """How often the beginning changes where the server counts these shares of ours in turn."""

    def reply(body: Any) -> Any:
        told = sum(4 + count_tokens(each["content"]) for each in body["messages"])
        return reporting(round(told * shares[len(asked.server.requests) % len(shares)]))

    asked = Asked(reply, server={"window": None}, window=8_000)
    for messages in growing(60, 200):
        await asked(messages)
    begun = [str(sent[0]) for sent in asked.sent]
    return sum(one != next for one, next in pairwise(begun))


async def test_a_cut_that_fits_is_not_moved_by_what_is_learnt_meanwhile():
    assert 3 < await cuts(0.97, 1.02, 0.96, 1.03, 1.0) <= await cuts(1.0) + 1


async def test_a_tool_result_that_is_counted_far_denser_still_fits():
    def counter(text: str) -> int:
        return count_tokens(text) * (2 if "7" in text else 1)

    asked = Asked(server={"window": None, "counter": counter}, window=8_000, output_tokens=512)
    messages = [user("Look.")]
    for nth in range(40):
        messages += step(nth, ("7 " if nth % 3 == 0 else "x ") * 900)
        await asked(messages)
    late = asked.sink.records[3:]
    assert all(record.ledger.estimate + 512 <= 8_000 for record in late)
    assert all(record.usage.prompt_tokens + 512 <= 8_000 for record in late)


async def test_what_is_too_large_is_named_in_the_tokens_of_the_provider():
    asked = Asked(server=counting(1.9), window=8_000, output_tokens=1_000)
    for messages in growing(5):
        await asked(messages)
    with pytest.raises(ContextWindowExceeded) as raised:
        await asked([*growing(5)[-1], assistant("So?"), user("word " * 4_000)])
    assert raised.value.part == "the question"
    assert raised.value.needed == pytest.approx(1.9 * 5_000, rel=0.05)
    assert raised.value.needed > raised.value.room > 4_000


async def test_a_refusal_that_states_the_prompt_teaches_and_is_not_made_up_for_twice():
    asked = Asked(server={**counting(1.5), "window": 8_000}, window=8_000, output_tokens=512)
    await asked(talk(48, 100))
    refused, sent = asked.sink.records
    assert refused.outcome == "ContextOverflow"
    assert sent.ledger.samples == 1
    assert abs(sent.estimate_error) < 0.03
    await asked(talk(48, 110))
    assert [record.outcome for record in asked.sink.records[2:]] == ["ok"]
    assert asked.sink.last.ledger.window == 8_000


async def test_each_server_and_each_model_is_learnt_by_itself():
    asked = Asked(server=counting(1.5), window=64_000)
    first, second, third = growing(4)
    await asked(first)
    await asked(second, model="another")
    assert asked.sink.last.ledger.samples == 0
    other = ModelServer(window=None)
    elsewhere = asked.client.with_options(
        base_url="http://elsewhere.invalid/v1", http_client=other.client()._client
    )
    await elsewhere.chat.completions.create(model="m", messages=second)
    assert asked.sink.last.ledger.samples == 0
    await asked(third)
    assert asked.sink.last.ledger.samples == 1


async def test_a_model_that_a_middleware_names_is_counted_as_itself():
    from dataclasses import replace

    async def routed(call: Any, next: Any) -> Any:
        return await next(replace(call, model="the-real-one"))

    asked = Asked(server=counting(1.5), window=64_000, middleware=[routed])
    for messages in growing(4):
        await asked(messages, model="a-name")
    assert abs(asked.sink.last.estimate_error) < 0.015


async def test_two_hundred_conversations_at_once_are_each_counted_by_their_own():
    asked = Asked(server=counting(1.3), window=64_000)

    async def converse(nth: int) -> None:
        for messages in growing(4, 200):
            await asked([user(f"{nth}"), assistant("Yes?"), *messages])

    async with anyio.create_task_group() as group:
        for nth in range(200):
            group.start_soon(converse, nth)
    assert len(asked.sink.records) == 600
    for nth in range(200):
        await asked([user(f"{nth}"), assistant("Yes?"), *growing(5, 200)[-1]])
    assert all(abs(record.estimate_error) < 0.01 for record in asked.sink.records[600:])


async def test_a_conversation_of_another_scope_leaves_no_sample():
    asked = Asked(server=counting(1.3), window=64_000)
    messages = talk(3, 300)[:-1]
    alice, bob = (agentmaker.Scope(user=name) for name in ("alice", "bob"))
    with agentmaker.using(scope=alice):
        await asked(messages)
    with agentmaker.using(scope=bob):
        await asked(messages)
    assert asked.sink.last.estimate_error != 0.0
    with agentmaker.using(scope=alice):
        await asked(messages)
    assert asked.sink.last.estimate_error == 0.0


async def test_one_wrong_report_locks_nobody_out():
    asked = Asked(
        [reporting(5_800), *[reporting(3_059)] * 3], server={"window": None}, window=4_000
    )
    for nth in range(4):
        await asked([{"role": "system", "content": "word " * 2_430}, user(f"Hello {nth}.")])
    assert [record.outcome for record in asked.sink] == ["ok"] * 4
    assert abs(asked.sink.last.estimate_error) < 0.01


async def test_a_wrong_report_of_tools_locks_nobody_out():
    asked = Asked(
        [reporting(500), reporting(1_900), *[reporting(600)] * 3],
        server={"window": None},
        window=1_700,
        output_tokens=512,
    )
    talked = [user("word " * 390)]
    for nth in range(5):
        await asked(talked, **({"tools": [TOOL]} if nth else {}))
        talked = [*talked, assistant("Fine."), user("Go on.")]
    assert [record.outcome for record in asked.sink] == ["ok"] * 5


async def test_a_wrong_report_locks_its_own_conversation_out_no_more_than_others():
    reports = [reporting(5_800), *[reporting(3_059)] * 4]
    asked = Asked(reports, server={"window": None}, window=4_000)
    system = {"role": "system", "content": "word " * 2_430}
    for asking in ("Hello 0.", "Hello 1.", "Hello 2.", "Hello 3.", "Hello 0."):
        await asked([system, user(asking)])
    assert [record.outcome for record in asked.sink] == ["ok"] * 5
