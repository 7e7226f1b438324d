"""A second opinion on every request: counted and validated without a line of the package."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

Json = dict[str, Any]

PER_MESSAGE = 4
PER_CALL = 8
REPLY = 3


def prompt_tokens(messages: Sequence[Json], tools: Sequence[Json] = ()) -> int:
    """Tokens of a request to gpt-4o: 4 to frame a message, 8 a call, 3 to open the reply."""
    return REPLY + sum(map(_message_tokens, messages)) + _tools_tokens(tools)


def prompt_tokens_with_ids(messages: Sequence[Json], tools: Sequence[Json] = ()) -> int:
    """The same by another rule: 3 to frame a message, its role, and the ids of calls."""
    return REPLY + sum(map(_message_tokens_with_ids, messages)) + _tools_tokens(tools)


@lru_cache(maxsize=200_000)
def tokens(text: str) -> int:
    """Tokens of *text* in o200k, a literal ``<|endoftext|>`` as plain text."""
    return len(_encoding().encode_ordinary(text))


def _message_tokens(message: Json) -> int:
    calls = sum(PER_CALL + _call_tokens(call) for call in message.get("tool_calls") or ())
    return PER_MESSAGE + _text_tokens(message) + calls


def _message_tokens_with_ids(message: Json) -> int:
    calls = message.get("tool_calls") or ()
    ids = [call["id"] for call in calls] + [message.get("tool_call_id") or ""]
    called = sum(_call_tokens(call) for call in calls)
    return 3 + tokens(message["role"]) + _text_tokens(message) + called + sum(map(tokens, ids))


def _text_tokens(message: Json) -> int:
    return tokens(message.get("content") or "") + tokens(message.get("name") or "")


def _call_tokens(call: Json) -> int:
    return tokens(call["function"]["name"]) + tokens(call["function"]["arguments"])


def _tools_tokens(tools: Sequence[Json]) -> int:
    return tokens(json.dumps(list(tools))) if tools else 0


@lru_cache(maxsize=1)
def _encoding() -> Any:
    with warnings.catch_warnings():
        # It reads its vocabulary by a way that newer Pythons deprecate.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


@dataclass(slots=True)
class Validator:
    """Refuses what a strict server refuses: pairs and ids, the API's schema, argument JSON.

    The schema looks at every message by itself, so a message it has seen is not shown again.
    """

    schema: Callable[[Json], Iterator[Any]]
    _known: set[str] = field(default_factory=set)

    @classmethod
    def from_file(cls, path: Path) -> Validator:
        """*path* is the JSON Schema of the API's chat request."""
        import jsonschema

        if not path.exists():
            raise SystemExit(f"{path} is missing: requests are checked against it")
        schema = json.loads(path.read_text(encoding="utf-8"))
        return cls(jsonschema.Draft202012Validator(schema).iter_errors)

    def faults(self, messages: Sequence[Json], tools: Sequence[Json] = ()) -> list[str]:
        """What is wrong with the request, in words."""
        import turnsafe

        pairs = turnsafe.validate(list(messages), provider="openai").errors
        arguments = [each for message in messages for each in _bad_arguments(message)]
        return [*map(str, pairs), *self._schema_faults(messages, tools), *arguments]

    def _schema_faults(self, messages: Sequence[Json], tools: Sequence[Json]) -> list[str]:
        if not messages:
            return ["no messages"]
        fresh = {text: each for each in messages if (text := json.dumps(each)) not in self._known}
        parts = json.dumps(tools)
        if not fresh and parts in self._known:
            return []
        request: Json = {"model": "gpt-4o", "messages": list(fresh.values()) or messages[:1]}
        if tools:
            request["tools"] = list(tools)
        found = [error.message for error in self.schema(request)]
        if not found:
            self._known.update(fresh, [parts])
        return found


def _bad_arguments(message: Json) -> Iterator[str]:
    for call in message.get("tool_calls") or ():
        try:
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                yield f"the arguments of {call['id']} are no JSON object"
        except ValueError:
            yield f"the arguments of {call['id']} are no JSON"
