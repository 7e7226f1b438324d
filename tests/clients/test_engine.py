"""The line as a whole, through the real SDK: what leaves, when, and what is said of it."""

from __future__ import annotations

import copy
import itertools
from dataclasses import replace

import anyio
import pytest

import agentmaker
from agentmaker import ContextWindowExceeded, Dialect, using
from agentmaker.plain import dumps
from agentmaker.testing import violations
from tests.clients.asking import QUESTION, TOOL, Asked, assistant, step, talk, text_of, user

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("by_the_rule")]

TASK = "Count the files of the project, please."
SYSTEM = {"role": "system", "content": "Be brief."}


def loop(steps, result="seen " * 100):
    return [message for nth in range(steps) for message in step(nth, f"r{nth} {result}")]


async def test_the_task_is_still_there_after_a_long_tool_loop():
    """Case 16."""
    asked = Asked()
    await asked([SYSTEM, user(TASK), *loop(60)])
    users = [each for each in asked.sent[0] if each["role"] == "user"]
    assert len(users) == 1
    assert TASK in text_of(users[0])


async def test_what_leaves_has_one_system_message_and_it_is_the_first():
    """Case 19."""
    asked = Asked()
    await asked([SYSTEM, user("a"), assistant("b"), {"role": "system", "content": "c"}, user("d")])
    roles = [each["role"] for each in asked.sent[0]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "c" in text_of(asked.sent[0][-1])


async def test_a_lenient_dialect_leaves_system_messages_where_they_are():
    """Case 19."""
    asked = Asked(dialect="lenient", server={"strict": False})
    await asked([SYSTEM, user("a"), assistant("b"), {"role": "system", "content": "c"}, user("d")])
    assert [each["role"] for each in asked.sent[0]][3] == "system"


async def test_no_summary_is_asked_for_what_none_could_shorten():
    """Case 28."""
    summaries = []
    asked = Asked(summarizer=lambda text, instruction: summaries.append(text) or "short")
    tools = [{"type": "function", "function": {"name": "f", "description": "word " * 2_700}}]
    system = {"role": "system", "content": "word " * 2_700}
    for _ in range(3):
        await asked([system, *QUESTION], tools=tools)
    with pytest.raises(ContextWindowExceeded, match="the tools"):
        await asked([system, user("word " * 1_500)], tools=tools * 2)
    assert summaries == []
    assert len(asked.server.requests) == 3


async def test_usage_kept_on_a_message_says_nothing_of_the_next_prompt():
    """Case 31."""
    asked = Asked(server={"strict": False})
    kept = {**assistant("x"), "usage": {"total_tokens": 180_000}}
    await asked([user("a"), kept, *QUESTION])
    assert asked.sink.last.ledger.reductions == ()


async def test_what_earlier_calls_cost_says_nothing_of_the_next_prompt():
    """Case 32."""
    asked = Asked(summarizer=lambda text, instruction: pytest.fail("a summary was asked for"))
    for _ in range(10):
        await asked([user("word " * 4_500)])
    assert {record.ledger.reductions for record in asked.sink} == {()}


async def test_a_smaller_window_between_two_large_ones_destroys_nothing():
    """Case 40."""
    asked = Asked(server={"window": 200_000})
    messages = [*talk(900), *QUESTION]
    for window in (200_000, 32_000, 200_000):
        with using(window=window):
            await asked(messages)
    first, second, third = asked.sent
    assert first == third == messages
    assert asked.server.requests[1].prompt_tokens < 32_000
    assert len(second) < len(messages)


async def test_the_model_named_in_this_call_says_the_window():
    """Case 40."""
    asked = Asked(window=None, server={"window": 200_000})
    messages = [*talk(300), *QUESTION]
    for model in ("gpt-4o", "gpt-4", "gpt-4o"):
        await asked(messages, model=model)
    assert [record.ledger.window for record in asked.sink] == [128_000, 8_192, 128_000]
    assert asked.sent[0] == asked.sent[2] == messages


async def test_a_router_s_model_is_the_one_whose_window_counts():
    async def route(call, next):
        return await next(replace(call, model="gpt-4"))

    asked = Asked(window=None, middleware=[route])
    await asked([*talk(300), *QUESTION], model="gpt-4o")
    assert asked.bodies[0]["model"] == "gpt-4"
    assert asked.sink.last.ledger.window == 8_192


async def test_a_router_s_model_nobody_knows_is_refused():
    async def route(call, next):
        return await next(replace(call, model="mine"))

    with pytest.raises(agentmaker.ConfigError, match="'mine' is not known"):
        await Asked(window=None, middleware=[route])(model="gpt-4o")


async def test_middleware_is_around_the_whole_line_the_first_outermost():
    order = []

    def named(name):
        async def middleware(call, next):
            order.append(f"{name} {len(call.messages)}")
            reply = await next(call)
            order.append(f"{name} {reply.ledger.window}")
            return reply

        return middleware

    await Asked(middleware=[named("a"), named("b")])()
    assert order == ["a 0", "b 0", "b 8000", "a 8000"]


async def test_results_are_shortened_inside_an_open_turn():
    """Case 41."""
    asked = Asked(window=32_000, server={"window": 32_000})
    messages = [user(TASK), *loop(60, "seen " * 2_000)]
    await asked(messages)
    sent = asked.sent[0]
    assert asked.server.requests[0].status == 200
    assert text_of(sent[0]).endswith(TASK)
    assert text_of(sent[-1]).startswith("r59 seen")
    assert asked.sink.last.ledger["trajectory"].dropped > 50_000


async def test_case_80_tasks_may_ask_with_the_same_conversation_at_once():
    asked = Asked(summarizer=lambda text, instruction: "They talked of words.")
    messages = [SYSTEM, *talk(100), user(TASK), *loop(30)]
    before = copy.deepcopy(messages)
    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(asked, messages)
    assert messages == before
    assert all(request.status == 200 for request in asked.server.requests)
    assert len({dumps(sent) for sent in asked.sent}) == 1


async def test_the_reserve_counts_and_the_rows_add_up_to_the_window():
    """Case 107."""
    asked = Asked(window=131_072, output_tokens=65_536, server={"window": 131_072})
    await asked([*talk(1_200), *QUESTION], tools=[TOOL])
    ledger = asked.sink.last.ledger
    assert ledger["output"].used == 65_536
    assert asked.server.requests[0].prompt_tokens <= 131_072 - 65_536
    assert sum(row.used for row in ledger) == 131_072


async def test_a_request_begins_with_the_bytes_of_the_one_before():
    """Case 112."""
    asked = Asked()
    messages = [SYSTEM, user("one?")]
    await asked(messages)
    await asked([*messages, assistant("Fine."), user("two?")])
    assert asked.sent[1][:2] == asked.sent[0]
    assert asked.sink.last.ledger.prefix_kept == 1.0


async def test_tools_leave_in_the_order_they_came():
    """Case 113."""
    asked = Asked()
    tools = [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
        for name in "bac"
    ]
    await asked(tools=tools)
    assert asked.bodies[0]["tools"] == tools


async def test_the_prefix_moves_only_with_a_cut_and_a_cut_serves_many_calls():
    asked = Asked()
    messages = [SYSTEM, user(TASK)]
    for nth in range(80):
        await asked(messages, tools=[TOOL])
        messages += step(nth, f"r{nth} " + "seen " * 120)
    moved = [
        nth
        for nth, (before, after) in enumerate(itertools.pairwise(asked.sent))
        if after[: len(before)] != before
    ]
    assert 1 <= len(moved) <= 8
    assert min(b - a for a, b in itertools.pairwise(moved)) >= 8
    assert all(violations(body) == [] for body in asked.bodies)


async def test_a_response_format_is_counted():
    asked = Asked('{"a": 1}')
    shape = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
    await asked(response_format=shape)
    assert asked.bodies[0]["response_format"] == shape
    assert asked.sink.last.ledger["response_format"].used >= 20


async def test_a_dry_run_sends_nothing():
    asked = Asked()
    with pytest.raises(agentmaker.ConfigError, match="wrap a client to send requests"):
        await agentmaker.clients.engine.unsent(None)
    fitted = await agentmaker.afit(QUESTION, window=8_000)
    await asked()
    assert fitted.messages == asked.sent[0]


async def test_what_leaves_is_counted_as_the_provider_counts():
    pytest.importorskip("splintr")
    asked = Asked(window=None, server={"window": 128_000})
    await asked([SYSTEM, *talk(50), *QUESTION], model="gpt-4o", tools=[TOOL])
    assert abs(asked.sink.last.estimate_error) < 0.02
    assert asked.sink.last.ledger.counter == "o200k_base"


@pytest.mark.parametrize("off", [-1, 0, 1])
async def test_case_52_prompt_and_reserve_stay_below_the_window_to_the_token(off):
    """A server that refuses what is just as large as its window, and a question just too large."""
    asked = Asked(window=8_192, server={"window": 8_191, "counter": agentmaker.count_tokens})
    await asked([SYSTEM, user("word")], max_tokens=7_377)
    free = asked.sink.last.ledger["free"].used
    question = user("word" * (1 + free + off))
    if off > 0:
        with pytest.raises(ContextWindowExceeded, match="question"):
            await asked([SYSTEM, question], max_tokens=7_377)
        assert len(asked.sent) == 1
        return
    await asked([SYSTEM, question], max_tokens=7_377)
    ledger = asked.sink.last.ledger
    assert (ledger["free"].used, ledger["output"].used) == (-off, 7_377)
    assert asked.server.requests[1].prompt_tokens + 7_377 <= 8_192 - ledger["margin"].used
    assert ledger["margin"].used >= 1


@pytest.mark.parametrize("dialect", [None, Dialect(developer="system")])
async def test_case_101_developer_messages_are_fixed_and_never_cut(dialect):
    rules = {"role": "developer", "content": "rules " * 1_000}
    asked = Asked(dialect=dialect)
    await asked([rules, *talk(100), *QUESTION])
    role = "system" if dialect else "developer"
    assert asked.sent[0][0] == {**rules, "role": role}
    ledger = asked.sink.last.ledger
    assert ledger["system"].used > 1_000
    assert ledger["history"].dropped > 0


@pytest.mark.parametrize("window", range(900, 4_000, 300))
async def test_case_103_a_cut_leaves_no_message_that_says_nothing(window):
    asked = Asked(window=window, server={"strict": False, "window": None})
    silent = [assistant(""), {**assistant(None), "reasoning_content": "r"}]
    await asked([*talk(20, 60), user(TASK), *silent, *loop(30), *silent], tools=[TOOL])
    assert violations(asked.bodies[0]) == []
    assert all(each.get("content") or each.get("tool_calls") for each in asked.sent[0])
    assert asked.sink.last.ledger.dropped > 0


@pytest.mark.parametrize(
    ("reasoning", "kept"), [("keep", True), ("last_turn", True), ("strip", False)]
)
async def test_case_104_a_cut_keeps_the_thoughts_of_the_open_turn(reasoning, kept):
    thought, seen = step(1, "seen " * 9_000)
    asked = Asked(dialect=Dialect(reasoning=reasoning))
    await asked([*talk(100), user(TASK), {**thought, "reasoning_content": "r"}, seen], tools=[TOOL])
    (sent,) = [each for each in asked.sent[0] if each.get("tool_calls")]
    assert ("reasoning_content" in sent) is kept
    assert asked.sink.last.ledger["trajectory"].dropped > 0
