"""One broken rule of a chat request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a request breaks.

    Attributes:
        code: the rule's name, ``"unanswered_call"`` for instance.
        param: where in the body, ``"messages[3].tool_calls[0].id"`` for instance.
        message: what is wrong there.
    """

    code: str
    param: str
    message: str

    def __str__(self) -> str:
        return f"{self.param}: {self.message}"
