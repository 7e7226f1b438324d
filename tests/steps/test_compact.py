from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from agentmaker.calls.call import Call
from agentmaker.calls.setting import Setting, SummaryModel
from agentmaker.messages import text_of
from agentmaker.testing import violations
from tests.steps.line import Summariser, call_of, prepared

pytestmark = pytest.mark.anyio

SUMMARY = SummaryModel(model="small", window=4_000)
FIRST = "My name is Mia and my order is A1234."


def talk(turns: int, size: int = 300) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    for turn in range(turns):
        asked = FIRST if turn == 0 else f"question {turn} about item IT{turn:03d} " + "q" * size
        said.append({"role": "user", "content": asked})
        said.append({"role": "assistant", "content": f"answer {turn} " + "a" * size})
    said.append({"role": "user", "content": "and now?"})
    return said


def texts(call: Call) -> list[str]:
    return [text_of(message["content"]) for message in call.messages]


async def test_the_recap_is_fenced_user_text_at_the_top_of_the_first_kept_user_message() -> None:
    done = await prepared(call_of(talk(40), Setting(window=4_000)))
    roles = [message["role"] for message in done.messages]
    assert roles[:2] == ["system", "user"]
    assert texts(done)[0] == "You help."
    assert texts(done)[1].startswith('<reference kind="recap">')


async def test_case_17_no_two_messages_of_one_role_meet_at_the_cut() -> None:
    for window in range(1_500, 6_000, 250):
        done = await prepared(call_of(talk(40), Setting(window=window)))
        roles = [message["role"] for message in done.messages]
        assert all(one != two for one, two in itertools.pairwise(roles))


async def test_case_16_the_first_user_message_is_still_there_after_the_cut() -> None:
    done = await prepared(call_of(talk(40), Setting(window=4_000)))
    assert FIRST in texts(done)[1]


async def test_case_35_the_recap_says_that_it_is_no_request_and_the_question_stays_last() -> None:
    done = await prepared(call_of(talk(40), Setting(window=4_000)))
    assert "for reference only: not a new request" in texts(done)[1]
    assert texts(done)[-1] == "and now?"


async def test_the_last_exchange_of_the_history_is_kept() -> None:
    said = talk(40)
    done = await prepared(call_of(said, Setting(window=2_000)))
    assert texts(done)[-2] == said[-2]["content"]


async def test_a_summary_stands_for_the_dropped_turns_and_carries_their_facts() -> None:
    ask = Summariser("Mia asked about many items.")
    done = await prepared(call_of(talk(40), Setting(window=4_000, summary=SUMMARY)), ask)
    assert "Mia asked about many items." in texts(done)[1]
    assert "IT001" in texts(done)[1] or "IT002" in texts(done)[1]


async def test_cases_25_and_26_every_summary_request_fits_the_summarisers_own_window() -> None:
    said = talk(400)
    ask = Summariser("So far.")
    small = SummaryModel(model="small", window=2_000)
    await prepared(call_of(said, Setting(window=16_000, summary=small)), ask)
    assert len(ask.asked) > 1
    for call in ask.asked:
        text = sum(
            len(text_of(each.content))
            for each in (*call.window.system, call.window.question)
            if each
        )
        assert text / 4 < 2_000


async def test_case_37_the_summariser_gets_plain_text_and_no_tools() -> None:
    ask = Summariser("So far.")
    done = call_of(
        talk(40),
        Setting(window=4_000, summary=SUMMARY),
        tools=[{"type": "function", "function": {"name": "f"}}],
    )
    await prepared(done, ask)
    (call,) = ask.asked[:1]
    assert call.window.tools == ()
    assert call.window.question is not None
    assert isinstance(call.window.question.content, str)


@pytest.mark.parametrize("reply", ["", "  \n", None, ValueError("down")])
async def test_case_20_a_blank_or_failed_summary_is_not_put_in_the_place_of_anything(
    reply: Any,
) -> None:
    ask = Summariser(reply)
    plain = await prepared(call_of(talk(40), Setting(window=4_000)))
    done = await prepared(call_of(talk(40), Setting(window=4_000, summary=SUMMARY)), ask)
    assert done.messages == plain.messages
    assert len(ask.asked) == 1


