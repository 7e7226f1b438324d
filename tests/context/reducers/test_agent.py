from __future__ import annotations

import copy

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.measure import messages_tokens
from agentmaker.context.reducers import reduce_agent
from agentmaker.errors import ConfigError, ContextWindowExceeded
from agentmaker.messages import Message, read_messages
from agentmaker.tokens import count_tokens

MARK = "[Attempted Steps Summary]"

pytestmark = pytest.mark.anyio


def step(i, size=40):
    call = {"id": f"c{i}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{i}", "content": f"item_{i:04} " + "result " * size},
    ]


def loop(steps, *first, size=40):
    return [*first, *(message for i in range(steps) for message in step(i, size))]


def tokens(messages):
    return messages_tokens(read_messages(messages), count_tokens)


async def brief(text, instruction):
    return "Items were fetched."


async def test_under_the_budget_the_same_object_comes_back():
    messages = loop(4)
    assert await reduce_agent(messages, summarize=brief, budget=tokens(messages)) is messages


async def test_the_newest_units_stay_and_the_older_become_one_system_message():
    messages = loop(8)
    reduced = await reduce_agent(messages, summarize=brief, budget=500)
    summary, *kept = reduced
    assert summary["role"] == "system"
    assert summary["content"].startswith(f"{MARK}\nItems were fetched.")
    assert kept == messages[-6:]
    assert all(one is other for one, other in zip(kept, messages[-6:], strict=True))
    assert tokens(reduced) <= 500


async def test_what_the_summary_forgot_stands_behind_it():
    reduced = await reduce_agent(loop(8), summarize=brief, budget=500)
    assert all(f"item_{i:04}" in reduced[0]["content"] for i in range(5))


async def test_the_summariser_is_told_what_to_do_with_the_older_steps():
    asked = []

    async def summarize(text, instruction):
        asked.append((text, instruction))
        return "Short."

    await reduce_agent(loop(8), summarize=summarize, budget=500)
    ((text, instruction),) = asked
    assert text.startswith("assistant: f({})\ntool: item_0000")
    assert "item_0004" in text
    assert "item_0005" not in text
    assert "Summarise the tool calls" in instruction


async def test_message_objects_give_message_objects():
    messages = list(read_messages(loop(8)))
    reduced = await reduce_agent(messages, summarize=brief, budget=500)
    assert isinstance(reduced[0], Message)
    assert reduced[0].role == "system"
    assert reduced[1:] == messages[-6:]


@pytest.mark.parametrize("keep", [0, 1, 2, 5])
async def test_exactly_so_many_units_stay(keep):
    messages = loop(8, size=10)
    reduced = await reduce_agent(
        messages, summarize=brief, budget=tokens(messages) - 1, keep_recent_steps=keep
    )
    assert reduced[1:] == messages[len(messages) - 2 * keep :]


async def test_what_comes_before_the_turn_is_protected():
    head = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "old question"},
        {"role": "assistant", "content": "old answer"},
        {"role": "user", "content": "question"},
    ]
    reduced = await reduce_agent(loop(8, *head), summarize=brief, budget=500, turn_start=4)
    assert reduced[:4] == head
    assert reduced[4]["content"].startswith(MARK)


async def test_case_16_a_leading_system_message_and_the_task_stay():
    head = [{"role": "system", "content": "rules"}, {"role": "user", "content": "the task"}]
    reduced = await reduce_agent(loop(60, *head), summarize=brief, budget=600)
    assert reduced[:2] == head
    assert reduced[2]["content"].startswith(MARK)


async def test_case_41_one_turn_with_many_tool_rounds_is_reduced():
    messages = loop(60, {"role": "user", "content": "go"}, size=280)
    reduced = await reduce_agent(messages, summarize=None, budget=8_000)
    assert reduced[0] == messages[0]
    assert reduced[2:] == messages[-6:]
    assert 6_000 < tokens(reduced) <= 8_000


