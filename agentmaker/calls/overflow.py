"""A prompt that the server refused as too long, on its way from the transport to Recovery."""

from __future__ import annotations

from agentmaker.calls.faults import fault_in
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.sizes import Overflow

__all__ = ["Overflow", "PromptRefused", "overflow_in"]


class PromptRefused(Exception):
    """Raised by the transport when the server found the prompt too long; Recovery's to catch."""

    def __init__(self, overflow: Overflow, ledger: Ledger | None, error: Exception) -> None:
        super().__init__(overflow.message)
        self.overflow = overflow
        self.ledger = ledger
        self.error = error


def overflow_in(error: BaseException) -> Overflow | None:
    """The overflow that *error* reports, None when it is something else."""
    fault = fault_in(error)
    return fault.overflow if fault else None
