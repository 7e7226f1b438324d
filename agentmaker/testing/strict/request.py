"""The rules of a whole request body."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from agentmaker.testing.strict import template
from agentmaker.testing.strict.message import message_violations
from agentmaker.testing.strict.pairing import pairing
from agentmaker.testing.strict.violation import Violation

_CAPS = ("max_tokens", "max_completion_tokens")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def violations(
    body: Mapping[str, Any], *, alternation: bool = False, system_first: bool = False
) -> list[Violation]:
    """Everything a strict server would refuse in the body of a chat request; [] when valid.

        >>> [str(found) for found in violations({"messages": []})]
        ['messages: must be a list with at least one message']

    *alternation* and *system_first* add what the stricter chat templates demand: user and
    assistant in turns, and no system message but the first.
    """
    found = [*_tools(body), *_format(body), *_caps(body), *_encoding(body)]
    messages, faults = _messages(body)
    found += faults
    found += pairing(messages)
    found += template.alternation(messages) if alternation else ()
    found += template.system_first(messages) if system_first else ()
    return found


def _messages(body: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], list[Violation]]:
    """The messages that can be read, and what is wrong with each by itself."""
    raw = body.get("messages")
    if not isinstance(raw, (list, tuple)) or not raw:
        what = "must be a list with at least one message"
        return [], [Violation("no_messages", "messages", what)]
    faults: list[Violation] = []
    for index, message in enumerate(raw):
        faults += _message(message, f"messages[{index}]")
    return [message if isinstance(message, Mapping) else {} for message in raw], faults


def _message(message: Any, where: str) -> Iterator[Violation]:
    if isinstance(message, Mapping):
        yield from message_violations(message, where)
    else:
        yield Violation("bad_message", where, "must be an object")


def _tools(body: Mapping[str, Any]) -> Iterator[Violation]:
    tools = body.get("tools")
    if tools is None:
        if body.get("tool_choice") is not None:
            what = "is only allowed when tools are given"
            yield Violation("choice_without_tools", "tool_choice", what)
    elif not isinstance(tools, (list, tuple)) or not tools:
        yield Violation("bad_tools", "tools", "must be a list with at least one tool")
    else:
        for index, tool in enumerate(tools):
            yield from _tool(tool, f"tools[{index}]")


def _tool(tool: Any, where: str) -> Iterator[Violation]:
    kind = tool.get("type") if isinstance(tool, Mapping) else None
    if not isinstance(kind, str) or not kind:
        yield Violation("bad_tool", where, "must be an object with a type")
    elif kind in ("function", "custom"):
        definition = tool.get(kind)
        name = definition.get("name") if isinstance(definition, Mapping) else None
        if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
            what = "must be 1 to 64 letters, digits, underscores or hyphens"
            yield Violation("bad_tool_name", f"{where}.{kind}.name", what)


def _format(body: Mapping[str, Any]) -> Iterator[Violation]:
    schema: Any = body
    for key in ("response_format", "json_schema", "schema"):
        schema = schema.get(key) if isinstance(schema, Mapping) else None
    if schema is None:
        return
    root = schema if isinstance(schema, Mapping) else {}
    if root.get("type") != "object" or "anyOf" in root:
        what = 'must be of type "object" at its root, without anyOf'
        yield Violation("bad_schema", "response_format.json_schema.schema", what)


def _caps(body: Mapping[str, Any]) -> Iterator[Violation]:
    for name in _CAPS:
        cap = body.get(name)
        if cap is not None and (not isinstance(cap, int) or isinstance(cap, bool) or cap < 1):
            yield Violation("bad_cap", name, "must be an integer of at least 1")


def _encoding(body: Mapping[str, Any]) -> Iterator[Violation]:
    if _encodes(body):
        return
    messages = body.get("messages")
    for index, message in enumerate(messages if isinstance(messages, (list, tuple)) else ()):
        if not _encodes(message):
            yield _not_utf8(f"messages[{index}]")
    for key, value in body.items():
        if key != "messages" and not _encodes({key: value}):
            yield _not_utf8(key)


def _not_utf8(where: str) -> Violation:
    return Violation("not_utf8", where, "holds text that cannot be encoded as UTF-8")


def _encodes(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True
