"""What is wrong with a value that a model wrote, in words it can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

_MOST = 5
_LONGEST = 200


def faults_in(error: ValidationError) -> str:
    """Which field and why, without the value: it is the model's own, and may be long."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(_fault(each["loc"], each["msg"]) for each in faults[:_MOST])


def _fault(place: tuple[int | str, ...], why: str) -> str:
    field = ".".join(map(str, place))[:_LONGEST]
    return f"{field}: {why[:_LONGEST]}" if field else why[:_LONGEST]
