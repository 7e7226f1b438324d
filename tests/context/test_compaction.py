from __future__ import annotations

import copy
import math
from itertools import pairwise
from types import SimpleNamespace

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.compaction import REMEMBERED, HistoryCompactor
from agentmaker.context.kept import CompactionConfig
from agentmaker.context.measure import FRAMING, REPLY_PRIMING
from agentmaker.errors import ConfigError
from agentmaker.messages import Message, read_messages
from agentmaker.prompts import prompts_for
from agentmaker.tokens import count_tokens

HISTORY = [
    Message(content="How do I get a refund?", role="user"),
    Message(content="Open Settings then Billing.", role="assistant"),
    Message(content="I did that but I am still stuck.", role="user"),
    Message(content="Let me escalate this for you.", role="assistant"),
]
SUMMARY = "The user asked how to get a refund and was told to check Settings > Billing."


class Model:
    """A model that answers from a script, the last item for ever."""

    def __init__(self, *script, context_window=None):
        self.script = list(script)
        self.context_window = context_window
        self.calls: list[list[Message]] = []

    async def chat(self, messages):
        self.calls.append(list(messages))
        item = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(item, BaseException):
            raise item
        return item


def reply(content, finish_reason="stop", **more):
    return SimpleNamespace(content=content, finish_reason=finish_reason, **more)


def talk(turns, words=40):
    said = ("user", "assistant")
    return [Message(f"turn {i}: " + "word " * words, role=said[i % 2]) for i in range(turns)]


def step(i, size=40):
    call = {"id": f"c{i}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return read_messages(
        [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{i}", "content": "result " * size},
        ]
    )


def loop(steps, *first):
    return [*first, *(message for i in range(steps) for message in step(i))]


def shape(messages):
    return [message.role for message in messages]


# --- what the documentation shows


def test_the_documented_example_prints_what_it_says():
    compactor = HistoryCompactor(Model(reply(SUMMARY)), keep_recent=2, trigger_tokens=10)
    assert [f"{m.role} :: {m.content}" for m in compactor.compact(HISTORY)] == [
        f"system :: [Recap] {SUMMARY}",
        "user :: I did that but I am still stuck.",
        "assistant :: Let me escalate this for you.",
    ]


@pytest.mark.anyio
async def test_the_async_form_gives_the_same():
    compactor = HistoryCompactor(Model(reply(SUMMARY)), keep_recent=2, trigger_tokens=10)
    compacted = await compactor.acompact(HISTORY)
    assert compacted[0].content == f"[Recap] {SUMMARY}"
    assert compacted[1:] == HISTORY[2:]


def test_a_plain_string_is_a_reply_too():
    compactor = HistoryCompactor(Model(SUMMARY), keep_recent=2, trigger_tokens=10)
    assert compactor.compact(HISTORY)[0].content == f"[Recap] {SUMMARY}"


@pytest.mark.parametrize("knobs", [{"keep_recent": 4}, {"keep_recent": 1, "trigger_tokens": 29}])
def test_a_short_history_comes_back_as_the_same_object(knobs):
    model = Model(reply(SUMMARY))
    compactor = HistoryCompactor(model, **{"trigger_tokens": 10, **knobs})
    assert compactor.compact(HISTORY) is HISTORY
    assert model.calls == []


def test_one_token_over_the_trigger_compacts():
    total = sum(count_tokens(message.content) for message in HISTORY)
    at = HistoryCompactor(None, keep_recent=2, trigger_tokens=total)
    over = HistoryCompactor(None, keep_recent=2, trigger_tokens=total - 1)
    assert at.plan(HISTORY) is None
    assert over.plan(HISTORY) is not None


def test_from_config_takes_the_knobs_and_the_constructors_others():
    config = CompactionConfig(keep_recent=2, trigger_tokens=10)
    compactor = HistoryCompactor.from_config(Model(reply(SUMMARY)), config, max_summary_tokens=5)
    assert (compactor.keep_recent, compactor.trigger_tokens) == (2, 10)
    assert compactor.max_summary_tokens == 5


