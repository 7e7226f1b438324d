"""Where servers differ in what they accept, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a server wants of a request.

    Attributes:
        name: how it is called in logs.
        system: ``"first"`` folds system messages in mid-list into the next user
            message, ``"anywhere"`` leaves them in place.
        block: where retrieved text stands: ``"inside"`` the question's message before
            its text, as content ``"parts"``, as a ``"message"`` of its own, or as a
            ``"system"`` message.
        empty_content: what an assistant message with calls and no text carries.
    """

    name: str = "default"
    system: Literal["first", "anywhere"] = "first"
    block: Literal["inside", "parts", "message", "system"] = "inside"
    empty_content: Literal["null", "empty"] = "null"


DEFAULT = Dialect()
LENIENT = Dialect(name="lenient", system="anywhere")
DIALECTS = {dialect.name: dialect for dialect in (DEFAULT, LENIENT)}
