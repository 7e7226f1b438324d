"""A request and its answer, as far as a `ModelServer` looks at them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any


class ConnectionBroken(ConnectionError):
    """Raised in the middle of a body when the script wants the connection to break there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What came in. Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes out: the body at once, or in pieces that are pulled."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | AsyncIterator[bytes] = b""


def json_answer(
    body: Any, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    """*body* as JSON."""
    kind = {"content-type": "application/json"}
    return Answer(status=status, headers=kind | dict(headers or {}), content=json_bytes(body))


def text_answer(text: str, *, status: int, headers: Mapping[str, str]) -> Answer:
    """*text*, for a server whose errors are no JSON."""
    kind = {"content-type": "text/plain; charset=utf-8"}
    return Answer(status=status, headers=kind | dict(headers), content=text.encode())


def json_bytes(body: Any) -> bytes:
    return json.dumps(body).encode()