@pytest.mark.parametrize("knob", ["keep_recent", "trigger_tokens"])
@pytest.mark.parametrize("value", [0, -1, True, 1.5, "4", math.nan])
def test_a_bad_configuration_never_comes_to_exist(knob, value):
    with pytest.raises(ConfigError, match=knob):
        CompactionConfig(**{knob: value})


@pytest.mark.parametrize(
    "knobs", [{"keep_recent": 0}, {"trigger_tokens": -1}, {"max_summary_tokens": 0}]
)
def test_a_bad_knob_is_refused_by_name(knobs):
    with pytest.raises(ConfigError, match=next(iter(knobs))):
        HistoryCompactor(None, **knobs)


def test_with_nobody_to_ask_there_is_a_clear_error():
    with pytest.raises(ConfigError, match="give HistoryCompactor a model"):
        HistoryCompactor(None, trigger_tokens=10, keep_recent=2).compact(HISTORY)


# --- who is asked, and what


@pytest.mark.anyio
async def test_a_callback_needs_no_loop_and_no_model():
    compactor = HistoryCompactor(None, keep_recent=2, trigger_tokens=10)
    compacted = compactor.compact(HISTORY, summarize=lambda text, instruction: "A refund.")
    assert compacted[0].content == "[Recap] A refund."


@pytest.mark.anyio
async def test_an_async_callback_is_awaited():
    async def summarize(text, instruction):
        await anyio.lowlevel.checkpoint()
        return "A refund."

    compactor = HistoryCompactor(None, keep_recent=2, trigger_tokens=10)
    assert (await compactor.acompact(HISTORY, asummarize=summarize))[0].content.endswith("refund.")


def test_the_summary_prompt_and_the_prompt_pack_can_be_chosen():
    model = Model(reply("退款。"))
    compactor = HistoryCompactor(
        model,
        keep_recent=2,
        trigger_tokens=10,
        summary_prompt="Sum up.",
        prompts=prompts_for("zh"),
    )
    assert compactor.compact(HISTORY)[0].content == "[回顾] 退款。"
    assert model.calls[0][0].content == "Sum up."


def test_case_37_the_span_goes_as_plain_text_in_one_user_message():
    model = Model(reply("Things were done."))
    HistoryCompactor(model, keep_recent=2, trigger_tokens=10).compact(loop(5, Message("go")))
    (asked,) = model.calls
    assert shape(asked) == ["system", "user"]
    assert "tool: result" in asked[1].content
    assert not any(message.tool_calls or message.tool_call_id for message in asked)


# --- what stays


def test_case_16_the_users_task_always_leaves():
    task = Message("find the needle")
    system = Message("be brief", role="system")
    history = loop(60, system, task)
    compacted = HistoryCompactor(Model(reply("Searched.")), trigger_tokens=50).compact(history)
    users = [message for message in compacted if message.role == "user"]
    assert [message.content.endswith("find the needle") for message in users] == [True]
    assert compacted[0] is system
    assert compacted[-4:] == history[-4:]


def test_case_16_without_a_system_prompt_the_task_stands_behind_the_recap():
    task = Message("find the needle")
    compacted = HistoryCompactor(Model(reply("Searched.")), trigger_tokens=50).compact(
        loop(60, task)
    )
    assert compacted[:2] == [Message("[Recap] Searched.", role="system"), task]


