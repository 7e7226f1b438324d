"""The way to openai through a ``create`` that is not the SDK's own: a tracer's, or a test's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from agentmaker.calls.call import Call
from agentmaker.calls.sdk.posted import HOW, body_of


def by_create(find: Callable[[], Any], call: Call, stream_cls: object) -> Any:
    """Call what *find* gives with the arguments that mean *call*."""
    return find()(**arguments_of(call))


def arguments_of(call: Call) -> dict[str, Any]:
    """*call* as the arguments of ``create``; what has no argument is in the extra body."""
    body, known = body_of(call), parameters()
    beside = {name: value for name, value in body.items() if name not in known}
    named = {name: value for name, value in body.items() if name in known}
    return {**named, **call.options, **({"extra_body": beside} if beside else {})}


@cache
def parameters() -> frozenset[str]:
    """The names that ``create`` takes, whoever stands in its place."""
    from openai.types.chat import completion_create_params as params

    kind = params.CompletionCreateParamsStreaming
    return kind.__required_keys__ | kind.__optional_keys__ | HOW.keys()
