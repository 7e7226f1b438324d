"""The embeddings of a `ModelServer`: vectors of words, by the rules of the API."""

from __future__ import annotations

import base64
import struct
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from agentmaker.testing.errors import error_body
from agentmaker.testing.http import Answer
from agentmaker.testing.playback import play
from agentmaker.testing.records import Received
from agentmaker.testing.replies import Item, Script, Turn
from agentmaker.testing.vectors import vector_of
from agentmaker.tokens import TokenCounter

Body = Mapping[str, Any]

DIMENSIONS = 64
"""Of a vector, where the request does not say."""

MOST_TEXTS = 2_048
"""In one request, as OpenAI has it."""


@dataclass(slots=True, kw_only=True)
class Embeddings:
    """Answers requests for embeddings. Safe to share between threads."""

    script: Script
    counter: TokenCounter
    model: str
    requests: deque[Received]

    async def answer(self, body: Body, headers: Mapping[str, str]) -> Answer:
        texts = _texts(body)
        turn = _refused() if texts is None else self.script.turn(body, partial(self._read, texts))
        self.requests.append(
            Received(
                body=body,
                headers=headers,
                prompt_tokens=sum(map(self.counter, texts or ())),
                output_tokens=0,
                cached_tokens=0,
                status=turn.status,
            )
        )
        return await play(turn, stream=False, include_usage=False)

    def _read(self, texts: Sequence[str], item: Item, body: Body) -> Any:
        return self._vectors(texts, body) if item is None else item

    def _vectors(self, texts: Sequence[str], body: Body) -> dict[str, Any]:
        dimensions = body.get("dimensions") or DIMENSIONS
        written = _packed if body.get("encoding_format") == "base64" else list
        tokens = sum(map(self.counter, texts))
        return {
            "object": "list",
            "model": body.get("model") or self.model,
            "data": [
                {"object": "embedding", "index": index, "embedding": written(vector)}
                for index, vector in enumerate(vector_of(text, dimensions) for text in texts)
            ],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }


def _texts(body: Body) -> list[str] | None:
    """What is to be embedded, None where OpenAI would refuse it."""
    given = body.get("input")
    every: list[Any] = given if isinstance(given, list) else [given]
    texts = [text for text in every if isinstance(text, str) and text]
    return texts if len(texts) == len(every) and 0 < len(texts) <= MOST_TEXTS else None


def _refused() -> Turn:
    return Turn(status=400, body=error_body("'$.input' is invalid.", param="input"))


def _packed(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
