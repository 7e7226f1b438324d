from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.ledger import ROWS
from agentmaker.calls.setting import Setting
from agentmaker.context.budget import WindowBudgetConfig
from agentmaker.context.measure import REPLY_PRIMING, messages_tokens
from agentmaker.messages import read_messages
from agentmaker.sync import run
from agentmaker.tokens import count_tokens
from tests.steps.line import call_of, prepared

FILLING = WindowBudgetConfig(low_water=1.0)


def turns(sizes: list[int]) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    for turn, size in enumerate(sizes):
        said.append({"role": "user", "content": f"question {turn}"})
        said.append({"role": "assistant", "content": f"A{turn} " * size})
    return [*said, {"role": "user", "content": "and now?"}]


@given(st.lists(st.integers(1, 120), max_size=60), st.integers(1_000, 12_000))
def test_the_ledger_counts_the_very_text_that_is_sent(sizes: list[int], window: int) -> None:
    done = run(prepared, call_of(turns(sizes), Setting(window=window)))
    assert done.ledger is not None
    sent = messages_tokens(read_messages(done.messages), count_tokens) + REPLY_PRIMING
    assert done.ledger.estimate == sent
    assert [row.name for row in done.ledger] == list(ROWS)
    assert sum(row.used for row in done.ledger) == window


@given(st.lists(st.integers(20, 60), min_size=120, max_size=160), st.integers(5_000, 6_500))
def test_a_window_to_be_filled_is_filled_to_95_per_cent(sizes: list[int], window: int) -> None:
    call = call_of(turns(sizes), Setting(window=window, budget=FILLING))
    done = run(prepared, call)
    assert done.ledger is not None
    assert done.plan is not None
    ledger, room = done.ledger, done.plan.room.shared
    used = sum(ledger[name].used for name in ("block", "history", "question", "trajectory"))
    assert ledger.reductions
    assert used >= 0.95 * room


def test_the_reserve_sinks_before_anything_that_must_be_sent_is_refused() -> None:
    said = [{"role": "user", "content": "q" * 11_000}]
    done = run(prepared, call_of(said, Setting(window=4_000)))
    assert done.ledger is not None
    assert 512 <= done.ledger["output"].used < done.ledger["output"].allotted == 2_000


def test_what_was_dropped_is_booked_on_its_row() -> None:
    done = run(prepared, call_of(turns([100] * 60), Setting(window=4_000)))
    assert done.ledger is not None
    assert done.ledger["history"].dropped > 0
    assert done.ledger.dropped == done.ledger["history"].dropped


def test_case_112_a_request_begins_with_the_one_before_and_the_ledger_says_so() -> None:
    setting = Setting(window=8_000)
    said = turns([10] * 5)
    first = run(prepared, call_of(said, setting))
    longer = [*said, {"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]
    second = run(prepared, call_of(longer, setting))
    assert second.messages[: len(first.messages)] == first.messages
    assert first.ledger is not None
    assert second.ledger is not None
    assert (first.ledger.prefix_kept, second.ledger.prefix_kept) == (None, 1.0)


def test_case_40_a_smaller_window_in_between_destroys_nothing() -> None:
    setting, said = Setting(window=200_000), turns([100] * 60)
    whole = run(prepared, call_of(said, setting))
    small = run(prepared, call_of(said, replace(setting, window=4_000)))
    again = run(prepared, call_of(said, setting))
    assert len(small.messages) < len(whole.messages)
    assert again.messages == whole.messages


def test_case_113_tools_leave_in_the_order_they_were_given() -> None:
    tools = [{"type": "function", "function": {"name": name}} for name in ("b", "a", "c")]
    done = run(prepared, call_of(turns([1]), Setting(window=8_000), tools=tools))
    assert list(done.window.tools) == tools