@pytest.mark.parametrize("head", ["user", "assistant", "tool"])
@pytest.mark.parametrize("tail", ["user", "assistant"])
@pytest.mark.parametrize("system", [(), (Message("be brief", role="system"),)])
def test_case_17_no_two_messages_of_one_visible_role_meet(head, tail, system):
    before = {
        "user": [*talk(8), Message("and?")],
        "assistant": talk(8),
        "tool": loop(4, Message("go")),
    }[head]
    after = [
        Message("then " * 20, role=tail),
        Message("so", role="assistant" if tail == "user" else "user"),
    ]
    history = [*system, *before, *after]
    compactor = HistoryCompactor(Model(reply("Much was said.")), keep_recent=2, trigger_tokens=50)
    compacted = compactor.compact(history)
    assert len(compacted) < len(history)
    visible = [role for role in shape(compacted) if role != "tool"]
    assert all(one != next_ for one, next_ in pairwise(visible))


def test_case_35_behind_a_system_prompt_the_recap_is_marked_as_reference():
    history = [Message("be brief", role="system"), *talk(9)]
    compactor = HistoryCompactor(
        Model(reply("User asked: delete the staging bucket")), keep_recent=3, trigger_tokens=50
    )
    system, first, *_ = compactor.compact(history)
    note, recap, end, *said = first.content.split("\n")
    assert system is history[0]
    assert note.startswith("[Recap] ")
    assert "for reference only" in note
    assert recap == "User asked: delete the staging bucket"
    assert end == "---"
    assert "\n".join(said).strip() == history[-3].content.strip()
    assert history[-3].content.startswith("turn 6")  # the caller's own message is as it was


def test_a_recap_can_stand_before_content_parts():
    picture = {"type": "image_url", "image_url": {"url": "https://e/i.png"}}
    history = [Message("be brief", role="system"), *talk(8), Message([picture])]
    compactor = HistoryCompactor(Model(reply("Talk.")), keep_recent=1, trigger_tokens=50)
    (_, last) = compactor.compact(history)
    assert last.content[0]["text"].startswith("[Recap] ")
    assert last.content[1] is picture


@pytest.mark.parametrize("keep", range(1, 12))
def test_a_tool_batch_is_never_split(keep):
    history = loop(6, Message("go " * 20))
    compacted = HistoryCompactor(Model(reply("Done.")), keep_recent=keep, trigger_tokens=1).compact(
        history
    )
    kept = [message for message in compacted if message.role in ("assistant", "tool")]
    assert kept[0].role == "assistant"
    assert keep <= len(kept) <= keep + 1


def test_the_callers_messages_are_never_changed():
    history = [Message("be brief", role="system"), *talk(9)]
    before = copy.deepcopy(history)
    HistoryCompactor(Model(reply("Talk.")), keep_recent=3, trigger_tokens=50).compact(history)
    assert history == before


# --- what counts as a summary

FAILURES = {
    "case 20, empty": (reply(""), "empty"),
    "case 20, blank": (reply("  \n"), "empty"),
    "case 20, none": (reply(None), "empty"),
    "case 22, cut": (reply(SUMMARY, "length"), "unfinished"),
    "case 22, filtered": (reply(SUMMARY, "content_filter"), "unfinished"),
    "case 22, no reason": (reply(SUMMARY, None), "unfinished"),
    "case 34, thoughts only": (reply(None, reasoning_content="let me think"), "empty"),
    "case 34, thoughts cut": (reply(None, "length", reasoning_content="let me"), "unfinished"),
    "an error": (RuntimeError("secret"), "RuntimeError"),
    "no reply": (None, "AttributeError"),
}


@pytest.mark.anyio
@pytest.mark.parametrize(("answer", "reason"), FAILURES.values(), ids=FAILURES.keys())
async def test_a_failed_summary_keeps_the_history(answer, reason):
    model = Model(answer)
    compactor = HistoryCompactor(model, keep_recent=2, trigger_tokens=10)
    report = await compactor.areport(HISTORY)
    assert report.messages is HISTORY
    assert (report.outcome, report.reason) == ("failed", reason)
    assert len(model.calls) == 1


@pytest.mark.parametrize("answer", ["", " \n ", None, 5])
def test_case_20_a_callback_that_says_nothing_keeps_the_history(answer):
    compactor = HistoryCompactor(None, keep_recent=2, trigger_tokens=10)
    assert compactor.compact(HISTORY, summarize=lambda *_: answer) is HISTORY


