"""Read conversations, tools and text from files, and say what is wrong with them.

Knows the formats people keep conversations in; nothing of the commands that use them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentmaker.messages import read_messages

EXPECTED = (
    "expected an OpenAI-format conversation: a list of messages, a list of such lists, "
    "an object with 'messages' or 'traj', or JSONL of these"
)
EXPECTED_TOOL = 'expected an OpenAI tool, {"type": "function", "function": {...}}'

Messages = tuple[Mapping[str, Any], ...]
Tools = tuple[Mapping[str, Any], ...]


class FileError(ValueError):
    """Raised when a file is missing or broken; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value and where it stands: ``FILE``, ``FILE:LINE`` or a part of these."""

    data: Any
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One recorded conversation, as chat-format dictionaries."""

    where: str
    messages: Messages
    tools: Tools = ()

    @property
    def answers(self) -> list[int]:
        """Where the recorded assistant messages stand that have others before them."""
        roles = [message.get("role") for message in self.messages]
        return [index for index, role in enumerate(roles) if index and role == "assistant"]

    def calls(self) -> Iterator[Messages]:
        """For each recorded assistant message, the messages the model had seen before it."""
        return (self.messages[:index] for index in self.answers)


def read_text(path: Path) -> str:
    """The file's text.

    Raises:
        FileError: there is no such file, or it is no text in UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: not UTF-8 text ({error.reason} at byte {error.start}): save it as UTF-8"
        ) from None
    except OSError as error:
        raise unreadable(error) from None


def unreadable(error: OSError) -> FileError:
    """*error* with what to do, in the words of the others."""
    where = f"{error.filename}: " if error.filename else ""
    return FileError(f"{where}{error.strerror or error}: give the path of a file")


def read_conversations(path: Path) -> list[Conversation]:
    """Every conversation in a JSON or JSONL file.

    Raises:
        FileError: the file is missing, broken, or holds something else.
    """
    found = list(conversations(read_values(path, read_text(path))))
    if not found:
        raise FileError(f"{path}: holds no conversation: {EXPECTED}")
    return found


def read_tools(path: Path) -> Tools:
    """The tool schemas in a JSON or JSONL file: a list of them, or an object with ``tools``.

    Raises:
        FileError: the file is missing, broken, or holds something else.
    """
    tools: list[Mapping[str, Any]] = []
    for value in read_values(path, read_text(path)):
        data = value.data.get("tools", value.data) if isinstance(value.data, dict) else value.data
        tools += _tools(Value(data if isinstance(data, list) else [data], value.where))
    return tuple(tools)


def recognise(path: Path, text: str) -> list[Conversation]:
    """The conversations in *text*; an empty list when it is any other text."""
    try:
        return list(conversations(read_values(path, text)))
    except FileError:
        return []


def read_values(path: Path, text: str) -> list[Value]:
    """The JSON values in *text*: one document, or one a line.

    Raises:
        FileError: it is neither.
    """
    if path.suffix in (".jsonl", ".ndjson"):
        return _read_lines(path, text)
    try:
        return [Value(json.loads(text), str(path))]
    except ValueError as error:
        if "\n" in text.strip() and _is_json(text.strip().partition("\n")[0]):
            return _read_lines(path, text)
        raise _broken(f"{path}:{getattr(error, 'lineno', 1)}", error) from None
    except RecursionError:
        raise FileError(f"{path}: nested too deeply: {EXPECTED}") from None


def conversations(values: Sequence[Value]) -> Iterator[Conversation]:
    """The conversations in *values*; a message a line makes one conversation together.

    Raises:
        FileError: a value is no conversation.
    """
    if values and all(_is_message(value.data) for value in values):
        whole = [value.data for value in values]
        yield _conversation(Value(whole, values[0].where))
        return
    for value in values:
        yield from _in_value(value)


def _in_value(value: Value) -> Iterator[Conversation]:
    data = value.data
    if isinstance(data, dict) and ("messages" in data or "traj" in data):
        yield _conversation(
            Value(data.get("messages", data.get("traj")), value.where),
            _tools(Value(data.get("tools"), value.where)),
        )
    elif isinstance(data, list) and (not data or _is_message(data[0])):
        yield _conversation(value)
    elif isinstance(data, list) and all(isinstance(item, (list, dict)) for item in data):
        for number, item in enumerate(data, start=1):
            yield from _in_value(Value(item, f"{value.where}, conversation {number}"))
    else:
        raise FileError(f"{value.where}: {EXPECTED}, not {_kind(data)}")


def _conversation(value: Value, tools: Tools = ()) -> Conversation:
    if not isinstance(value.data, list):
        raise FileError(
            f"{value.where}: messages must be a list, not {_kind(value.data)}: {EXPECTED}"
        )
    try:
        messages = read_messages(value.data)
    except (TypeError, ValueError) as error:
        raise FileError(f"{value.where}: {error}") from None
    return Conversation(
        where=value.where, messages=tuple(message.to_wire() for message in messages), tools=tools
    )


def _tools(value: Value) -> Tools:
    if value.data is None:
        return ()
    if not isinstance(value.data, list):
        raise FileError(
            f"{value.where}: tools must be a list, not {_kind(value.data)}: {EXPECTED_TOOL}"
        )
    for number, tool in enumerate(value.data, start=1):
        if not (isinstance(tool, dict) and isinstance(tool.get("type"), str)):
            raise FileError(f"{value.where}, tool {number}: {EXPECTED_TOOL}")
    return tuple(value.data)


def _read_lines(path: Path, text: str) -> list[Value]:
    return [
        _read_line(line, f"{path}:{number}")
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def _read_line(line: str, where: str) -> Value:
    try:
        return Value(json.loads(line), where)
    except ValueError as error:
        raise _broken(where, error) from None
    except RecursionError:
        raise FileError(f"{where}: nested too deeply: {EXPECTED}") from None


def _broken(where: str, error: ValueError) -> FileError:
    if isinstance(error, json.JSONDecodeError):
        return FileError(f"{where}: not JSON: {error.msg}, column {error.colno}: {EXPECTED}")
    return FileError(f"{where}: not JSON: {error}: {EXPECTED}")


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _is_message(data: Any) -> bool:
    return isinstance(data, dict) and "role" in data


def _kind(data: Any) -> str:
    names = {dict: "another object", list: "a mixed list", str: "a string", type(None): "null"}
    return names.get(type(data), "true or false" if isinstance(data, bool) else "a number")
