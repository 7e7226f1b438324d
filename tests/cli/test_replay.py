from __future__ import annotations

import pytest

from agentmaker.calls.ledger import ROWS, Ledger, Row
from agentmaker.cli.files import Conversation
from agentmaker.cli.replay import replay, summarise
from agentmaker.errors import ContextWindowExceeded

pytestmark = pytest.mark.anyio

TOOLS = ({"type": "function", "function": {"name": "look"}},)


class Fitted:
    def __init__(self, used):
        rows = [Row(name=name, used=0) for name in ROWS if name not in ("history", "free")]
        history = Row(name="history", used=used, dropped=3)
        free = Row(name="free", used=100 - used)
        self.ledger = Ledger(window=100, rows=(*rows, history, free), estimate=used)


class Session:
    """Fits what is shorter than *most* messages, and remembers what it was given."""

    def __init__(self, most=100):
        self.most = most
        self.seen = []

    async def fit(self, messages, tools=()):
        self.seen.append((len(messages), tools))
        if len(messages) > self.most:
            raise ContextWindowExceeded("question", len(messages), self.most)
        return Fitted(len(messages))


def talk(answers, tools=(), where="talk.json"):
    turn = ({"role": "user", "content": "?"}, {"role": "assistant", "content": "!"})
    return Conversation(where=where, messages=turn * answers, tools=tools)


async def run(conversations, sessions, **options):
    made = iter(sessions)
    told = []
    options = {"model": "gpt-4o", "each": told.append, **options}
    attempts = await replay(conversations, lambda: next(made), **options)
    assert told == attempts
    return attempts


async def test_each_conversation_has_a_session_and_a_run_of_its_own():
    sessions = [Session(), Session()]
    attempts = await run([talk(2), talk(3)], sessions)
    assert [[length for length, _ in one.seen] for one in sessions] == [[1, 3], [1, 3, 5]]
    runs = [attempt.record.run_id for attempt in attempts]
    assert len(set(runs)) == 2
    assert runs[0] == runs[1] != runs[2] == runs[3] == runs[4]


async def test_tools_are_those_of_the_conversation_or_else_the_given_ones():
    sessions = [Session(), Session()]
    await run([talk(1, TOOLS), talk(1)], sessions, tools=({"type": "function"},))
    assert [one.seen[0][1] for one in sessions] == [TOOLS, ({"type": "function"},)]


async def test_a_call_that_fails_is_named_and_the_replay_goes_on():
    attempts = await run([talk(3)], [Session(most=2)])
    assert [attempt.record.outcome for attempt in attempts] == [
        "ok",
        "ContextWindowExceeded",
        "ContextWindowExceeded",
    ]
    assert attempts[1].where == "talk.json, call 2"


async def test_what_the_engine_never_meant_to_raise_is_counted_too():
    class Broken:
        async def fit(self, messages, tools=()):
            raise KeyError("oops")

    [attempt] = await run([talk(1)], [Broken()])
    assert attempt.record.outcome == "KeyError"


async def test_a_record_says_what_was_replayed():
    [attempt] = await run([talk(1)], [Session()])
    fields = attempt.record.fields()
    assert (fields["purpose"], fields["model"], fields["window"]) == ("replay", "gpt-4o", 100)
    assert fields["request_id"] != fields["run_id"]
    assert fields["own_ms"] == fields["total_ms"] >= 0


async def test_a_summary_counts_errors_by_name_with_the_first_of_each():
    attempts = await run([talk(3), talk(1, where="b.json")], [Session(most=2), Session()])
    summary = summarise(attempts, window=100, model="gpt-4o", counter="o200k_base")
    assert (summary.conversations, summary.calls) == (2, 4)
    assert summary.errors == {"ContextWindowExceeded": 2}
    assert summary.first["ContextWindowExceeded"].startswith(
        "talk.json, call 2: no room for question: 3"
    )
    assert summary.totals.dropped == 6
    assert summary.totals.estimate == 2
