"""The API of a `ModelServer`: its routes, its key, and the way of a chat request through it."""

from __future__ import annotations

import hmac
import itertools
import json
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentmaker.testing.admission import Admission
from agentmaker.testing.counting import (
    PrefixCache,
    completion_tokens,
    output_tokens,
    prompt_tokens,
)
from agentmaker.testing.embeddings import Embeddings
from agentmaker.testing.errors import error_body
from agentmaker.testing.http import Answer, Request, json_answer
from agentmaker.testing.playback import play
from agentmaker.testing.records import Received
from agentmaker.testing.replies import Script, Turn, turn_of
from agentmaker.tokens import TokenCounter

Body = Mapping[str, Any]
Do = Callable[[Body, Mapping[str, str]], Awaitable[Answer]]


@dataclass(slots=True, kw_only=True)
class Endpoint:
    """Answers requests, whatever brought them. Safe to share between threads."""

    script: Script
    embeddings: Embeddings
    admission: Admission
    counter: TokenCounter
    model: str
    api_key: str | None
    requests: deque[Received]
    _prefixes: PrefixCache = field(default_factory=PrefixCache)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def answer(self, request: Request) -> Answer:
        """The answer to any request; the unknown ones are refused as OpenAI does."""
        if not self._may_enter(request):
            body = error_body("Incorrect API key provided.", code="invalid_api_key")
            return json_answer(body, status=401)
        match request.method, request.path.rstrip("/"):
            case "POST", "/v1/chat/completions":
                return await self._read(request, self._chat)
            case "POST", "/v1/embeddings":
                return await self._read(request, self.embeddings.answer)
            case "GET", "/v1/models":
                return json_answer({"object": "list", "data": [self._model()]})
            case "GET", path if path == f"/v1/models/{self.model}":
                return json_answer(self._model())
        words = f"Invalid URL ({request.method} {request.path})"
        return json_answer(error_body(words, code="unknown_url"), status=404)

    def _may_enter(self, request: Request) -> bool:
        given = request.headers.get("authorization", "").encode()
        return self.api_key is None or hmac.compare_digest(given, f"Bearer {self.api_key}".encode())

    def _model(self) -> dict[str, Any]:
        window = self.admission.window
        sizes = {"context_length": window, "max_model_len": window} if window else {}
        return {"id": self.model, "object": "model", "created": 0, "owned_by": "test", **sizes}

    async def _read(self, request: Request, do: Do) -> Answer:
        body = _json_object(request.content)
        if body is None:
            words = "We could not parse the JSON body of your request: it must be an object."
            return json_answer(error_body(words), status=400)
        headers = {key: each for key, each in request.headers.items() if key != "authorization"}
        return await do(body, headers)

    async def _chat(self, body: Body, headers: Mapping[str, str]) -> Answer:
        turn = self._turn(body, headers)
        options = body.get("stream_options")
        include_usage = isinstance(options, dict) and bool(options.get("include_usage"))
        return await play(turn, stream=bool(body.get("stream")), include_usage=include_usage)

    def _turn(self, body: Body, headers: Mapping[str, str]) -> Turn:
        """Count, admit, decide and record, in this order."""
        prompt, output = prompt_tokens(body, self.counter), output_tokens(body)
        refusal = self.admission.refusal(body, prompt, output)
        cached = 0 if refusal else self._cached(body, prompt)
        turn = turn_of(refusal, body) if refusal else self.script.turn(body)
        self.requests.append(
            Received(
                body=body,
                headers=headers,
                prompt_tokens=prompt,
                output_tokens=output,
                cached_tokens=cached,
                status=turn.status,
            )
        )
        return self._completed(turn, body, prompt, cached) if turn.is_completion else turn

    def _cached(self, body: Body, prompt: int) -> int:
        with self._lock:
            return int(prompt * self._prefixes.share(body))

    def _completed(self, turn: Turn, body: Body, prompt: int, cached: int) -> Turn:
        """The turn with everything a real completion has and a script leaves out."""
        completion = {
            "id": f"chatcmpl-{next(self._numbers)}",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model") or self.model,
            "usage": self._usage(turn.body, prompt, cached),
            **turn.body,
        }
        wanted = body.get("n")
        if isinstance(wanted, int) and len(turn.body["choices"]) == 1:
            (choice,) = turn.body["choices"]
            completion["choices"] = [choice | {"index": index} for index in range(max(wanted, 1))]
        return replace(turn, body=completion)

    def _usage(self, completion: dict[str, Any], prompt: int, cached: int) -> dict[str, Any]:
        said = completion_tokens(completion, self.counter)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": said,
            "total_tokens": prompt + said,
            "prompt_tokens_details": {"cached_tokens": cached},
        }


def _json_object(content: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(content)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
