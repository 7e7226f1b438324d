"""What is wrong with a value that a model wrote, in words it can act on."""

from __future__ import annotations

from agentmaker.errors import ToolError

_MOST = 5
_LONGEST = 200


def faults_in(error: Exception) -> str:
    """Which field and why, without the value: it is the model's own, and may be long.

    A validator of the user's may raise what it likes, of which no field is known.
    """
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return described(error)[:_LONGEST]
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(_fault(each["loc"], each["msg"]) for each in faults[:_MOST])


def _fault(place: tuple[int | str, ...], why: str) -> str:
    field = ".".join(map(str, place))[:_LONGEST]
    return f"{field}: {why[:_LONGEST]}" if field else why[:_LONGEST]


def described(error: BaseException) -> str:
    """Type and message, of what is in a group too; of a `ToolError` its message alone."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(described, error.exceptions))
    message = _message(error)
    if isinstance(error, ToolError) and message:
        return message
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""
