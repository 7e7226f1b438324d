"""Is this error an overflow, and what does it say of the limit?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agentmaker.calls.ledger import Ledger

_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_WORDED = re.compile(
    r"context[ _-]?(?:length|size|window)|maximum (?:prompt|input) length|prompt is too long",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"(?:maximum (?:context|model) length (?:is|of)|maximum of|available context size|"
    r"context (?:length|size|window)(?: is| of|\s*\()?)\D{0,12}(\d[\d,]*)",
    re.IGNORECASE,
)
_PROMPT = re.compile(
    r"(\d[\d,]*) (?:tokens )?(?:in|from) (?:the|your) (?:messages|prompt|input)|"
    r"(?:resulted in|request has|request \(|prompt (?:is|has|contains)|input (?:is|has))"
    r"\D{0,12}(\d[\d,]*)",
    re.IGNORECASE,
)
_STATUSES = (400, 413, 422, 500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow:
    """What a server said when it refused a prompt as too long.

    Attributes:
        message: its words.
        limit: tokens it can hold, where it said so.
        prompt: tokens it counted in the prompt, where it said so.
    """

    message: str
    limit: int | None = None
    prompt: int | None = None


class PromptRefused(Exception):
    """Raised by the transport when the server found the prompt too long; Recovery's to catch."""

    def __init__(self, overflow: Overflow, ledger: Ledger | None, error: Exception) -> None:
        super().__init__(overflow.message)
        self.overflow = overflow
        self.ledger = ledger
        self.error = error


def overflow_in(error: BaseException) -> Overflow | None:
    """The overflow that *error* reports, None when it is something else."""
    status = getattr(error, "status_code", None)
    if status is not None and status not in _STATUSES:
        return None
    body = getattr(error, "body", None)
    facts = dict(_flat(body))
    message = str(facts.get("message") or getattr(error, "message", "") or "")
    named = {facts.get("code"), facts.get("type"), getattr(error, "code", None)}
    if not (named & _CODES or (_is_from_server(error) and _WORDED.search(message))):
        return None
    return Overflow(
        message=message,
        limit=_stated(facts.get("n_ctx"), _LIMITS, message),
        prompt=_stated(facts.get("n_prompt_tokens"), _PROMPT, message),
    )


def _is_from_server(error: BaseException) -> bool:
    return hasattr(error, "body") or hasattr(error, "status_code")


def _flat(body: Any) -> Iterator[tuple[str, Any]]:
    """The scalar facts of an error body, the nested ``error`` object's over the outer ones."""
    if isinstance(body, str):
        yield "message", body
    elif isinstance(body, Mapping):
        yield from ((key, value) for key, value in body.items() if isinstance(value, (str, int)))
        yield from _flat(body.get("error"))


def _stated(fact: Any, pattern: re.Pattern[str], message: str) -> int | None:
    if isinstance(fact, int) and fact > 0:
        return fact
    found = pattern.search(message)
    digits = next(filter(None, found.groups()), None) if found else None
    return int(digits.replace(",", "")) if digits else None
