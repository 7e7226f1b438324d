"""What servers say of sizes, and a prompt that was refused for its own."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.calls.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow:
    """What a server said when it refused a prompt as too long; None where it did not say.

    Attributes:
        message: its words.
        limit: tokens it can hold.
        prompt: tokens it counted in the prompt.
        output: tokens asked for the reply.
        total: tokens asked for in all.
        excess: by how many tokens prompt and reply are over the limit.
    """

    message: str
    limit: int | None = None
    prompt: int | None = None
    output: int | None = None
    total: int | None = None
    excess: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """Tokens that a rate limit allows in its time, and tokens of the request it stopped."""

    limit: int
    requested: int

    @property
    def exceeds(self) -> bool:
        """Whether the request alone is over the limit: then no wait lets it through."""
        return self.requested > self.limit


class PromptRefused(Exception):
    """Raised by the transport when the server found the prompt too long; Recovery's to catch.

    A *silent* one is a guess: the server said nothing at all. *learnt* says whether calibration
    has learnt from its count, so that what is planned next is counted like it.
    """

    def __init__(
        self,
        overflow: Overflow,
        ledger: Ledger | None,
        error: Exception,
        *,
        silent: bool = False,
    ) -> None:
        super().__init__(overflow.message)
        self.overflow = overflow
        self.ledger = ledger
        self.error = error
        self.silent = silent
        self.learnt = False
