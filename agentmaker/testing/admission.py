"""What a `ModelServer` lets in: valid requests that fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentmaker.errors import ConfigError
from agentmaker.testing.errors import ServerError, error_body
from agentmaker.testing.overflows import OVERFLOWS, Overflow
from agentmaker.testing.strict import Violation, violations

Checker = Callable[[Mapping[str, Any]], Sequence[Violation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The rules at the door.

    Attributes:
        window: tokens of prompt and output together, None for no limit.
        max_output_tokens: the largest cap a request may set, None for any.
        overflow: how a prompt that is too long is refused.
        check: what is refused as invalid, None to take anything.
    """

    window: int | None
    max_output_tokens: int | None
    overflow: Overflow
    check: Checker | None

    def refusal(self, body: Mapping[str, Any], prompt: int, output: int) -> ServerError | None:
        """The answer to a request that may not come in, None for one that may."""
        return self._invalid(body) or self._too_much(output) or self._too_long(prompt, output)

    def _invalid(self, body: Mapping[str, Any]) -> ServerError | None:
        found = self.check(body) if self.check else ()
        if not found:
            return None
        first, more = found[0], len(found) - 1
        words = f"Invalid request: {first}" + (f" (and {more} more)" if more else "")
        return ServerError(400, error_body(words, param=first.param, code=first.code))

    def _too_much(self, output: int) -> ServerError | None:
        if self.max_output_tokens is None or output <= self.max_output_tokens:
            return None
        words = (
            f"max_tokens is too large: {output}. This model supports at most "
            f"{self.max_output_tokens} completion tokens."
        )
        return ServerError(400, error_body(words, param="max_tokens", code="invalid_value"))

    def _too_long(self, prompt: int, output: int) -> ServerError | None:
        # Without a cap there must still be room for a first token.
        if self.window is None or prompt + max(output, 1) <= self.window:
            return None
        return ServerError(*self.overflow(prompt, self.window, output))


def overflow_named(overflow: str | Overflow) -> Overflow:
    """The wording called *overflow*, or the function it is.

    Raises:
        ConfigError: there is no such wording.
    """
    if callable(overflow):
        return overflow
    if overflow not in OVERFLOWS:
        raise ConfigError(f"overflow must be one of {', '.join(OVERFLOWS)}, not {overflow!r}")
    return OVERFLOWS[overflow]


def checker(strict: bool | Checker) -> Checker | None:
    """`violations` for True, nothing for False, or the function given."""
    if callable(strict):
        return strict
    return violations if strict else None
