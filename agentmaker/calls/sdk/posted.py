"""The way to openai through a client's own ``post``, as the SDK's resource would take it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from agentmaker.calls.call import Call
from agentmaker.calls.sdk.built import built_completion, said_completion
from agentmaker.calls.sdk.ready import bytes_of, is_anothers, is_strict, takes_bytes

PATH = "/chat/completions"
HOW = {
    "extra_headers": "headers",
    "extra_query": "params",
    "extra_body": "extra_json",
    "timeout": "timeout",
}
"""Arguments of ``create`` that say how to send, and what the SDK's options call them."""

REMEMBERED = frozenset({"tools", "response_format"})
"""Arguments that are the same objects in every call: who changes them changes later calls."""

AS_SAID = "as_said"
"""The option of a caller for whom a completion need be no object of the SDK's."""

RAW = "X-Stainless-Raw-Response"
"""The header by which the SDK remembers that its caller wants the response itself."""


def by_post(client: Any, call: Call, stream_cls: Any) -> Any:
    """Send *call* as a body, or where it is long and nobody listens in as the bytes of one."""
    ready = bytes_of(call) if takes_bytes(client, call) else None
    if ready is None:
        return by_body(client, call, stream_cls)
    url = _address(str(client.base_url))
    return _post(client, call, stream_cls, {"content": ready}, built_completion(), not_given(), url)


def by_body(client: Any, call: Call, stream_cls: Any) -> Any:
    """Send *call* as a body; who is not the SDK gets copies of what is remembered."""
    from openai.types.chat import ChatCompletion

    body = body_of(call)
    if is_anothers(client):
        body |= copy.deepcopy({name: body[name] for name in REMEMBERED & body.keys()})
        return _post(client, call, stream_cls, {"body": body}, ChatCompletion)
    return _post(client, call, stream_cls, {"body": body}, built_completion())


@lru_cache(maxsize=256)
def _address(base_url: str) -> str:
    """Where the SDK would send to, which takes a path apart twice; of an odd base, the path."""
    return PATH if "?" in base_url else f"{base_url.rstrip('/')}{PATH}"


@cache
def not_given() -> Mapping[str, Any]:
    """What the SDK takes options for that nobody names, which it looks up and copies each time."""
    from openai import NOT_GIVEN

    nothing = ("idempotency_key", "follow_redirects", "extra_json", "synthesize_event_and_data")
    absent = ("headers", "timeout", "post_parser")
    return {**dict.fromkeys(nothing), **dict.fromkeys(absent, NOT_GIVEN), "params": {}}


def _post(
    client: Any,
    call: Call,
    stream_cls: Any,
    sent: Mapping[str, Any],
    completion: Any,
    defaults: Mapping[str, Any] = MappingProxyType({}),
    url: str = PATH,
) -> Any:
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    how = {"stream": True, "stream_cls": stream_cls[ChatCompletionChunk]} if call.stream else {}
    options = {**defaults, **options_of(call)}
    cast_to, as_said = options.pop("cast_to", ChatCompletion), options.pop(AS_SAID, False)
    if cast_to is ChatCompletion and not is_strict(client):
        ours = completion is not ChatCompletion
        cast_to = said_completion() if ours and as_said and not call.stream else completion
    return client.post(url, cast_to=cast_to, options=options, **sent, **how)


def body_of(call: Call) -> dict[str, Any]:
    """The request's JSON body."""
    return {**call.body, "messages": [dict(each) for each in call.messages]}


def options_of(call: Call) -> Any:
    """The SDK's request options, as its own resource would set them.

    Its retries are off, ``calls/retry.py`` has them.
    """
    given = {HOW.get(name, name): value for name, value in call.options.items()}
    return {"max_retries": 0, "security": {"bearer_auth": True}, **given}