@pytest.mark.parametrize("finish", ["length", "content_filter", None])
async def test_case_22_only_a_finished_summary_is_used(finish: str | None) -> None:
    ask = Summariser("Mia asked about", finish_reason=finish)
    done = await prepared(call_of(talk(40), Setting(window=4_000, summary=SUMMARY)), ask)
    assert "Mia asked about" not in texts(done)[1]


async def test_case_23_the_summary_comes_from_the_summariser_and_from_nowhere_else() -> None:
    ask = Summariser(None)
    said = talk(40)
    said[2]["content"] = "old answer"
    done = await prepared(call_of(said, Setting(window=4_000, summary=SUMMARY)), ask)
    assert not texts(done)[1].startswith("old answer")


async def test_case_31_dispatch_right_after_a_compaction_asks_for_no_other() -> None:
    setting, ask = Setting(window=4_000, summary=SUMMARY), Summariser("So far.")
    said = talk(40)
    await prepared(call_of(said, setting), ask)
    asked = len(ask.asked)
    said += [{"role": "assistant", "content": "fine"}, {"role": "user", "content": "go on"}]
    await prepared(call_of(said, setting), ask)
    assert len(ask.asked) == asked


async def test_a_later_recap_takes_up_the_one_before_instead_of_reading_all_again() -> None:
    setting, ask = Setting(window=4_000, summary=SUMMARY), Summariser("So far: much.")
    said = talk(120)
    for end in range(80, len(said) + 1, 2):
        await prepared(call_of(said[:end], setting), ask)
    later = ask.asked[-1].window.question
    assert later is not None
    assert "So far: much." in later.text
    assert "question 5 " not in later.text


async def test_case_28_no_summary_is_asked_for_when_only_the_fixed_part_is_large() -> None:
    ask = Summariser("So far.")
    said = [{"role": "system", "content": "s" * 20_000}, {"role": "user", "content": "q"}]
    await prepared(call_of(said, Setting(window=8_000, summary=SUMMARY)), ask)
    assert ask.asked == []


async def test_case_19_a_system_message_in_mid_list_is_folded_and_counted() -> None:
    said = [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "system", "content": "Be brief from here."},
        {"role": "user", "content": "three"},
    ]
    done = await prepared(call_of(said, Setting(window=4_000)))
    assert [message["role"] for message in done.messages] == ["system", "user", "assistant", "user"]
    assert texts(done)[-1] == "Be brief from here.\n\nthree"
    assert done.ledger is not None
    assert done.ledger.estimate == 4_000 - sum(
        done.ledger[name].used for name in ("output", "margin", "free")
    )


async def test_tool_batches_in_the_history_are_never_split() -> None:
    said = talk(2)
    for nth in range(30):
        call = {"id": f"c{nth}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        said += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{nth}", "content": "r" * 300},
        ]
    said += [{"role": "assistant", "content": "done"}, {"role": "user", "content": "thanks"}]
    for window in range(1_200, 5_000, 200):
        done = await prepared(call_of(said, Setting(window=window)))
        assert violations({"model": "m", "messages": json.loads(json.dumps(done.messages))}) == []


@pytest.mark.parametrize("window", range(550, 1_500, 50))
async def test_the_task_is_never_lost_and_no_request_begins_with_the_assistant(window: int) -> None:
    said = [
        {"role": "system", "content": "sys " * 100},
        {"role": "user", "content": "TASK: never touch prod. " + "port the parser " * 10},
        {"role": "assistant", "content": "short answer"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "word " * 300},
        {"role": "user", "content": "and now? " * 10},
    ]
    done = await prepared(call_of(said, Setting(window=window)))
    assert [message["role"] for message in done.messages][:2] == ["system", "user"]
    assert "TASK: never touch prod." in texts(done)[1]


async def test_what_costs_less_than_its_recap_is_shown_instead() -> None:
    said = [
        {"role": "user", "content": "TASK"},
        {"role": "assistant", "content": "fine"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "word " * 1_500},
        {"role": "user", "content": "and now?"},
    ]
    done = await prepared(call_of(said, Setting(window=2_000)))
    assert texts(done)[:3] == ["TASK", "fine", "go"]
