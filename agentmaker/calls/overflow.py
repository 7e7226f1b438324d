"""Is this error an overflow, and what does it say of the sizes?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agentmaker.calls.ledger import Ledger

_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_STATUSES = (None, 400, 413, 422, 500)

# An overflow names what was overrun, and says that it was.
_LENGTH = r"(?:context|prompt|input)[ _-]?(?:length|size|window)"
_NAMED = re.compile(
    rf"{_LENGTH}|(?:prompt|input) (?:is )?too long|(?:prompt|input) token count", re.IGNORECASE
)
_OVERRUN = re.compile(r"exceed|reduce|too (?:long|large)|(?:greater|longer|larger) than", re.I)
_THROTTLED = re.compile(r"rate.?limit|per min|\bTPM\b|quota|too many (?:requests|tokens)", re.I)

_NUMBER = r"(\d[\d,]*)"
_LIMIT = re.compile(rf"(?:{_LENGTH}|tokens allowed)(?: is| of)?\W{{1,2}}{_NUMBER}", re.IGNORECASE)
_EXCESS = re.compile(rf"exceed\D*? by {_NUMBER}", re.IGNORECASE)
_PROMPT = re.compile(
    # "4,200 in the messages", "8 input tokens", "your messages resulted in 4,200 tokens"
    rf"{_NUMBER} (?:tokens )?(?:in|from|of) (?:the |your |text )?(?:messages|prompt|input)\b|"
    rf"{_NUMBER} (?:input|prompt) tokens|(?:input|prompt) token count \({_NUMBER}|"
    rf"\b(?:messages|prompt|input|request)\b(?! ?length)[^\d.]{{1,24}}{_NUMBER}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow:
    """What a server said when it refused a prompt as too long; None where it did not say.

    Attributes:
        message: its words.
        limit: tokens it can hold.
        prompt: tokens it counted in the prompt.
        excess: by how many tokens prompt and reply are over the limit.
    """

    message: str
    limit: int | None = None
    prompt: int | None = None
    excess: int | None = None


class PromptRefused(Exception):
    """Raised by the transport when the server found the prompt too long; Recovery's to catch."""

    def __init__(self, overflow: Overflow, ledger: Ledger | None, error: Exception) -> None:
        super().__init__(overflow.message)
        self.overflow = overflow
        self.ledger = ledger
        self.error = error


def overflow_in(error: BaseException) -> Overflow | None:
    """The overflow that *error* reports, None when it is something else."""
    if not hasattr(error, "body") or getattr(error, "status_code", None) not in _STATUSES:
        return None
    facts = dict(_flat(error.body))
    message = str(facts.get("message") or getattr(error, "message", ""))
    coded = facts.get("code") in _CODES or facts.get("type") in _CODES
    if not (coded or _worded(message)):
        return None
    return Overflow(
        message=message,
        limit=_positive(facts.get("n_ctx")) or _stated(_LIMIT, message),
        prompt=_positive(facts.get("n_prompt_tokens")) or _stated(_PROMPT, message),
        excess=_stated(_EXCESS, message),
    )


def _worded(message: str) -> bool:
    overrun = _NAMED.search(message) and _OVERRUN.search(message)
    return bool(overrun) and not _THROTTLED.search(message)


def _flat(body: Any) -> Iterator[tuple[str, Any]]:
    """The scalar facts of an error body, the nested ``error`` object's over the outer ones."""
    if isinstance(body, str):
        yield "message", body
    elif isinstance(body, list):
        for each in body:
            yield from _flat(each)
    elif isinstance(body, Mapping):
        yield from ((key, value) for key, value in body.items() if isinstance(value, (str, int)))
        yield from _flat(body.get("error"))


def _positive(fact: Any) -> int | None:
    return fact if isinstance(fact, int) and fact > 0 else None


def _stated(pattern: re.Pattern[str], message: str) -> int | None:
    found = pattern.search(message)
    digits = next(filter(None, found.groups()), "") if found else ""
    return int(digits.replace(",", "")) if digits else None
