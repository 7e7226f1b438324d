"""A request as the parts it is made of."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.calls.ledger import Ledger
from agentmaker.errors import ContextWindowExceeded

SHOWN = 48
"""Characters of a text that a line of the table shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One part of a request: where it lands, what it costs, and its text as it is sent."""

    slot: str
    lands: str
    tokens: int
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A request as its parts.

    Attributes:
        rows: system message, tools and schema, what was said before, then the user's message.
            Their tokens add up to *total*. ``framing`` is what stands around messages, and
            between the parts of one.
        ledger: of the request, without what sources would give.
        refused: why it would not be sent: what must be in it does not fit. Rows and ledger then
            say what a window would hold that is large enough, where nothing is left out.
    """

    rows: tuple[Slot, ...]
    ledger: Ledger
    refused: ContextWindowExceeded | None = None

    @property
    def total(self) -> int:
        """Tokens of the whole prompt."""
        return self.ledger.estimate

    def __getitem__(self, slot: str) -> tuple[Slot, ...]:
        """The parts from *slot*; none where it is empty."""
        return tuple(row for row in self.rows if row.slot == slot)

    def __str__(self) -> str:
        """A table of the parts, each with the beginning of its text; below it why it is refused."""
        lines = [("slot", "lands in", "tokens", "text")]
        lines += [(row.slot, row.lands, f"{row.tokens:,}", _short(row.text)) for row in self.rows]
        lines.append(("total", "", f"{self.total:,}", ""))
        wide = [max(len(line[at]) for line in lines) for at in range(3)]
        table = [
            f"{slot:{wide[0]}}  {lands:{wide[1]}}  {tokens:>{wide[2]}}  {text}".rstrip()
            for slot, lands, tokens, text in lines
        ]
        return "\n".join([*table, *([str(self.refused)] if self.refused else [])])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 3]}..."
