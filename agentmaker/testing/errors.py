"""Errors as a server sends them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ServerError:
    """An answer that is an error: *status* and *body*, sent as they are.

    ServerError(429, error_body("slow down", type="rate_limit_error"), {"retry-after": "1"})
    """

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


def error_body(
    message: str,
    *,
    type: str = "invalid_request_error",
    param: str | None = None,
    code: str | int | None = None,
) -> dict[str, Any]:
    """An error in OpenAI's shape."""
    return {"error": {"message": message, "type": type, "param": param, "code": code}}


def script_failed(error: Exception) -> ServerError:
    """The answer where a test's own script is at fault."""
    words = f"the server's script failed: {type(error).__name__}: {error}"
    # To be seen at once, not after the client's retries.
    return ServerError(500, error_body(words, code="script"), {"x-should-retry": "false"})
