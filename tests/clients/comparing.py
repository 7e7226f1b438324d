"""Makes the same call with a client and with its wrapped twin, and says what each sent and gave."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import openai
import pydantic

import agentmaker

NATURAL = frozenset({"content-length", "x-stainless-async"})
"""Headers that may differ: the length of the same JSON written with its keys in another order."""

HEADERS = {"x-request-id": "req-1"}

USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request as it reached the server."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: Any
    timeout: Any


@dataclass(slots=True)
class Server:
    """Answers every request in process, and keeps it; the first *failures* with a 503.

    *library* is httpx or httpx2.
    """

    library: str
    answer: str = "Fine."
    status: int = 200
    failures: int = 0
    sent: list[Sent] = field(default_factory=list)

    def http(self, *, blocking: bool = False) -> Any:
        """A client of the library that talks to this server."""
        library = import_module(self.library)
        transport = library.MockTransport(self._answered if blocking else self._awaited)
        kind = library.Client if blocking else library.AsyncClient
        return kind(transport=transport)

    async def _awaited(self, request: Any) -> Any:
        return self._answered(request)

    def _answered(self, request: Any) -> Any:
        library = import_module(self.library)
        body = _body(request)
        headers = {k: v for k, v in request.headers.items() if k not in NATURAL}
        timeout = request.extensions.get("timeout")
        sent = Sent(
            method=request.method,
            url=str(request.url),
            headers=headers,
            body=body,
            timeout=timeout,
        )
        self.sent.append(sent)
        if len(self.sent) <= self.failures:
            return library.Response(503, json={}, headers={"retry-after-ms": "1"})
        if self.status != 200:
            refused = {"error": {"message": "no", "type": "invalid_request_error"}}
            return library.Response(self.status, json=refused, headers=HEADERS)
        if isinstance(body, dict) and body.get("stream"):
            return library.Response(200, content=self._events(body), headers=_EVENTS)
        return library.Response(200, json=self._json(request, body), headers=HEADERS)

    def _json(self, request: Any, body: Any) -> Any:
        if not request.url.path.endswith("/chat/completions") or request.method != "POST":
            return {"object": "list", "data": [], "id": "x"}
        message = {"role": "assistant", "content": self.answer}
        logprobs = {"content": [{"token": "F", "logprob": -0.1, "top_logprobs": []}]}
        choice = {"finish_reason": "stop", "message": message, "logprobs": logprobs}
        choices = [choice | {"index": index} for index in range(body.get("n") or 1)]
        return {**_ENVELOPE, "object": "chat.completion", "choices": choices, "usage": USAGE}

    def _events(self, body: Mapping[str, Any]) -> bytes:
        pieces = [{"role": "assistant", "content": ""}, {"content": self.answer}, {}]
        chunks = [
            {"choices": [{"index": n, "delta": piece, "finish_reason": None if piece else "stop"}]}
            for piece in pieces
            for n in range(body.get("n") or 1)
        ]
        if (body.get("stream_options") or {}).get("include_usage"):
            chunks.append({"choices": [], "usage": USAGE})
        whole = ({**_ENVELOPE, "object": "chat.completion.chunk", **chunk} for chunk in chunks)
        events = [json.dumps(chunk) for chunk in whole]
        return "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"]).encode()


_ENVELOPE = {"id": "c1", "created": 1, "model": "m"}
_EVENTS = {**HEADERS, "content-type": "text/event-stream"}

Ask = Callable[[Any], Any]
"""What is asked of a client, in words that are the same in both colours."""


async def awaited(ask: Ask, client: Any) -> Any:
    """What *ask* gives through an async client, in a form that compares."""
    try:
        given = ask(client)
        given = await given if inspect.isawaitable(given) else given
        if hasattr(given, "__aenter__") and not isinstance(given, openai.AsyncStream):
            async with given as inner:
                return type(inner), await _read(inner)
        return kinds_of(given), await _read(given)
    except Exception as error:
        return type(error), str(error)


async def _read(given: Any) -> Any:
    if hasattr(given, "__aiter__") and not isinstance(given, pydantic.BaseModel):
        return [said(each) async for each in given]
    if parse := getattr(given, "parse", None):
        parsed = parse()
        return await _read(await parsed if inspect.isawaitable(parsed) else parsed)
    return said(given)


def blocked(ask: Ask, client: Any) -> Any:
    """What *ask* gives through a sync client."""
    try:
        given = ask(client)
        if hasattr(given, "__enter__") and not isinstance(given, openai.Stream):
            with given as inner:
                return type(inner), _looked(inner)
        return kinds_of(given), _looked(given)
    except Exception as error:
        return type(error), str(error)


def _looked(given: Any) -> Any:
    if hasattr(given, "__iter__") and not isinstance(given, pydantic.BaseModel):
        return [said(each) for each in given]
    if parse := getattr(given, "parse", None):
        return _looked(parse())
    return said(given)


def kinds_of(given: Any) -> list[type]:
    """The classes that *given* is of, without those of ours that stand before them."""
    return [kind for kind in type(given).__mro__ if not kind.__module__.startswith("agentmaker")]


def said(given: Any) -> Any:
    """The type and every field of an SDK object, what is beside its fields among them."""
    if not isinstance(given, pydantic.BaseModel):
        return type(given).__name__, str(given)
    return type(given), given.model_dump(warnings=False), getattr(given, "_request_id", None)


def wrapped(client: Any) -> Any:
    return agentmaker.wrap(client, window=1_000_000, sinks=())


def _body(request: Any) -> Any:
    content = request.read()
    try:
        return json.loads(content)
    except ValueError:
        return content
