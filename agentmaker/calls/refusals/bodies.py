"""What the body of an error says, whatever its shape: its messages, codes and numbers."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from agentmaker.calls.refusals import markup
from agentmaker.calls.refusals.plain import LONGEST, whole

DEEPEST = 8
"""Levels of a body that are looked at."""

MOST_ITEMS = 64
"""Items of one list or object that are looked at."""

MOST_TEXT = 4 * LONGEST
"""Characters of one text in which JSON is looked for."""

LONGEST_CODE = 64
"""Characters of a code that are kept."""

MOST_TRIES = 4
"""Places of one text where JSON may begin that are tried."""

_TELLS = re.compile(
    r"(?:messages?|msg|errors?|details?|description|title|raw|cause|exception|faultstring"
    r"|violations?|traceback|why)$"
)
_HOLDS = re.compile(
    r"(?:metadata|data|response|resp|result|output|body|upstream|inner|root|fault"
    r"|header)$"
)
_CODES = re.compile(r"(?:code|type|status|reason|kind|event)$")
_BLAMES = re.compile(r"(?:param|parameter|loc|field|target|path)$")
_REPEATS = re.compile(
    r"(?:request|messages|input|prompt|query|payload|params|model|hint|content|arguments|call"
    r"|choices)(?: sent)?$"
    r"|\b(?:\w?id|object|created|fingerprint|tier|delta|version)\b"
)
_WORD = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]*")
_CODE = re.compile(r"[A-Za-z]+(?:[_.-][A-Za-z]+|(?<=[a-z])[A-Z][a-z]+)+")

_FAILED = re.compile(
    r"\W{0,9}(?:\w{1,20} ){0,3}\w{0,20}(?:error|exception|failed)\b", re.IGNORECASE
)
_JSON = re.compile(r"\{\s{0,9}\"|\[\s{0,9}\{|^\"(?=[\[{])")
_FINE = ("", "0", "200", "ok", "success", "none", "completed")


@dataclass(slots=True)
class Said:
    """Everything an error body says.

    Attributes:
        texts: messages, each once.
        codes: codes, types and names of states, as text.
        numbers: whole numbers by the words of their key.
        fields: what is named as the faulty part of the request.
        is_page: it is a web page, and none of an API.
        lines: what a reader of the page sees; among the texts is its title only.
        is_error: something in it says that it is an error.
        reads_all: every key is taken for one that tells.
    """

    texts: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    fields: list[str] = field(default_factory=list)
    is_page: bool = False
    lines: list[str] = field(default_factory=list)
    is_error: bool = False
    reads_all: bool = False

    def reads(self, name: str) -> bool:
        """Whether what an unknown key holds is taken for words of the server's own."""
        return self.reads_all and not _REPEATS.search(name)


def said_in(body: Any, *, failed: bool = False) -> Said:
    """What *body* says. It may be anything that JSON, or no JSON, can be.

    Where it came with a failure and no key in it is one that messages have, everything in it
    is read that repeats nothing of the request.
    """
    said = Said()
    _read(said, body, DEEPEST)
    if failed and not said.texts:
        said.reads_all = True
        _read(said, body, DEEPEST)
    return said


def _read(said: Said, value: Any, depth: int) -> None:
    if _is_text(value):
        _read_text(said, _text(value), depth)
    elif isinstance(value, Mapping) and depth:
        _read_object(said, value, depth)
    elif isinstance(value, (list, tuple)) and depth:
        for each in value[:MOST_ITEMS]:
            _read(said, each, depth - 1)


def _read_object(said: Said, value: Mapping[Any, Any], depth: int) -> None:
    facts: Mapping[str, Any] = {_name(key): each for key, each in _items(value)}
    if isinstance(value.get("choices"), list) and not said.reads_all:
        facts = _beside_an_answer(facts)
    said.is_error = said.is_error or _is_error(facts)
    for name, each in facts.items():
        _read_fact(said, name, each, depth)


