"""Failures that came without an HTTP error, as the SDK's own exceptions."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from agentmaker.calls.sdk.built import Said, known_fields
from agentmaker.calls.sdk.raw import fields, get, items
from agentmaker.calls.sdk.reading import body_in

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

    from agentmaker.calls.refusals.faults import Fault

_NAMES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
}


def failure_in(raw: Any, response: Any, *, failed: bool = False) -> Exception | None:
    """The error that an answer is though it came with a success; None for a healthy one.

    *response* is what it came with, None where the SDK keeps it to itself. *failed* as in
    ``fault_of``.
    """
    from agentmaker.calls.refusals.faults import fault_of

    body = _body(raw)
    fault = fault_of(body, 200, failed=failed)
    if fault is None or not (fault.message or fault.code):
        return None
    return failure_of(fault, body, response)


def failure_of(fault: Fault, body: Any, response: Any = None) -> Exception:
    """*fault* as the exception that the SDK would raise had it come with its own status."""
    import openai

    inner = (isinstance(body, dict) and body.get("error")) or body
    if fault.status is None:
        return openai.APIError(fault.message, _request(response), body=inner)
    name = "InternalServerError" if fault.status >= 500 else "APIStatusError"
    kind = getattr(openai, _NAMES.get(fault.status, name))
    error: Exception = kind(fault.message, response=response_of(fault.status, body), body=inner)
    return error


def answer_in(raw: Any) -> Any:
    """*raw* itself, when it is an answer, or an object that only its caller can read.

    Raises:
        openai.APIError: it is an error in the guise of an answer.
        openai.APIResponseValidationError: it is neither.
    """
    import openai
    from openai.types.chat import ChatCompletion

    if isinstance(raw, (ChatCompletion, Said)) and _is_plain(raw):
        return raw
    body = body_in(raw)
    if not isinstance(body, (ChatCompletion, dict, str)):
        return raw
    servers = isinstance(raw, (ChatCompletion, Said, str))
    answers, made = bool(items(body, "choices")), not servers and isinstance(raw, dict)
    failure = failure_in(body, None, failed=not (answers or made))
    if failure is not None:
        raise failure
    if answers or not servers:
        return raw
    raise openai.APIResponseValidationError(
        response_of(200, _body(body)), _body(body), message="the server answered without a reply"
    )


def _is_plain(raw: ChatCompletion | Said) -> bool:
    """Whether *raw* has choices and nothing that the SDK does not know: nearly every answer."""
    if not items(raw, "choices") or get(raw, "object") != "chat.completion":
        return False
    return raw.keys() <= known_fields() if isinstance(raw, Said) else not raw.model_extra


def silence(response: Any) -> Exception:
    """The error that a stream without a word is."""
    import openai

    words = "the stream ended before it began"
    return openai.APIConnectionError(message=words, request=_request(response))


def explain(error: Exception, fault: Fault | None) -> None:
    """Add a note to *error* where its own words, or those of the server, do not help."""
    if isinstance(error, RuntimeError) and "loop is closed" in str(error):
        error.add_note(
            "the client's connections are those of an event loop that is closed: make the client "
            "within each asyncio.run(), or stay in one"
        )
    if fault is not None and fault.quota is not None and fault.quota.exceeds:
        error.add_note(
            f"this request of {fault.quota.requested:,} tokens is larger than the "
            f"{fault.quota.limit:,} tokens that the rate limit allows at a time: no wait lets it "
            "through; pass window= below the limit, or have the limit raised"
        )


def in_sdk_terms(error: BaseException, response: Any) -> BaseException:
    """*error*, from within a stream, as openai 3 raises it; others as they are."""
    import openai

    if isinstance(error, _of_http("TimeoutException")):
        return openai.APITimeoutError(_request(response))
    if isinstance(error, _of_http("TransportError")):
        return openai.APIConnectionError(
            message=f"the stream broke: {error}", request=_request(response)
        )
    if isinstance(error, json.JSONDecodeError):
        return openai.APIResponseValidationError(
            response, None, message=f"the server sent a chunk that is no JSON: {error}"
        )
    return error


def _of_http(name: str) -> tuple[type[BaseException], ...]:
    """The exceptions called *name* of the HTTP libraries that a client may use."""
    loaded = (sys.modules.get(library) for library in ("httpx", "httpx2"))
    return tuple(getattr(library, name) for library in loaded if library)


def response_of(status: int, body: Any) -> Any:
    """A response with *status*, for an error that came without one."""
    import httpx

    content = json.dumps(body, default=str).encode()
    return httpx.Response(status, content=content, request=_request(None))


def _body(raw: Any) -> Any:
    """What was sent, of the objects that the SDK made of it."""
    if isinstance(raw, list):
        return list(map(_body, raw))
    return {name: each for name, each in fields(raw).items() if each is not None} or raw


def _request(response: Any) -> Any:
    import httpx

    return getattr(response, "request", None) or httpx.Request("POST", "/chat/completions")
