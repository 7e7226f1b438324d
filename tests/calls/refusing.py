"""Errors as the SDK raises them for the bodies that servers send."""

from __future__ import annotations

from typing import Any

import httpx
import openai

_CLIENT = openai.AsyncOpenAI(api_key="k")
_REQUEST = httpx.Request("POST", "http://model.invalid/v1/chat/completions")


def refusal(body: Any, status: int = 400) -> Exception:
    """The SDK's error for *body*; text is the message of an error in OpenAI's shape."""
    if isinstance(body, str):
        body = {"error": {"message": body, "type": "invalid_request_error"}}
    response = httpx.Response(status, request=_REQUEST, json=body)
    return _CLIENT._make_status_error_from_response(response)