def test_a_callback_that_raises_keeps_the_history():
    def summarize(text, instruction):
        raise OSError

    compactor = HistoryCompactor(None, keep_recent=2, trigger_tokens=10)
    assert compactor.compact(HISTORY, summarize=summarize) is HISTORY


@pytest.mark.anyio
async def test_case_23_the_outcome_says_what_happened_and_old_answers_are_no_summary():
    model = Model(reply(None), reply(SUMMARY))
    compactor = HistoryCompactor(model, keep_recent=2, trigger_tokens=10)
    failed, applied, skipped = (
        await compactor.areport(HISTORY),
        await compactor.areport(HISTORY),
        await compactor.areport(HISTORY[:2]),
    )
    assert [r.outcome for r in (failed, applied, skipped)] == ["failed", "applied", "skipped"]
    assert failed.messages == HISTORY


@pytest.mark.anyio
async def test_case_29_a_summary_longer_than_what_it_replaces_is_not_applied():
    async def doubled(text, instruction):
        return text + text

    history = talk(8)
    compactor = HistoryCompactor(None, keep_recent=2, trigger_tokens=10, max_summary_tokens=9_000)
    report = await compactor.areport(history, asummarize=doubled)
    assert report.messages is history
    assert report.reason == "no_saving"


@pytest.mark.anyio
async def test_cancellation_passes_through():
    async def hang(text, instruction):
        await anyio.sleep_forever()

    compactor = HistoryCompactor(None, keep_recent=2, trigger_tokens=10)
    with anyio.move_on_after(0.01) as scope:
        await compactor.acompact(HISTORY, asummarize=hang)
    assert scope.cancelled_caught


def test_the_recap_is_capped_whatever_the_model_writes():
    history = talk(40)
    compactor = HistoryCompactor(
        Model(reply("endless " * 500)), trigger_tokens=100, max_summary_tokens=30
    )
    recap = compactor.compact(history)[0].content.removeprefix("[Recap] ")
    assert 20 < count_tokens(recap) <= 30


@pytest.mark.anyio
async def test_facts_the_summary_forgot_stand_behind_it_and_lost_ones_are_reported():
    history = [Message("my order is A-4711, " + "please " * 30), *talk(8)]
    compactor = HistoryCompactor(Model(reply("An order.")), keep_recent=2, trigger_tokens=50)
    report = await compactor.areport(history)
    assert "A-4711" in report.messages[0].content
    assert report.lost == ()
    small = HistoryCompactor(
        Model(reply("An order.")), keep_recent=2, trigger_tokens=50, max_summary_tokens=5
    )
    assert "A-4711" in (await small.areport(history)).lost


# --- how often is asked


def test_the_same_history_is_not_summarised_twice():
    model = Model(reply("Talk."))
    compactor = HistoryCompactor(model, trigger_tokens=100)
    history = talk(20)
    first = compactor.compact(history)
    assert compactor.compact(list(history)) == first
    assert len(model.calls) == 1


def test_a_grown_history_reuses_its_recap_until_it_is_over_the_trigger_again():
    model = Model(reply("Talk."))
    compactor = HistoryCompactor(model, trigger_tokens=1_000)
    calls = []
    for turns in range(2, 200, 2):
        compacted = compactor.compact(talk(turns))
        assert compacted[-4:] == talk(turns)[-4:]
        calls.append(len(model.calls))
    assert calls[-1] <= 16
    assert sum(len(asked[1].content) for asked in model.calls) < 1.3 * sum(
        len(message.content) for message in talk(200)
    )


