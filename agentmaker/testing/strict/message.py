"""The rules one message keeps by itself: role, content, calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agentmaker.messages import ROLES
from agentmaker.testing.strict.violation import Violation

_RESULT_ROLES = ("tool", "function")
_INSTEAD_OF_CONTENT = ("tool_calls", "refusal", "audio", "function_call")


def message_violations(message: Mapping[str, Any], where: str) -> Iterator[Violation]:
    """Every rule that *message* breaks by itself; *where* is its place in the body."""
    role = message.get("role")
    if role not in ROLES:
        what = f"{role!r} is not one of {', '.join(ROLES)}"
        yield Violation("unknown_role", f"{where}.role", what)
        return
    if message.get("name") is not None and not _is_filled(message["name"]):
        yield Violation("empty_name", f"{where}.name", "must be a non-empty string")
    yield from _content(message, f"{where}.content")
    if role == "assistant" and message.get("tool_calls") is not None:
        yield from _calls(message["tool_calls"], f"{where}.tool_calls")


def _content(message: Mapping[str, Any], where: str) -> Iterator[Violation]:
    content, role = message.get("content"), message["role"]
    if content is None:
        if not _may_lack_content(message):
            yield Violation("empty_message", where, f"a message of role {role!r} needs content")
    elif isinstance(content, str):
        # A tool that printed nothing is ordinary, and every server takes it.
        if not content.strip() and role not in _RESULT_ROLES:
            yield Violation("empty_content", where, "must not be blank")
    elif isinstance(content, (list, tuple)):
        yield from _parts(content, where)
    else:
        yield Violation("bad_content", where, "must be a string or a list of parts")


def _may_lack_content(message: Mapping[str, Any]) -> bool:
    if message["role"] == "assistant":
        return any(message.get(key) for key in _INSTEAD_OF_CONTENT)
    return bool(message["role"] == "function")


def _parts(parts: list[Any] | tuple[Any, ...], where: str) -> Iterator[Violation]:
    if not parts:
        yield Violation("empty_content", where, "a list of parts must not be empty")
    for index, part in enumerate(parts):
        yield from _part(part, f"{where}[{index}]")


def _part(part: Any, where: str) -> Iterator[Violation]:
    if not isinstance(part, Mapping) or not _is_filled(part.get("type")):
        yield Violation("bad_part", where, "must be an object with a type")
    elif part["type"] in ("text", "refusal") and _is_blank(part.get(part["type"])):
        yield Violation("empty_part", f"{where}.{part['type']}", "must not be blank")


def _calls(calls: Any, where: str) -> Iterator[Violation]:
    if not isinstance(calls, (list, tuple)) or not calls:
        yield Violation("bad_calls", where, "must be a list with at least one call")
        return
    for index, call in enumerate(calls):
        yield from _call(call, f"{where}[{index}]")


def _call(call: Any, where: str) -> Iterator[Violation]:
    if not isinstance(call, Mapping) or call.get("type") not in ("function", "custom"):
        yield Violation("bad_call", where, "must be an object of type 'function' or 'custom'")
        return
    if not _is_filled(call.get("id")):
        yield Violation("empty_id", f"{where}.id", "must be a non-empty string")
    kind = call["type"]
    body = call.get(kind)
    if not isinstance(body, Mapping):
        yield Violation("bad_call", f"{where}.{kind}", "must be an object")
        return
    if not _is_filled(body.get("name")):
        yield Violation("empty_name", f"{where}.{kind}.name", "must be a non-empty string")
    yield from _input(kind, body, f"{where}.{kind}")


def _input(kind: str, body: Mapping[str, Any], where: str) -> Iterator[Violation]:
    if kind == "custom" and not isinstance(body.get("input"), str):
        yield Violation("bad_arguments", f"{where}.input", "must be a string")
    if kind == "function" and not _is_json_object(body.get("arguments")):
        what = "must be a string that holds a JSON object"
        yield Violation("bad_arguments", f"{where}.arguments", what)


def _is_json_object(text: Any) -> bool:
    if not isinstance(text, str):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _is_filled(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_blank(text: Any) -> bool:
    return not isinstance(text, str) or not text.strip()
