"""Errors of openai as ours, and ours as openai's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from agentmaker.calls.retry import may_pass
from agentmaker.calls.sdk.failures import response_of
from agentmaker.errors import ContextOverflow, LLMRequestError, LLMResponseError


@contextmanager
def our_errors() -> Iterator[None]:
    """What openai raises inside is raised as ours."""
    import openai

    try:
        yield
    except openai.OpenAIError as error:
        raise translated(error) from error


def translated(error: Exception) -> Exception:
    """An openai error as one of ours; anything else as it is."""
    import openai

    if isinstance(error, openai.APIResponseValidationError):
        return LLMResponseError(f"the server's answer is no chat completion: {error}")
    if isinstance(error, openai.APIError):
        status = getattr(error, "status_code", None)
        words = "; ".join((str(error), *getattr(error, "__notes__", ())))
        return LLMRequestError(words, status=status, retryable=may_pass(error))
    return error


def as_bad_request(overflow: ContextOverflow, cause: Exception) -> Exception:
    """The overflow as an ``openai.BadRequestError`` too, so that existing handlers see it."""
    body = getattr(cause, "body", None)
    response = getattr(cause, "response", None) or response_of(400, body)
    error: Exception = _bad_request_class()(str(overflow), response=response, body=body)
    vars(error).update(vars(overflow))
    return error


@cache
def _bad_request_class() -> Any:
    import openai

    return type(
        "ContextOverflow",
        (ContextOverflow, openai.BadRequestError),
        {"__doc__": ContextOverflow.__doc__, "__init__": openai.BadRequestError.__init__},
    )