def _beside_an_answer(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """What counts beside the choices of the model: an error, and nothing that is only said."""
    if "error" in (facts.get("type"), facts.get("object")):
        return {name: each for name, each in facts.items() if name != "choices"}
    return {"error": facts["error"]} if facts.get("error") else {}


def _read_fact(said: Said, name: str, value: Any, depth: int) -> None:
    if isinstance(value, (Mapping, list, tuple)):
        if _BLAMES.search(name):
            said.fields.extend(map(str, list(value)[:MOST_ITEMS]))
        elif _TELLS.search(name) or _HOLDS.search(name) or said.reads(name):
            _read(said, value, depth - 1)
    elif value is None or isinstance(value, bool):
        return
    elif _BLAMES.search(name):
        said.fields.append(str(value))
    elif _is_text(value) and (_TELLS.search(name) or (_HOLDS.search(name) and _is_json(value))):
        _read_message(said, _text(value), depth)
    elif _CODES.search(name):
        _read_code(said, _text(value) if isinstance(value, bytes) else str(value), depth)
    elif _is_text(value) and said.reads(name):
        _read_message(said, _text(value), depth)
    elif (number := whole(value)) is not None:
        said.numbers.setdefault(name, number)


def _read_message(said: Said, text: str, depth: int) -> None:
    """A message; some are no more than a code."""
    if _CODE.fullmatch(text[:LONGEST_CODE]):
        said.codes.append(text[:LONGEST_CODE])
    _read_text(said, text, depth)


def _read_code(said: Said, text: str, depth: int) -> None:
    """A code; some are whole messages."""
    said.codes.append(text[:LONGEST_CODE])
    if " " in text:
        _read_text(said, text, depth)


def _read_text(said: Said, text: str, depth: int) -> None:
    """A message; tags and JSON within it are read as what they are."""
    if depth and markup.is_tagged(text):
        _read_markup(said, text, depth)
        return
    begin, value, end = _json_in(text) if depth else (len(text), None, len(text))
    _read(said, value, depth - 1)
    text = f"{text[:begin]} {text[end:]}".strip()
    said.is_error = said.is_error or bool(_FAILED.match(text))
    if text and text not in said.texts:
        said.texts.append(text)


def _read_markup(said: Said, text: str, depth: int) -> None:
    lines = markup.lines(text)
    if markup.is_page(text):
        said.is_page, said.lines, lines = True, lines, markup.title(text)
    for line in lines[:MOST_ITEMS]:
        _read_message(said, line, depth - 1)


def _is_error(facts: Mapping[str, Any]) -> bool:
    if facts.get("error") or facts.get("errors") or isinstance(facts.get("detail"), (str, list)):
        return True
    states = map(facts.get, ("type", "object", "status", "event"))
    if any(isinstance(state, str) and re.search("error|failed", state, re.I) for state in states):
        return True
    coded = any(name.endswith("code") and str(facts[name]).lower() not in _FINE for name in facts)
    return facts.get("success") is False or (coded and any(map(_TELLS.search, facts)))


def _json_in(text: str) -> tuple[int, Any, int]:
    """The first JSON object in *text*, a list or a string of some, with its begin and end."""
    for found in islice(_JSON.finditer(text), MOST_TRIES):
        try:
            value, end = json.JSONDecoder().raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        return found.start(), value, end
    return len(text), None, len(text)


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, bytes, bytearray))


def _is_json(value: str | bytes | bytearray) -> bool:
    return _text(value[:64]).lstrip()[:1] in ("{", "[")


def _text(value: Any) -> str:
    text = value[:MOST_TEXT]
    return text if isinstance(text, str) else bytes(text).decode(errors="replace")


def _items(value: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Its first items by the order of the alphabet: servers order theirs as they like."""
    return heapq.nsmallest(MOST_ITEMS, value.items(), key=lambda item: str(item[0]))


def _name(key: Any) -> str:
    return " ".join(_WORD.findall(str(key)[:64])).lower()
