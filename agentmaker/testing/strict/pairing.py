"""Tool calls and their results: positional, one batch at a time.

* A tool message follows, with only tool messages between, the assistant message that made
  its call.
* Every call is answered right after it, exactly once; the order in a batch is free.
* No call id is used twice in a conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentmaker.testing.strict.violation import Violation

Messages = Sequence[Mapping[str, Any]]


def pairing(messages: Messages) -> Iterator[Violation]:
    """Every pairing rule that *messages* break."""
    start = 0
    while start < len(messages):
        end = _end_of_batch(messages, start)
        yield from _batch(messages, start, end)
        start = end
    yield from _reused_ids(messages)


def call_ids(message: Mapping[str, Any]) -> list[str]:
    """The usable ids of the calls this message makes."""
    calls = message.get("tool_calls")
    if message.get("role") != "assistant" or not isinstance(calls, (list, tuple)):
        return []
    ids = (call.get("id") for call in calls if isinstance(call, Mapping))
    return [id for id in ids if isinstance(id, str) and id]


def _end_of_batch(messages: Messages, start: int) -> int:
    end = start + 1
    while end < len(messages) and messages[end].get("role") == "tool":
        end += 1
    return end


def _batch(messages: Messages, start: int, end: int) -> Iterator[Violation]:
    """The rules for the message at *start* and the tool messages up to *end*."""
    declared = call_ids(messages[start])
    answered: set[str] = set()
    first = start if messages[start].get("role") == "tool" else start + 1
    for index in range(first, end):
        id = messages[index].get("tool_call_id")
        yield from _result(index, id, declared, answered)
        if isinstance(id, str):
            answered.add(id)
    for id in dict.fromkeys(declared):
        if id not in answered:
            where, what = f"messages[{start}].tool_calls", f"call {id!r} has no result after it"
            yield Violation("unanswered_call", where, what)


def _result(index: int, id: Any, declared: list[str], answered: set[str]) -> Iterator[Violation]:
    where = f"messages[{index}].tool_call_id"
    if not isinstance(id, str) or not id:
        yield Violation("empty_id", where, "must be a non-empty string")
    elif id not in declared:
        what = f"{id!r} answers no call of the assistant message before it"
        yield Violation("orphan_result", where, what)
    elif id in answered:
        yield Violation("duplicate_result", where, f"call {id!r} already has a result")


def _reused_ids(messages: Messages) -> Iterator[Violation]:
    seen: set[str] = set()
    for index, message in enumerate(messages):
        for id in call_ids(message):
            if id in seen:
                where, what = f"messages[{index}].tool_calls", f"call id {id!r} is used twice"
                yield Violation("duplicate_call_id", where, what)
            seen.add(id)
