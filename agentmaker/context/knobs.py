"""Checks shared by the configurations of the context layer."""

from __future__ import annotations

from math import inf
from typing import TypeGuard

from agentmaker.errors import ConfigError


def kind_of(given: object) -> str:
    """What *given* is, for the words in which it is refused."""
    return f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__


def check_count(name: str, value: object, *, least: int) -> int:
    """Return *value* if it is a whole number of at least *least*.

    Raises:
        ConfigError: it is not; bools and floats are refused too.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return value


def check_switch(name: str, value: object) -> bool:
    """Return *value* if it is True or False.

    Raises:
        ConfigError: it is neither; what only counts as true or false is refused too.
    """
    if not isinstance(value, bool):
        raise ConfigError(f"{name} must be True or False, not {value!r}")
    return value


def check_share(name: str, value: object, *, zero: bool = True) -> float:
    """Return *value* if it is a number between 0 and 1; *zero* says whether 0 is one.

    Raises:
        ConfigError: it is not; bools and NaN are refused too.
    """
    if not _is_number(value) or not 0 <= value <= 1 or (value == 0 and not zero):
        raise ConfigError(
            f"{name} must be a number {'from' if zero else 'above'} 0 to 1, not {value!r}"
        )
    return float(value)


def check_number(name: str, value: object, *, least: float) -> float:
    """Return *value* if it is a number of at least *least*.

    Raises:
        ConfigError: it is not; bools, NaN and infinity are refused too.
    """
    if not _is_number(value) or not least <= value < inf:
        raise ConfigError(f"{name} must be a number of at least {least:g}, not {value!r}")
    return value


def check_seconds(name: str, value: object) -> float | None:
    """Return *value* if it is a number of seconds above 0, or None for no limit.

    Raises:
        ConfigError: it is neither.
    """
    if value is None:
        return None
    seconds = check_number(name, value, least=0)
    if seconds == 0:
        raise ConfigError(f"{name} must be above 0 seconds, or None for no limit, not {value!r}")
    return float(seconds)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
