"""What a wrapped client counts, and where: off the event loop, by one function, media by kind."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

import agentmaker
from agentmaker import (
    AgentmakerConfig,
    ContextWindowExceeded,
    MediaTokens,
    count_tokens,
    counter_for,
)
from agentmaker.tokens import ExactCounter, exact, remembered_counter
from tests.clients.asking import QUESTION, TOOL, Asked, assistant, step, talk, user

pytestmark = pytest.mark.anyio

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 2_000_000}}
LINKED = {"type": "image_url", "image_url": {"url": "https://e/i.png"}}
LARGE = AgentmakerConfig(media=MediaTokens(image=3_000))
ESTIMATING = {"server": {"counter": count_tokens}}
ROOMY = {"window": 400_000, "server": {"window": 400_000, "strict": False}}


@pytest.fixture
def loads(monkeypatch):
    """The families that were loaded, and by which thread; nothing is loaded before."""
    loaded = []

    def load(family):
        loaded.append((family, threading.get_ident()))
        return ExactCounter(family, lambda text: list(text.encode()), lambda token: bytes([token]))

    monkeypatch.setattr(exact, "_counters", {})
    monkeypatch.setattr(exact, "_from_splintr", load)
    remembered_counter.cache_clear()
    yield loaded
    remembered_counter.cache_clear()


async def test_case_70_a_vocabulary_is_loaded_once_and_in_a_thread(loads):
    asked = Asked(**ESTIMATING)
    for model in ("gpt-4o", "gpt-4o", "gpt-5-mini"):
        await asked(model=model)
    ((family, thread),) = loads
    assert family == "o200k_base"
    assert thread != threading.get_ident()
    assert asked.sink.records[0].ledger.counter == "o200k_base"


async def test_case_70_a_summarisers_vocabulary_is_loaded_in_a_thread_too(loads):
    asked = Asked(**ESTIMATING, summarizer="deepseek-chat")
    await asked(model="gpt-4o")
    assert [family for family, _ in loads] == ["o200k_base", "deepseek_v3"]
    assert threading.get_ident() not in {thread for _, thread in loads}


async def test_case_70_so_is_that_of_a_model_chosen_on_the_way(loads):
    async def routed(call, next):
        return await next(replace(call, model="gpt-4"))

    await Asked(**ESTIMATING, middleware=[routed])(model="gpt-4o")
    assert [family for family, _ in loads] == ["o200k_base", "cl100k_base"]
    assert threading.get_ident() not in {thread for _, thread in loads}


async def test_case_70_a_dry_run_loads_beside_the_loop_as_well(loads):
    await agentmaker.afit(QUESTION, model="gpt-4o", window=8_000)
    ((_, thread),) = loads
    assert thread != threading.get_ident()


async def test_a_model_that_is_no_name_is_refused_as_ever(loads):
    with pytest.raises(agentmaker.ConfigError, match="model must be a name"):
        await Asked(**ESTIMATING)(model=5)
    assert loads == []


@pytest.mark.parametrize("part", [IMAGE, LINKED], ids=["data", "link"])
@pytest.mark.parametrize("config", [None, LARGE], ids=["default", "configured"])
async def test_cases_58_and_59_an_image_costs_what_the_configuration_says(part, config):
    given = {} if config is None else {"config": config}
    asked = Asked(**ROOMY, **given)
    await asked([user("x"), assistant("y"), {"role": "user", "content": [part]}])
    cost = asked.sink.records[0].ledger["question"].used
    assert cost == (1_105 if config is None else 3_000) + 4


async def test_case_58_so_does_one_that_a_tool_returned():
    asked = Asked(**ROOMY, config=LARGE)
    picture = {"role": "tool", "tool_call_id": "c0", "content": [IMAGE, IMAGE]}
    await asked([user("look"), step(0)[0], picture], tools=[TOOL])
    assert 6_000 < asked.sink.records[0].ledger["trajectory"].used < 6_100


async def test_clients_of_one_process_may_count_images_differently():
    small, large = Asked(**ROOMY), Asked(**ROOMY, config=LARGE)
    for asked in (small, large, small):
        await asked([{"role": "user", "content": [LINKED]}])
    estimates = [asked.sink.records[-1].ledger.estimate for asked in (small, large)]
    assert estimates[1] - estimates[0] == 3_000 - 1_105


TOOLS = [{**TOOL, "function": {**TOOL["function"], "description": "word " * 106_900}}]


async def test_case_61_one_count_decides_and_no_cap_is_ever_clamped():
    asked = Asked(window=150_000, server={"window": 150_000})
    await asked(talk(20, words=2_000), tools=TOOLS, max_tokens=32_768, model="gpt-4o")
    ledger = asked.sink.records[0].ledger
    assert asked.bodies[0]["max_tokens"] == 32_768
    assert ledger["output"].used == 32_768
    assert sum(row.used for row in ledger.rows) == ledger.window == 150_000


async def test_case_61_a_reserve_below_its_floor_is_an_error_that_names_what_is_too_large():
    asked = Asked(window=107_200, server={"window": 150_000})
    with pytest.raises(ContextWindowExceeded, match="the tools"):
        await asked(QUESTION, tools=TOOLS, model="gpt-4o")
    assert asked.bodies == []


THOUGHTFUL = {"role": "assistant", "content": "a", "reasoning_content": "t" * 20_000}


@pytest.mark.usefixtures("by_the_rule")
@pytest.mark.parametrize("strips", [False, True])
async def test_case_71_reasoning_counts_where_it_is_sent(strips):
    dialect = agentmaker.Dialect(reasoning="strip" if strips else "keep")
    asked = Asked(**ROOMY, dialect=dialect)
    await asked([user("q"), THOUGHTFUL, user("more")])
    used = asked.sink.records[0].ledger["history"].used
    sent = "t" * 20_000 in str(asked.bodies[0])
    assert sent is not strips
    assert (used > count_tokens("t" * 20_000)) is sent


async def acting(arguments: str, reasoning: str) -> int:
    """What one step comes to in the ledger."""
    function = {"name": "look", "arguments": f'{{"b":"{arguments}"}}'}
    call = {"id": "c", "type": "function", "function": function}
    acted = {
        "role": "assistant",
        "content": None,
        "reasoning_content": reasoning,
        "tool_calls": [call],
    }
    result = {"role": "tool", "tool_call_id": "c", "content": "seen"}
    asked = Asked(**ROOMY)
    await asked([user("q"), acted, result], tools=[TOOL])
    return asked.sink.records[0].ledger["trajectory"].used


@pytest.mark.usefixtures("by_the_rule")
async def test_case_62_arguments_and_reasoning_are_both_in_the_ledger():
    acted = await acting("y" * 40_000, "r" * 4_000)
    assert acted - await acting("", "r" * 4_000) == 10_000
    assert acted - await acting("y" * 40_000, "") >= 1_000


async def test_case_62_so_they_are_for_a_model_nobody_knows():
    assert await acting("y" * 40_000, "r" * 4_000) >= 8_000


@pytest.mark.parametrize("model", ["a-model-nobody-knows", "gpt-4o"])
async def test_case_68_a_window_of_numbers_on_lines_is_never_too_large(model):
    pytest.importorskip("splintr")
    numbers = "1\n" * 2_000
    asked = Asked(window=32_000, server={"window": 32_000, "counter": counter_for("gpt-4o")})
    for turns in range(8, 14):
        await asked([*talk(turns), *map(user, [numbers] * turns)], model=model)
    assert [record.outcome for record in asked.sink] == ["ok"] * 6
    assert len(asked.server.requests) == 6
    assert asked.sink.last.ledger["history"].dropped > 0
