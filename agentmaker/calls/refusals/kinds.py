"""Which kind of fault a refusal is: by the codes in it, its status, and only then its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from agentmaker.calls.refusals.bodies import Said
from agentmaker.calls.refusals.concepts import (
    is_bad,
    is_failure,
    is_filtered,
    is_length_error,
    is_malformed,
    is_out_of_memory,
    is_throttled,
    is_unauthorized,
    is_unpaid,
    passes_soon,
)
from agentmaker.calls.refusals.plain import LONGEST, plain
from agentmaker.calls.refusals.sizes import Sizes, sizes_in, sizes_of
from agentmaker.calls.refusals.wording import about_input, is_overflow

Kind: TypeAlias = Literal[
    "overflow", "rate_limit", "auth", "content_filter", "bad_request", "server"
]

_NAMES_THE_INPUT = re.compile("prompt|input|context|sequence|conversation|characters?")
_NAME = re.compile(
    r"(?<![A-Za-z_])(?:[A-Za-z]+_)+(?:exceeded|error|too_long|overflow)(?![A-Za-z_])",
    re.IGNORECASE,
)
"""A code among words, if its end says that something is wrong."""

_TOO_LONG = re.compile("string (?:above max length|too long)|max length exceeded")
_CONTENT = re.compile(r"(?:^|[.\]])(?:content|text|input|prompt|messages)$")
_NEVER_TOO_LONG = (401, 402, 403, 404, 405, 408, 409, 429)


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """What was said and the status it came with; none for a success or an event of a stream."""

    said: Said
    http: int | None

    @cached_property
    def heard(self) -> list[str]:
        """Its messages; of a page that came with a failure, what tells of a prompt too long."""
        if not self.said.is_page:
            return self.said.texts
        # For everything else a gateway has pages of its own.
        return [line for line in self.said.lines if self.http and is_overflow(plain(line))]

    @cached_property
    def texts(self) -> list[str]:
        return [plain(text) for text in self.heard]

    @cached_property
    def codes(self) -> list[str]:
        return [plain(code).replace(".", " ") for code in self.said.codes]

    @cached_property
    def names(self) -> list[str]:
        """Its codes, and those among its words."""
        found = (name for text in self.heard for name in _NAME.findall(text[:LONGEST]))
        return [*self.codes, *map(plain, found)]

    @cached_property
    def words(self) -> str:
        return "\n".join([*self.texts, *self.codes])

    @cached_property
    def stated(self) -> int | None:
        """The status within the body: nearer to the fault than that of a relay."""
        statuses = (int(code) for code in self.said.codes if re.fullmatch("[45][0-9]{2}", code))
        return next(statuses, None)

    @property
    def status(self) -> int | None:
        return self.stated or self.http

    @property
    def is_5xx(self) -> bool:
        return self.status is not None and self.status >= 500

    def kind(self) -> Kind:
        return next((kind for kind, holds in _KINDS if holds(self)), "bad_request")

    def sizes(self) -> Sizes:
        """What is stated of a prompt that is too long: in fields, else in words."""
        text = "\n".join(filter(is_overflow, self.texts)) or "\n".join(self.texts)
        return {**sizes_in(about_input(text)), **sizes_of(self.said.numbers)}


def is_denied(text: str) -> bool:
    """Whether a plain text says that the account may not, or cannot pay."""
    return is_unauthorized(text) or (is_unpaid(text) and not passes_soon(text))


def is_the_server_s(text: str) -> bool:
    """Whether a plain text says that the server failed, whatever was sent."""
    return is_failure(text) or is_out_of_memory(text)


def _is_named_overflow(refusal: Refusal) -> bool:
    return any(_names_overflow(code, refusal) for code in refusal.names)


def _names_overflow(code: str, refusal: Refusal) -> bool:
    if code == "request too large":
        return not is_throttled(refusal.words)
    if _TOO_LONG.search(code):
        return any(map(_CONTENT.search, refusal.said.fields))
    return bool(_NAMES_THE_INPUT.search(code)) and (is_overflow(code) or is_length_error(code))


def _is_filtered(refusal: Refusal) -> bool:
    return is_filtered(refusal.words)


def _is_auth(refusal: Refusal) -> bool:
    if refusal.status == 403:
        return not is_throttled(refusal.words)
    return refusal.status in (401, 402) or is_denied(refusal.words)


def _is_rate_limit(refusal: Refusal) -> bool:
    return refusal.status == 429 or is_throttled(refusal.words)


def _is_worded_overflow(refusal: Refusal) -> bool:
    if refusal.status in _NEVER_TOO_LONG:
        return False
    # What is said of a field need not name it again.
    blames = any(map(_CONTENT.search, refusal.said.fields))
    texts = [f"input {text}" for text in refusal.texts] if blames else refusal.texts
    return any(map(is_overflow, [*texts, *refusal.codes]))


def _is_malformed(refusal: Refusal) -> bool:
    return refusal.is_5xx and is_malformed(refusal.words)


def _is_failure(refusal: Refusal) -> bool:
    if refusal.status in (None, 400, 413, 422) and is_the_server_s(refusal.words):
        return True
    return refusal.is_5xx or (refusal.status is None and not is_bad(refusal.words))


_KINDS: tuple[tuple[Kind, Callable[[Refusal], bool]], ...] = (
    ("overflow", _is_named_overflow),
    ("content_filter", _is_filtered),
    ("auth", _is_auth),
    ("rate_limit", _is_rate_limit),
    ("overflow", _is_worded_overflow),
    ("bad_request", _is_malformed),
    ("server", _is_failure),
)