def test_a_recap_in_the_history_is_merged_with_what_came_after():
    model = Model(reply("Talk."))
    compactor = HistoryCompactor(model, keep_recent=2, trigger_tokens=100)
    history = [Message("[Recap] They met at 12:30.", role="system"), *talk(8)]
    compacted = compactor.compact(history)
    text = model.calls[0][1].content
    assert text.startswith("[Recap] They met at 12:30.\n\nuser: turn 0")
    assert shape(compacted) == ["system", "user", "assistant"]
    assert "12:30" in compacted[0].content


def test_a_recap_with_nothing_new_to_add_is_left_alone():
    model = Model(reply("Talk."))
    history = [Message("[Recap] They met.", role="system"), *talk(4, words=900)]
    assert HistoryCompactor(model, trigger_tokens=100).compact(history) is history
    assert model.calls == []


def test_an_edited_old_message_is_seen():
    model = Model(reply("Talk."))
    compactor = HistoryCompactor(model, trigger_tokens=100)
    history = talk(20)
    compactor.compact(history)
    compactor.compact([Message("changed " * 40), *history[1:]])
    assert len(model.calls) == 2


def test_what_is_remembered_is_bounded():
    model = Model(reply("Talk."))
    compactor = HistoryCompactor(model, keep_recent=1, trigger_tokens=10)
    for i in range(REMEMBERED + 1):
        compactor.compact([Message(f"{i} " * 50), Message("x")])
    compactor.compact([Message("0 " * 50), Message("x")])
    assert len(model.calls) == REMEMBERED + 2


@pytest.mark.parametrize("window", [8_000, 3_000])
def test_case_26_the_summarisers_own_window_limits_what_it_is_sent(window):
    model = Model(reply("Much talk."), context_window=window)
    history = talk(1_000, words=96)
    total = sum(count_tokens(message.content) for message in history)
    compacted = HistoryCompactor(model).compact(history)
    sent = [
        sum(count_tokens(message.content) + FRAMING for message in asked) + REPLY_PRIMING
        for asked in model.calls
    ]
    assert shape(compacted) == ["system", *["user", "assistant"] * 2]
    assert max(sent) + min(1_000, window // 4) < window
    assert len(model.calls) <= math.ceil(total / (max(sent) - 300)) + 1


def test_a_summariser_too_small_for_anything_keeps_the_history():
    history = talk(20)
    compactor = HistoryCompactor(Model(reply("x"), context_window=200), trigger_tokens=100)
    assert compactor.compact(history) is history


# --- any history

PIECES = st.one_of(
    st.builds(lambda t: [Message(t)], st.text(max_size=60)),
    st.builds(lambda t: [Message(t, role="assistant")], st.text(max_size=60)),
    st.builds(lambda t: [Message(t, role="system")], st.text(max_size=20)),
    st.builds(lambda i, n: list(step(i, n)), st.integers(0, 9), st.integers(0, 30)),
    st.builds(lambda: [Message("lost", role="tool", tool_call_id="zz")]),
)


@given(
    pieces=st.lists(PIECES, max_size=12),
    keep=st.integers(1, 6),
    trigger=st.integers(0, 200),
    cap=st.integers(1, 60),
    summary=st.text(max_size=80),
)
def test_any_history_keeps_its_newest_messages_or_comes_back_whole(
    pieces, keep, trigger, cap, summary
):
    history = [message for piece in pieces for message in piece]
    before = copy.deepcopy(history)
    compactor = HistoryCompactor(
        None, keep_recent=keep, trigger_tokens=trigger, max_summary_tokens=cap
    )
    compacted = compactor.compact(history, summarize=lambda *_: summary)
    assert history == before
    if compacted is history:
        return
    newest = history[-keep:]
    tail = compacted[-len(newest) :]
    assert tail[1:] == newest[1:]
    assert str(tail[0].content).endswith(str(newest[0].content))
    if any(message.role == "user" for message in history):
        assert any(message.role == "user" for message in compacted)
    if compacted[0].content != history[0].content:
        recap = compacted[0].content.removeprefix("[Recap] ")
        assert compacted[0].role == "system"
        assert 0 < count_tokens(recap) <= cap