async def test_an_earlier_summary_is_taken_up_without_its_mark():
    asked = []

    async def summarize(text, instruction):
        asked.append(text)
        return "Short."

    once = await reduce_agent(loop(8), summarize=brief, budget=500)
    twice = await reduce_agent([*once, *loop(3)], summarize=summarize, budget=500)
    assert asked[0].startswith("Items were fetched.")
    assert "item_0000" in twice[0]["content"]
    assert twice[0]["content"].count(MARK) == 1


@pytest.mark.parametrize("answer", ["", "  ", None, 7, "longer " * 9_000])
async def test_a_useless_summary_gives_way_to_an_extract(answer):
    async def summarize(text, instruction):
        return answer

    reduced = await reduce_agent(loop(8), summarize=summarize, budget=600)
    assert reduced == await reduce_agent(loop(8), summarize=None, budget=600)
    assert "item_0000" in reduced[0]["content"]


async def test_a_failing_summariser_loses_nothing():
    async def summarize(text, instruction):
        raise ConnectionError

    reduced = await reduce_agent(loop(8), summarize=summarize, budget=600)
    assert all(f"item_{i:04}" in str(reduced) for i in range(8))


async def test_cancellation_passes_through():
    async def hang(text, instruction):
        await anyio.sleep_forever()

    with anyio.move_on_after(0.01) as scope:
        await reduce_agent(loop(8), summarize=hang, budget=500)
    assert scope.cancelled_caught


async def test_what_must_stay_is_never_cut():
    messages = loop(8)
    with pytest.raises(ContextWindowExceeded) as caught:
        await reduce_agent(messages, summarize=brief, budget=200)
    assert caught.value.needed == tokens(messages[-6:])
    assert caught.value.room == 200
    assert "trajectory" in caught.value.part


async def test_without_room_for_a_word_of_summary_the_newest_units_are_all():
    messages = loop(8)
    budget = tokens(messages[-6:])
    assert await reduce_agent(messages, summarize=brief, budget=budget) == messages[-6:]


@pytest.mark.parametrize("knob", ["keep_recent_steps", "turn_start", "budget"])
async def test_a_negative_number_is_refused_by_name(knob):
    with pytest.raises(ConfigError, match=knob):
        await reduce_agent(loop(8), summarize=brief, **{"budget": 500, knob: -1})


async def test_a_turn_that_starts_behind_the_end_is_refused():
    with pytest.raises(ConfigError, match="turn_start is 9"):
        await reduce_agent(loop(1), summarize=brief, budget=1, turn_start=9)


MESSAGES = st.lists(
    st.one_of(
        st.builds(lambda t: [{"role": "user", "content": t}], st.text(max_size=40)),
        st.builds(lambda t: [{"role": "assistant", "content": t}], st.text(max_size=40)),
        st.builds(lambda t: [{"role": "system", "content": t}], st.text(max_size=40)),
        st.builds(step, st.integers(0, 9), st.integers(0, 20)),
        st.builds(lambda: step(3)[1:]),
    ),
    max_size=10,
).map(lambda pieces: [message for piece in pieces for message in piece])


@given(
    messages=MESSAGES,
    budget=st.integers(0, 400),
    keep=st.integers(0, 4),
    summary=st.none() | st.text(max_size=200),
)
def test_any_trajectory_fits_its_budget_and_is_never_changed(messages, budget, keep, summary):
    before = copy.deepcopy(messages)

    async def summarize(text, instruction):
        return summary

    async def reduce():
        return await reduce_agent(
            messages, summarize=summarize, budget=budget, keep_recent_steps=keep
        )

    try:
        reduced = anyio.run(reduce)
    except ContextWindowExceeded:
        return
    finally:
        assert messages == before
    assert tokens(reduced) <= budget
    if any(message["role"] == "user" for message in messages):
        assert any(message["role"] == "user" for message in reduced)
