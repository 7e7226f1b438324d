"""Whatever is given, what leaves fits, is valid, keeps its floors and adds up."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentmaker import AgentmakerConfig, ConfigError, ContextWindowExceeded, fit
from agentmaker.calls.ledger import ROWS
from agentmaker.clients.fit import Fitted, Fitter
from agentmaker.sync import run
from agentmaker.testing import violations

words = st.integers(0, 400).map(lambda count: "word id_7 " * count)
ids = st.sampled_from(["a", "b", "c", "", None])
arguments = st.sampled_from(["{}", '{"x": 1}', '{"t": "' + "x" * 4_000 + '"}', "", None, 7, "{bad"])
contents = st.one_of(
    words,
    st.sampled_from(["", " ", None, [], ["part"], "\ud83d", "\U0001f600" * 300]),
    words.map(lambda text: [{"type": "text", "text": text}]),
)


def message(role: str) -> st.SearchStrategy[dict[str, Any]]:
    return contents.map(lambda content: {"role": role, "content": content})


def call(given_ids: list[Any], given_arguments: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "f", "arguments": given_arguments}}
            for id in given_ids
        ],
    }


def result(id: Any, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


def exchange(given_ids: list[Any], given_arguments: Any, content: Any) -> list[dict[str, Any]]:
    return [call(given_ids, given_arguments), *(result(id, content) for id in given_ids)]


some_ids = st.lists(ids, min_size=1, max_size=3)
pieces = st.one_of(
    message("user").map(lambda one: [one]),
    message("assistant").map(lambda one: [one]),
    message("system").map(lambda one: [one]),
    st.builds(exchange, some_ids, arguments, contents),
    st.builds(lambda *given: [call(*given)], some_ids, arguments),
    st.builds(lambda *given: [result(*given)], ids, contents),
)
conversations = st.lists(pieces, min_size=1, max_size=14).map(
    lambda found: list(chain.from_iterable(found))
)
windows = st.integers(200, 6_000)
marks = st.sampled_from([0.3, 0.6, 1.0])


def check(fitted: Fitted, window: int) -> None:
    body = {"model": "m", "messages": fitted.messages}
    assert violations(body) == []
    assert {row.name for row in fitted.ledger} == set(ROWS)
    assert sum(row.used for row in fitted.ledger) == window
    beside = sum(fitted.ledger[name].used for name in ("output", "margin", "free"))
    assert fitted.ledger.estimate == window - beside
    roles = [each["role"] for each in fitted.messages]
    spoken = next((i for i, role in enumerate(roles) if role != "system"), len(roles))
    assert "system" not in roles[spoken:]


@given(conversations, windows)
def test_a_one_shot_fit_is_valid_fits_and_touches_nothing(
    messages: list[dict[str, Any]], window: int
) -> None:
    before = copy.deepcopy(messages)
    with suppress(ContextWindowExceeded, ConfigError):
        check(fit(messages, window=window), window)
    assert messages == before


@given(conversations, windows)
def test_only_what_must_be_sent_is_ever_refused(
    messages: list[dict[str, Any]], window: int
) -> None:
    asks = any(each["role"] == "user" for each in messages)
    refused = ContextWindowExceeded if asks else (ContextWindowExceeded, ConfigError)
    with suppress(refused):
        fit(messages, window=window)
    small = [{"role": "user", "content": "q"}]
    talk = [{**each, "content": "x"} for each in messages if each["role"] == "user"] + small
    assert fit(talk, window=window).ledger.window == window


@given(conversations, windows, marks)
def test_every_call_of_a_growing_conversation_is_valid_and_fits(
    messages: list[dict[str, Any]], window: int, mark: float
) -> None:
    before = copy.deepcopy(messages)

    async def replay() -> None:
        fitter = Fitter(window=window, config=config(mark))
        for end in range(1, len(messages) + 1):
            try:
                fitted = await fitter.fit(messages[:end])
            except (ContextWindowExceeded, ConfigError):
                continue
            check(fitted, window)

    run(replay)
    assert messages == before


turns = st.one_of(
    words.map(lambda text: [{"role": "user", "content": f"q {text}"}]),
    words.map(lambda text: [{"role": "assistant", "content": f"a {text}"}]),
    st.lists(words, min_size=1, max_size=3).map(
        lambda texts: exchange([""] * len(texts), "{}", "".join(texts))
    ),
)


def numbered(turns: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """The turns, each call and its result with an id of their own."""
    for turn, messages in enumerate(turns):
        for nth, each in enumerate(messages):
            for place, asked in enumerate(each.get("tool_calls") or ()):
                asked["id"] = f"call_{turn}_{place}"
            if each["role"] == "tool":
                each["tool_call_id"] = f"call_{turn}_{nth - 1}"
    return turns


@given(st.lists(turns, min_size=1, max_size=24).map(numbered), windows, st.floats(0.2, 0.9))
def test_a_fresh_process_makes_the_same_bytes(
    turns: list[list[dict[str, Any]]], window: int, mark: float
) -> None:
    fresh_one = partial(Fitter, window=window, config=config(mark))

    async def one_by_one() -> list[Any]:
        fitter = fresh_one()
        return [await tried(fitter, talk) for talk in requests(turns)]

    async def each_in_a_process_of_its_own() -> list[Any]:
        return [await tried(fresh_one(), talk) for talk in requests(turns)]

    assert run(one_by_one) == run(each_in_a_process_of_its_own)


def requests(turns: list[list[dict[str, Any]]]) -> Iterator[list[dict[str, Any]]]:
    """The conversation at every place where the model is asked: where it speaks next."""
    for end in range(1, len(turns) + 1):
        if end == len(turns) or turns[end][0]["role"] == "assistant":
            yield list(chain.from_iterable(turns[:end]))


async def tried(fitter: Fitter, messages: list[dict[str, Any]]) -> Any:
    try:
        return (await fitter.fit(messages)).messages
    except ContextWindowExceeded as error:
        return error.part


rounds = st.lists(
    st.tuples(st.lists(st.integers(1, 400), max_size=3), st.integers(1, 200), st.integers(1, 90)),
    min_size=1,
    max_size=10,
)


@given(rounds, st.integers(600, 4_000))
def test_the_task_stays_and_no_two_messages_of_one_role_meet(
    rounds: list[tuple[list[int], int, int]], window: int
) -> None:
    talk = [{"role": "user", "content": "TASK: keep it."}]

    async def replay() -> None:
        fitter = Fitter(window=window, output_tokens=64)
        for works, answer, question in rounds:
            for size in works:
                talk.extend(exchange([f"c{len(talk)}"], "{}", "r " * size))
                check_roles((await fitter.fit(talk)).messages)
            talk.append({"role": "assistant", "content": "a " * answer})
            talk.append({"role": "user", "content": "u " * question})
            check_roles((await fitter.fit(talk)).messages)

    run(replay)


def check_roles(messages: list[dict[str, Any]]) -> None:
    roles = [each["role"] for each in messages]
    assert roles[0] == "user"
    assert all(one != two or one == "assistant" for one, two in pairwise(roles))
    assert "TASK: keep it." in str(messages)


def config(mark: float) -> AgentmakerConfig:
    plain = AgentmakerConfig()
    budget = replace(plain.window_budget, low_water=mark, min_output_tokens=64)
    return replace(plain, window_budget=budget)


@given(st.lists(words, min_size=2, max_size=10), windows)
def test_the_system_prompt_and_the_question_leave_word_for_word(
    texts: list[str], window: int
) -> None:
    system, *rest = [f"{index} {text}" for index, text in enumerate(texts)]
    roles = ["user", "assistant"] * len(rest)
    messages = [{"role": "system", "content": system}]
    messages += [{"role": role, "content": text} for role, text in zip(roles, rest, strict=False)]
    if messages[-1]["role"] == "assistant":
        messages.append({"role": "user", "content": "and now?"})
    try:
        fitted = fit(messages, window=window)
    except ContextWindowExceeded:
        return
    assert fitted.messages[0]["content"] == system
    assert fitted.messages[-1]["content"].endswith(messages[-1]["content"])
