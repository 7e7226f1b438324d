"""A request's body as bytes that are ready, for clients that nothing listens in on.

They are what the SDK would write, so that a server cannot tell them apart. Whoever
looks at bodies on their way, in a class that derives from the SDK's, in a patched method or in
the log, gets a body.
"""

from __future__ import annotations

import logging
from functools import cache, lru_cache
from inspect import signature
from operator import attrgetter, itemgetter
from types import FunctionType, MethodType
from typing import Any

from agentmaker.calls.call import Call
from agentmaker.calls.memory.written import encoded

LEAST_MESSAGES = 16
"""Below so many messages, bytes are hardly cheaper than a body."""

# The SDK's methods that are given a body, or what is made of it.
_SEES_BODIES = (
    "post",
    "request",
    "_prepare_options",
    "_prepare_url",
    "_build_request",
    "_build_headers",
    "_process_response",
)
_methods = attrgetter(*_SEES_BODIES)
_function, _globals = attrgetter("__func__"), attrgetter("__globals__")
_name = itemgetter("__name__")
_LOG = logging.getLogger("openai._base_client")  # debugging shows bodies
_SDKS = frozenset({"openai._base_client", "openai._client"})  # the modules of its own methods
_UNKNOWN = frozenset({""})


def takes_bytes(client: Any, call: Call) -> bool:
    """Whether *call* may go through *client*, or what is behind it, as bytes."""
    ready = call.ready
    if ready is None or ready.messages is not call.messages or len(ready.json) < LEAST_MESSAGES:
        return False
    return (
        _modules(client) <= _SDKS
        and _takes_content(client.post.__func__)
        and not _names_content_type(_owner(client), call)
        and not _LOG.isEnabledFor(logging.DEBUG)
    )


def bytes_of(call: Call) -> bytes | None:
    """The body of *call* as the SDK would write it; None where only it can."""
    try:
        known = _known(call)
        members = [
            b"%b:%b" % (_named(name), known.get(name) or encoded(value).encode())
            for name, value in call.body.items()
        ]
        return b"{%b}" % b",".join(members)
    except (TypeError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=256)
def _named(name: Any) -> bytes:
    if not isinstance(name, str):
        raise TypeError(f"a name in the body must be a string, not {type(name).__name__}")
    return encoded(name).encode()


def _known(call: Call) -> dict[str, bytes | None]:
    """What of the body is JSON already, by name."""
    known: dict[str, bytes | None] = {}
    if call.ready is not None:
        known["messages"] = b"[%b]" % b",".join(call.ready.json)
    if call.window.tools:
        known["tools"] = call.setting.views.schemas.json(call.window.tools)
    return known


def is_anothers(client: Any) -> bool:
    """Whether something that is not the SDK's sees bodies, and may change what is in them."""
    return any(module.partition(".")[0] != "openai" for module in _modules(client))


def is_strict(client: Any) -> bool:
    """Whether a reply that does not keep to the schema is an error, as its user chose."""
    return bool(getattr(_owner(client), "_strict_response_validation", False))


def _modules(client: Any) -> frozenset[str]:
    """The modules of the methods that see bodies; just "" where one was put in their place."""
    if not vars(_owner(client)).keys().isdisjoint(_SEES_BODIES):
        return _UNKNOWN
    try:
        methods = _methods(client)
    except AttributeError:  # one is missing
        return _UNKNOWN
    # What wraps a method may pass for it in all but its type.
    if {*map(type, methods)} != {MethodType}:
        return _UNKNOWN
    functions = [*map(_function, methods)]
    if {*map(type, functions)} != {FunctionType}:
        return _UNKNOWN
    return frozenset(map(_name, map(_globals, functions)))


def _owner(client: Any) -> Any:
    return getattr(client, "__self__", client)  # a super object stands for what is behind


@cache
def _takes_content(post: Any) -> bool:
    return "content" in signature(post).parameters


def _names_content_type(client: Any, call: Call) -> bool:
    given = (call.options.get("extra_headers"), getattr(client, "_custom_headers", None))
    return any(name.lower() == "content-type" for headers in given for name in headers or ())
