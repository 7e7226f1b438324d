"""What a `ModelServer` remembers of the requests it received."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One chat request and what became of it.

    Attributes:
        body: the body as it came.
        headers: its headers, names in lower case, without the key.
        prompt_tokens: the server's own count of messages, tools and response format.
        output_tokens: the output the request asked for, 0 when it set no cap.
        cached_tokens: how much of the prompt the previous request began with, in tokens.
        status: the HTTP status of the answer.
    """

    body: Mapping[str, Any]
    headers: Mapping[str, str]
    prompt_tokens: int
    output_tokens: int
    cached_tokens: int
    status: int

    @property
    def messages(self) -> list[Any]:
        """The messages of the body."""
        return list(self.body.get("messages") or ())
