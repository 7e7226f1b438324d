"""Whatever is given, what leaves keeps the rules of the server's dialect, and loses nothing."""

from __future__ import annotations

import copy
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker import ConfigError, ContextWindowExceeded, Dialect
from agentmaker.calls.forms.adaptations import Adaptations
from agentmaker.calls.forms.dialects import DEFAULT, DIALECTS, choices
from agentmaker.calls.wire import to_wire
from agentmaker.clients.fit import Fitter
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.sync import run
from tests.calls.dialogue import broken_rules, said_by, sent, window_said
from tests.calls.talk import calls, result, retired_call, retired_result

Wire = dict[str, Any]

named = st.sampled_from([dialect for dialect in DIALECTS.values() if dialect is not DEFAULT])
fields = {name: st.sampled_from(values) for name, values in choices().items() if name != "learns"}
dialects = st.one_of(named, st.builds(Dialect, **fields))

ids = st.sampled_from(["a", "b", "call_1", "", None])
texts = st.sampled_from(["", " ", "a", "word " * 40, "\ud83d", "<reference>"])
image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
contents = st.one_of(
    texts,
    st.none(),
    texts.map(lambda text: [{"type": "text", "text": text}]),
    texts.map(lambda text: [{"type": "text", "text": text}, image]),
)
extras = st.sampled_from([{}, {}, {"reasoning_content": "hm"}, {"reasoning": "hm"}])


def message(role: str) -> st.SearchStrategy[Wire]:
    return contents.map(lambda content: {"role": role, "content": content})


def thought(message: Wire, extra: Wire) -> Wire:
    return {**message, **extra}


some_calls = st.lists(ids, min_size=1, max_size=3).map(lambda found: calls(*found))
pieces = st.one_of(
    message("user"),
    st.builds(thought, message("assistant"), extras),
    message("system"),
    message("developer"),
    st.builds(thought, some_calls, extras),
    st.builds(result, ids, texts),
    st.builds(thought, st.builds(retired_call), extras),
    st.builds(retired_result, content=texts),
)
odd_talks = st.lists(pieces, min_size=1, max_size=12)

healthy = st.sampled_from(
    [
        [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}],
        [{"role": "user", "content": "u"}, calls("c"), result("c"),
         {"role": "assistant", "content": "a"}],
        [{"role": "user", "content": "u"}, {**calls("c", "d"), "reasoning_content": "r"},
         result("d"), result("c", ""), calls("e"), result("e"),
         {"role": "assistant", "content": "a", "reasoning_content": "s"}],
        [{"role": "user", "content": "u"}, retired_call(), retired_result(), retired_call(),
         retired_result(content="r"), {"role": "assistant", "content": "a"}],
    ]
)  # fmt: skip


def numbered(turns: list[list[Wire]]) -> list[Wire]:
    """The turns in a row, every call and text its own."""
    talk = [copy.deepcopy(each) for each in chain.from_iterable(turns)]
    turn = 0
    for nth, each in enumerate(talk):
        turn += each["role"] == "user"
        for call in each.get("tool_calls", ()):
            call["id"] += str(turn)
        if "tool_call_id" in each:
            each["tool_call_id"] += str(turn)
        elif each["content"]:
            each["content"] += f"<{nth}>"
    return talk


leading = st.lists(st.sampled_from(["system", "developer"]), max_size=2).map(
    lambda roles: [{"role": role, "content": f"RULE {n}"} for n, role in enumerate(roles)]
)
talks = st.lists(healthy, min_size=1, max_size=4).map(numbered)


@settings(max_examples=300)
@given(odd_talks, dialects)
def test_what_leaves_keeps_the_rules_of_the_dialect_and_touches_nothing(talk, dialect):
    before = copy.deepcopy(talk)
    leave = sent(dialect, *talk)
    assert not leave or broken_rules(leave, dialect) == []
    assert talk == before


@given(odd_talks, dialects)
def test_adapting_twice_is_adapting_once(talk, dialect):
    once = window_said(dialect, talk)
    adaptations = Adaptations()
    assert adaptations.of(once, dialect, DEFAULT_PROMPTS) == once
    assert adaptations.of(once, dialect, DEFAULT_PROMPTS) == once


@given(leading, talks, dialects)
def test_every_text_survives_somewhere(head, talk, dialect):
    leave = " ".join(map(said_by, sent(dialect, *head, *talk, {"role": "user", "content": "END"})))
    texts = [each["content"] for each in (*head, *talk) if each["content"]]
    assert all(text in leave for text in texts)
    assert "END" in leave


@given(leading, talks)
def test_a_healthy_conversation_leaves_unchanged_in_the_default_dialect(head, talk):
    assert sent(DEFAULT, *head, *talk) == [*head, *talk]
    window = window_said(DEFAULT, talk)
    assert Adaptations().of(window, DEFAULT, DEFAULT_PROMPTS) is window


@given(leading, talks, dialects)
def test_a_conversation_that_grows_keeps_its_beginning(head, talk, dialect):
    if dialect.reasoning == "last_turn":
        return
    before: list[Wire] = []
    for end in range(1, len(talk) + 1):
        if talk[end - 1]["role"] != "assistant" and (end == len(talk) or is_answer(talk[end])):
            now = sent(dialect, *head, *talk[:end])
            assert now[: len(before[:-1])] == before[:-1]
            before = now


def is_answer(message: Wire) -> bool:
    return message["role"] == "assistant"


@settings(max_examples=60)
@given(odd_talks, dialects, st.integers(200, 1_500))
def test_what_fits_a_window_keeps_the_rules_too(talk, dialect, window):
    async def fitted() -> None:
        fitter = Fitter(window=window, output_tokens=32, dialect=dialect)
        for end in range(1, len(talk) + 1):
            with suppress(ContextWindowExceeded, ConfigError):
                done = await fitter.fit(talk[:end])
                assert not done.messages or broken_rules(done.messages, dialect) == []
                assert sum(row.used for row in done.ledger) == window

    run(fitted)


@given(talks, dialects, st.sampled_from(["", "RECAP"]), st.sampled_from(["", "BLOCK"]))
def test_recap_and_block_keep_the_rules_too(talk, dialect, recap, block):
    asked = [*talk, {"role": "user", "content": "END"}]
    window = replace(window_said(dialect, asked), recap=recap, block=block)
    wire = to_wire(window, dialect, DEFAULT_PROMPTS)
    if dialect.block != "system" and (dialect.block != "message" or dialect.roles != "any"):
        assert broken_rules(wire.messages, dialect) == []
    assert all(each in " ".join(map(said_by, wire.messages)) for each in (recap, block, "END"))
