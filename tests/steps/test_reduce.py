from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from agentmaker.calls.call import Call
from agentmaker.calls.setting import Setting, SummaryModel
from agentmaker.context.reducers import REDUCERS
from agentmaker.errors import ConfigError
from agentmaker.messages import Message
from agentmaker.testing import violations
from tests.steps.line import Summariser, call_of, nobody, prepared

pytestmark = pytest.mark.anyio

TASK = {"role": "user", "content": "Book the flight of user mia_li_3668."}
SUMMARY = SummaryModel(model="small", window=4_000)


def loop(steps: int, size: int = 400, *, parallel: int = 1) -> list[dict[str, Any]]:
    talk: list[dict[str, Any]] = [{"role": "system", "content": "You book flights."}, TASK]
    for step in range(steps):
        ids = [f"call_{step}_{nth}" for nth in range(parallel)]
        calls = [
            {"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}}
            for id in ids
        ]
        talk.append({"role": "assistant", "content": None, "tool_calls": calls})
        text = f"reservation RES{step:03d} " + "words of the result " * (size // 20)
        talk += [{"role": "tool", "tool_call_id": id, "content": text} for id in ids]
    return talk


def sent(call: Call) -> str:
    return json.dumps(call.messages)


async def test_case_16_the_task_leaves_whole_however_long_the_loop_is() -> None:
    done = await prepared(call_of(loop(60), Setting(window=4_000)))
    users = [message["content"] for message in done.messages if message["role"] == "user"]
    assert len(users) == 1
    assert users[0].endswith(TASK["content"])


async def test_case_41_one_turn_with_many_rounds_fits_and_shortens_the_old_ones_first() -> None:
    talk = loop(60, size=8_000)
    done = await prepared(call_of(talk, Setting(window=32_000)))
    assert violations({"model": "m", "messages": list(done.messages)}) == []
    assert done.messages[-1]["content"] == talk[-1]["content"]
    assert done.ledger is not None
    said = " ".join(done.ledger.reductions)
    assert "units shortened" in said
    assert "units dropped" in said


async def test_case_2_a_result_too_large_for_the_window_is_shortened_not_removed() -> None:
    talk = loop(1, size=40_000, parallel=2)
    done = await prepared(call_of(talk, Setting(window=2_000)))
    results = [message for message in done.messages if message["role"] == "tool"]
    assert len(results) == 2
    assert all("left out" in message["content"] for message in results)


async def test_what_was_dropped_leaves_its_identifiers_behind() -> None:
    done = await prepared(call_of(loop(40), Setting(window=4_000)))
    assert "[Attempted Steps Summary]" in sent(done)
    assert "RES000" in sent(done) or "RES001" in sent(done)


async def test_a_cut_stands_for_the_calls_that_follow() -> None:
    setting = Setting(window=4_000)
    talk = loop(60)
    texts = []
    for end in range(4, len(talk) + 1, 2):
        done = await prepared(call_of(talk[:end], setting))
        texts.append(done.messages)
    moved = sum(one != two[: len(one)] for one, two in itertools.pairwise(texts))
    assert 1 <= moved <= len(texts) / 5


async def test_the_ledger_says_what_was_dropped_from_the_trajectory() -> None:
    talk = loop(60)
    done = await prepared(call_of(talk, Setting(window=4_000)))
    assert done.ledger is not None
    row = done.ledger["trajectory"]
    assert row.dropped > 0
    assert row.used <= row.allotted


async def test_a_summariser_writes_the_progress_and_its_call_is_a_summary() -> None:
    ask = Summariser("Looked at many reservations.")
    done = await prepared(call_of(loop(40), Setting(window=4_000, summary=SUMMARY)), ask)
    assert "Looked at many reservations." in sent(done)
    assert {call.purpose for call in ask.asked} == {"summary"}
    assert {call.model for call in ask.asked} == {"small"}


@pytest.mark.parametrize(
    "ask",
    [
        Summariser(ValueError("down")),
        Summariser(""),
        Summariser(None),
        Summariser("half a thou", finish_reason="length"),
        Summariser("x", finish_reason=None),
    ],
)
async def test_a_summary_that_fails_leaves_the_extract(ask: Summariser) -> None:
    plain = await prepared(call_of(loop(40), Setting(window=4_000)))
    done = await prepared(call_of(loop(40), Setting(window=4_000, summary=SUMMARY)), ask)
    assert ask.asked
    assert done.messages == plain.messages


async def test_a_summary_is_asked_for_once_while_its_cut_stands() -> None:
    setting, ask = Setting(window=4_000, summary=SUMMARY), Summariser("Looked.")
    talk = loop(41)
    await prepared(call_of(talk[:-2], setting), ask)
    asked = len(ask.asked)
    await prepared(call_of(talk, setting), ask)
    assert len(ask.asked) == asked


async def test_a_reducer_of_ones_own_is_a_function_in_a_dictionary(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def newest(
        items: Sequence[Message], *, summarize: Any, budget: int, counter: Any = None
    ) -> Any:
        note = Message("only the newest step is left", "system")
        return [items[0], note, *items[-2:]]

    monkeypatch.setitem(REDUCERS, "mine", newest)
    call = call_of(loop(40), Setting(window=4_000))
    trajectory = replace(call.window.trajectory, kind="mine")
    done = await prepared(replace(call, window=replace(call.window, trajectory=trajectory)))
    plain = await prepared(call)
    assert "only the newest step is left" in done.messages[1]["content"]
    assert len(done.messages) < len(plain.messages)
    assert done.messages[-1] == plain.messages[-1]


def _not_async(items: Sequence[Message], **knobs: Any) -> Any:
    return items


async def _everything(items: Sequence[Message], **knobs: Any) -> Any:
    return items


async def _nothing(items: Sequence[Message], **knobs: Any) -> Any:
    return None


async def _ranges(items: Sequence[Message], **knobs: Any) -> Any:
    return [*items[:1], *range(3)]


@pytest.mark.parametrize(
    ("reducer", "words"),
    [
        (_not_async, "make it an `async def`"),
        (_nothing, "return a list of the messages"),
        (_ranges, "return a list of the messages"),
        (_everything, "let it keep the newest `keep_recent_steps` units alone"),
    ],
)
async def test_a_reducer_that_gives_no_messages_or_too_many_is_named(
    monkeypatch: pytest.MonkeyPatch, reducer: Any, words: str
) -> None:
    monkeypatch.setitem(REDUCERS, "mine", reducer)
    call = call_of(loop(40), Setting(window=4_000))
    trajectory = replace(call.window.trajectory, kind="mine")
    with pytest.raises(ConfigError, match=f"'mine'.* {words}"):
        await prepared(replace(call, window=replace(call.window, trajectory=trajectory)))


async def test_nobody_is_asked_when_nothing_has_to_go() -> None:
    talk = loop(3)
    done = await prepared(call_of(talk, Setting(window=32_000, summary=SUMMARY)), nobody)
    assert list(done.messages) == talk
    assert done.ledger is not None
    assert done.ledger.reductions == ()


async def test_a_summary_that_a_reducer_makes_too_long_is_cut_to_its_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def talkative(items: Sequence[Message], *, budget: int, **knobs: Any) -> Any:
        return [Message("one word more " * budget, "system"), *items[-2:]]

    monkeypatch.setitem(REDUCERS, "agent", talkative)
    talk = loop(40)
    done = await prepared(call_of(talk, Setting(window=4_000)))
    assert "one word more" in done.messages[1]["content"]
    assert done.messages[-1]["content"] == talk[-1]["content"]
    assert done.ledger is not None
    assert done.ledger.estimate <= 4_000


@pytest.mark.parametrize("kind", ["plan", "reflection", "unknown"])
async def test_a_kind_that_reduces_no_messages_is_refused_by_name(kind: str) -> None:
    call = call_of(loop(40), Setting(window=4_000))
    trajectory = replace(call.window.trajectory, kind=kind)
    with pytest.raises(ConfigError, match=kind):
        await prepared(replace(call, window=replace(call.window, trajectory=trajectory)))


async def test_a_reducer_need_not_hand_back_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    async def newest(items: Sequence[Message], **knobs: Any) -> Any:
        return items[-2:]

    monkeypatch.setitem(REDUCERS, "agent", newest)
    talk = loop(40)
    done = await prepared(call_of(talk, Setting(window=4_000)))
    assert done.messages[1] == TASK
    assert done.messages[-1]["content"] == talk[-1]["content"]


async def test_the_ledger_names_what_the_progress_had_no_room_for() -> None:
    talk = loop(400)
    done = await prepared(call_of(talk, Setting(window=2_000)))
    assert done.ledger is not None
    said = sent(done)
    assert done.ledger.lost
    assert all(fact not in said for fact in done.ledger.lost if fact.startswith("RES0"))
    again = await prepared(call_of(talk, done.setting))
    assert again.ledger is not None
    assert again.ledger.lost == done.ledger.lost


@pytest.mark.parametrize("window", range(1_500, 4_500, 250))
async def test_a_picture_never_outlives_the_call_it_came_with(window: int) -> None:
    talk = loop(1, size=12_000)
    talk.append({"role": "user", "content": "here is the picture the tool made"})
    done = await prepared(call_of(talk, Setting(window=window)))
    roles = [message["role"] for message in done.messages]
    assert roles == ["system", "user", "assistant", "tool", "user"]


async def test_a_picture_of_the_newest_step_keeps_its_call_when_older_steps_go() -> None:
    talk = loop(30)
    talk.append({"role": "user", "content": "here is the picture the tool made"})
    done = await prepared(call_of(talk, Setting(window=2_500)))
    roles = [message["role"] for message in done.messages]
    assert roles[:2] == ["system", "user"]
    assert roles[-3:] == ["assistant", "tool", "user"]


async def test_a_system_message_of_the_callers_among_the_steps_is_not_taken_for_the_summary() -> (
    None
):
    talk = loop(30)
    talk.insert(-2, {"role": "system", "content": "Answer in French from here on."})
    done = await prepared(call_of(talk, Setting(window=2_500)))
    assert "[Attempted Steps Summary]" in sent(done)
    assert "Answer in French from here on." in sent(done)


async def test_case_38_a_reducer_may_copy_what_it_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    async def copying(
        messages: Sequence[Message],
        *,
        keep_recent_steps: int,
        turn_start: int,
        prompts: Any,
        **given: Any,
    ) -> list[Message]:
        knobs = {"keep_recent_steps": keep_recent_steps, "turn_start": turn_start}
        reduced = await REDUCERS["agent"](messages, **knobs, prompts=prompts, **given)
        return [Message.from_wire(json.loads(json.dumps(each.to_wire()))) for each in reduced]

    monkeypatch.setitem(REDUCERS, "copying", copying)
    done = []
    for kind in ("agent", "copying"):
        call = call_of(loop(60), Setting(window=4_000))
        trajectory = replace(call.window.trajectory, kind=kind)
        call = replace(call, window=replace(call.window, trajectory=trajectory))
        done.append(await prepared(call))
    assert sent(done[0]) == sent(done[1])
