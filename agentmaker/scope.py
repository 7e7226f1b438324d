"""Whose data this is: the identity that travels with a run."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Scope:
    """Identity of a run, handed to sources and used as the key of every cache.

    All parts are optional; an empty string means the same as None.

    Raises:
        TypeError: a part is neither a string nor None.
    """

    base: str | None = None
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    app: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not isinstance(value, str):
                raise TypeError(
                    f"Scope.{field.name} must be a string or None, not {type(value).__name__}"
                )
            if value == "":
                object.__setattr__(self, field.name, None)
