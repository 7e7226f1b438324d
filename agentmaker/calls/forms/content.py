"""One message, mended so that a strict server takes it.

No content is blank, arguments are the text of a JSON object, and every string encodes as UTF-8.
What is healthy comes back as the same object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import is_
from typing import Any, NoReturn

from agentmaker.messages import Message
from agentmaker.plain import dumps

_SPOKEN = ("refusal", "audio", "function_call")
_MAY_BE_BLANK = ("tool", "function")
_TEXTS = ("text", "refusal")

LONGEST_REMEMBERED = 4_096
"""Characters of arguments that are remembered: they are looked at when read and when laid out."""


def mended(message: Message, *, empty: str) -> Message | None:
    """*message* as a server takes it; None when it says nothing.

    A user who sends nothing still asks: theirs leaves with the text *empty*.
    """
    if is_plain(message):
        return message
    content = _mended_content(message)
    if not content and _is_silent(message):
        if message.role != "user":
            return None
        content = empty
    calls = message.tool_calls
    fields = {
        "content": content,
        "name": _mended_name(message.name),
        "tool_calls": calls if message.role == "assistant" or not calls else (),
        "tool_call_id": _mended_id(message.tool_call_id),
        "extra": message.extra and encodable_in(message.extra),
    }
    changed = {name: new for name, new in fields.items() if new is not getattr(message, name)}
    return replace(message, **changed) if changed else message


def is_plain(message: Message) -> bool:
    """Whether *message* is one of the many with a text or calls alone, and nothing to mend in it.

    Calls themselves are not looked into.
    """
    content, role, id = message.content, message.role, message.tool_call_id
    if message.name is not None or message.extra or (message.tool_calls and role != "assistant"):
        return False
    if id is not None and not (type(id) is str and id.isascii()):
        return False
    if content is None:
        return bool(message.tool_calls)
    return (
        type(content) is str
        and (role in _MAY_BE_BLANK or (content != "" and not content.isspace()))
        and (content.isascii() or encodable(content) is content)
    )


def json_object(arguments: Any) -> str:
    """Arguments as the text of a JSON object, kept to the letter where they are one."""
    if arguments is None:
        return "{}"
    text = arguments if isinstance(arguments, str) else _json(arguments)
    said = _remembered(text) if len(text) <= LONGEST_REMEMBERED else _object_in(text)
    # The very same text where nothing is mended: by that it is known to be healthy.
    return text if said == text else said


@lru_cache(maxsize=256)
def _remembered(text: str) -> str:
    return _object_in(text)


def _object_in(text: str) -> str:
    if not text.strip():
        return "{}"
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return encodable(dumps({"arguments": text}))
    return encodable(text if isinstance(value, dict) else dumps({"value": value}))


def encodable(text: str) -> str:
    """*text* itself if UTF-8 can carry it, else with surrogate pairs joined and strays replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def encodable_in(value: Any) -> Any:
    """*value* with every string in it encodable; itself when all of them are."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, Mapping):
        clean = {key: encodable_in(item) for key, item in value.items()}
        return value if all(map(is_, clean.values(), value.values())) else clean
    if isinstance(value, (list, tuple)):
        return _same_or_new(value, [encodable_in(item) for item in value])
    return value


def _mended_name(name: Any) -> str | None:
    """A speaker's name; None for one that is empty."""
    return encodable(name if isinstance(name, str) else str(name)) if name else None


def _mended_id(id: Any) -> str | None:
    return id if id is None or id == "" else encodable(id if isinstance(id, str) else str(id))


def _is_silent(message: Message) -> bool:
    """Whether *message* says nothing, its content being blank."""
    if message.role in _MAY_BE_BLANK or (message.tool_calls and message.role == "assistant"):
        return False
    return not any(message.extra.get(key) for key in _SPOKEN)


def _mended_content(message: Message) -> Any:
    """Text that is not blank, parts that say something, or None; a result may be blank text."""
    content, blank = message.content, "" if message.role in _MAY_BE_BLANK else None
    if content is None:
        return blank
    if not isinstance(content, str):
        if isinstance(content, Mapping) and "type" in content:
            content = [content]
        if isinstance(content, (list, tuple)):
            return _mended_parts(content) or blank
        content = _json(content)
    text = encodable(content)
    return text if blank == "" or text.strip() else None


def _mended_parts(parts: Sequence[Any]) -> Sequence[Any]:
    return _same_or_new(parts, [part for part in map(_mended_part, parts) if part is not None])


def _mended_part(part: Any) -> Any:
    """A content part a server accepts; None for one that says nothing."""
    dump = getattr(part, "model_dump", None)
    if callable(dump):
        part = dump(exclude_unset=True, mode="json", warnings=False)
    if not isinstance(part, Mapping):
        return _said({}, "text", part)
    kind = part.get("type")
    if not isinstance(kind, str) or not kind:
        return _said(part, "text", part["text"]) if "text" in part else _said({}, "text", part)
    return _said(part, kind, part.get(kind)) if kind in _TEXTS else encodable_in(part)


def _said(part: Mapping[str, Any], kind: str, value: Any) -> Mapping[str, Any] | None:
    text = value if isinstance(value, str) else "" if value is None else _json(value)
    if not text.strip():
        return None
    same = text is part.get(kind) and part.get("type") == kind
    return encodable_in(part if same else {**part, "type": kind, kind: text})  # type: ignore[no-any-return]


def _same_or_new(old: Sequence[Any], new: list[Any]) -> Sequence[Any]:
    return old if len(old) == len(new) and all(map(is_, old, new)) else new


def _json(value: Any) -> str:
    try:
        return dumps(value)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
