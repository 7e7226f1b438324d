"""What the tests of dialects share: conversations said in a dialect, and the rules it must keep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from agentmaker.calls.forms.adaptations import REASONING, Adaptations
from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.forms.repair import repair
from agentmaker.calls.window import Window
from agentmaker.calls.wire import to_wire
from agentmaker.messages import SYSTEM_ROLES, Message, read_messages
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.testing import violations

Wire = dict[str, Any]


def window_said(dialect: Dialect, messages: Sequence[Wire]) -> Window:
    mended = repair(read_messages(messages)).messages
    return Adaptations().of(Window.from_messages(mended), dialect, DEFAULT_PROMPTS)


def sent(dialect: Dialect, *messages: Wire) -> list[Wire]:
    return to_wire(window_said(dialect, messages), dialect, DEFAULT_PROMPTS).messages


def broken_rules(messages: Sequence[Wire], dialect: Dialect) -> list[str]:
    """The rules of *dialect* that *messages* break; they are valid otherwise."""
    strict = {
        "alternation": dialect.roles == "alternate",
        "system_first": dialect.system in ("one", "user"),
    }
    faults = violations({"messages": list(messages)}, **strict)
    # An empty text beside calls is what this dialect is for.
    allowed = "empty_content" if dialect.empty_content == "empty" else None
    found = [str(each) for each in faults if each.code != allowed]
    return found + [name for name, keeps in _RULES.items() if not keeps(messages, dialect)]


def said_by(message: Wire) -> str:
    return Message.from_wire(message).text


def _system(messages: Sequence[Wire], dialect: Dialect) -> bool:
    leading = [each["role"] in SYSTEM_ROLES for each in messages]
    count = sum(leading)
    most = {"user": 0, "one": 1}.get(dialect.system, count)
    anywhere = dialect.system == "anywhere" and dialect.roles == "any"
    return count <= most and (anywhere or all(leading[:count]))


def _turns(messages: Sequence[Wire], dialect: Dialect) -> bool:
    """The user begins, never speaks right behind a result, and nothing is of the retired kind."""
    if dialect.roles == "alternate" and any(map(_is_retired, messages)):
        return False
    roles = [each["role"] for each in messages if each["role"] not in SYSTEM_ROLES]
    behind = any(pair == ("tool", "user") for pair in pairwise(roles))
    return dialect.roles == "any" or not roles or (roles[0] == "user" and not behind)


def _is_retired(message: Wire) -> bool:
    return message["role"] == "function" or "function_call" in message


def _ends(messages: Sequence[Wire], dialect: Dialect) -> bool:
    last = messages[-1]
    goes_on = last.get("prefix") or last.get("partial")
    return dialect.ends == "any" or last["role"] != "assistant" or bool(goes_on)


def _developer(messages: Sequence[Wire], dialect: Dialect) -> bool:
    return dialect.developer == "keep" or all(each["role"] != "developer" for each in messages)


def _reasoning(messages: Sequence[Wire], dialect: Dialect) -> bool:
    answers = [each for each in messages if each["role"] == "assistant"]
    thoughts = [any(each.get(key) for key in REASONING) for each in answers]
    if dialect.reasoning == "require":
        return all(thoughts)
    return dialect.reasoning != "strip" or not any(thoughts)


def _content(messages: Sequence[Wire], dialect: Dialect) -> bool:
    return dialect.content == "any" or not any(_is_text_alone(each["content"]) for each in messages)


def _is_text_alone(content: Any) -> bool:
    return isinstance(content, list) and all(part["type"] == "text" for part in content)


def _empty_content(messages: Sequence[Wire], dialect: Dialect) -> bool:
    empty = [each["content"] for each in messages if not each["content"] and "tool_calls" in each]
    return set(empty) <= {None if dialect.empty_content == "null" else ""}


def _blank_results(messages: Sequence[Wire], dialect: Dialect) -> bool:
    results = [each for each in messages if each["role"] == "tool"]
    return dialect.blank_results == "keep" or all(said_by(each).strip() for each in results)


def _calls(messages: Sequence[Wire], dialect: Dialect) -> bool:
    most = max((len(each.get("tool_calls", ())) for each in messages), default=0)
    return dialect.calls == "batch" or most < 2


def _tools(messages: Sequence[Wire], dialect: Dialect) -> bool:
    traffic = any(
        each["role"] == "tool" or each.get("tool_calls") or _is_retired(each) for each in messages
    )
    return dialect.tools == "native" or not traffic


def _ids(messages: Sequence[Wire], dialect: Dialect) -> bool:
    made = [call["id"] for each in messages for call in each.get("tool_calls", ())]
    answered = [each["tool_call_id"] for each in messages if "tool_call_id" in each]
    short = all(re.fullmatch(r"[A-Za-z0-9]{9}", id) for id in (*made, *answered))
    return dialect.ids == "keep" or short


_RULES = {
    "system": _system,
    "roles": _turns,
    "ends": _ends,
    "developer": _developer,
    "reasoning": _reasoning,
    "content": _content,
    "empty_content": _empty_content,
    "blank_results": _blank_results,
    "calls": _calls,
    "tools": _tools,
    "ids": _ids,
}
