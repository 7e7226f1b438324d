"""How a `ModelServer` counts: the whole request, and how much of it the one before began with."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from agentmaker.context.measure import REPLY_PRIMING, message_tokens, tools_tokens
from agentmaker.messages import Message, text_of
from agentmaker.plain import dumps
from agentmaker.testing.completions import Completion
from agentmaker.tokens import TokenCounter

Body = Mapping[str, Any]

_SAID = ("content", "reasoning_content", "reasoning", "refusal")


def prompt_tokens(body: Body, counter: TokenCounter) -> int:
    """Tokens of the messages, the tools and the response format of *body*."""
    schema = body.get("response_format")
    return (
        sum(_message_tokens(raw, counter) for raw in listed(body, "messages"))
        + tools_tokens(listed(body, "tools"), counter)
        + (counter(dumps(schema)) if schema else 0)
        + REPLY_PRIMING
    )


def output_tokens(body: Body) -> int:
    """The output that the request asks for, 0 when it sets no cap."""
    cap = body.get("max_completion_tokens") or body.get("max_tokens")
    return cap if isinstance(cap, int) else 0


def completion_tokens(completion: Completion, counter: TokenCounter) -> int:
    """Tokens of everything the choices say."""
    return sum(_said(choice.get("message") or {}, counter) for choice in completion["choices"])


class PrefixCache:
    """The share of a request that the previous one of its key began with, as prompt caches see it.

    The key is the request's ``prompt_cache_key``, else its model. The newest *maximum* keys
    are remembered.
    """

    def __init__(self, maximum: int = 64) -> None:
        self.maximum = maximum
        self._previous: OrderedDict[str, list[str]] = OrderedDict()

    def share(self, body: Body) -> float:
        """From 0 to 1, by characters; *body* is the previous request from now on."""
        key = str(body.get("prompt_cache_key") or body.get("model"))
        pieces = [dumps(body.get("tools")), *map(dumps, listed(body, "messages"))]
        kept = _common(self._previous.pop(key, []), pieces)
        self._previous[key] = pieces
        while len(self._previous) > self.maximum:
            self._previous.popitem(last=False)
        return kept / sum(map(len, pieces))


def listed(body: Body, key: str) -> list[Any]:
    """The list under *key*; an empty one for anything else."""
    value = body.get(key)
    return value if isinstance(value, list) else []


def _message_tokens(raw: Any, counter: TokenCounter) -> int:
    try:
        return message_tokens(Message.from_wire(raw), counter)
    except (AttributeError, TypeError, ValueError):
        # Only a server that is not strict comes here: it counts what it cannot read as text.
        return counter(dumps(raw))


def _said(message: Mapping[str, Any], counter: TokenCounter) -> int:
    texts = [text_of(message.get(key)) for key in _SAID]
    calls = message.get("tool_calls")
    return sum(counter(text) for text in (*texts, dumps(calls) if calls else None) if text)


def _common(previous: list[str], pieces: list[str]) -> int:
    same = 0
    for old, new in zip(previous, pieces, strict=False):
        if old != new:
            return same + _common_characters(old, new)
        same += len(new)
    return same


def _common_characters(old: str, new: str) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(old), len(new)))
