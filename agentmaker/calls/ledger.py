"""Where every token of a window went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentmaker.context.results import SourceOutcome

ROWS = (
    "output",
    "system",
    "tools",
    "response_format",
    "block",
    "history",
    "question",
    "trajectory",
    "margin",
    "free",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One stream's account, in tokens: what it was given, what it used, what was dropped."""

    name: str
    allotted: int = 0
    used: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The whole window as rows whose *used* adds up to *window*, none of them negative.

    Attributes:
        window: tokens the model can hold, output included.
        rows: one per stream, in the order of ``ROWS``.
        estimate: tokens of the prompt as counted before it was sent.
        counter: the name of the counter used.
        prefix_kept: share of the previous request's characters that this one begins
            with, None for the first request of a conversation.
        sources: what each source gave.
        reductions: what was done to make it fit, in words like ``"trajectory: 12 units dropped"``.
        repairs: defects mended on the way to the wire.
        lost: facts of the removed text that the recap had no room for.
        factor: tokens of the prompt by the provider's count, as far as it is known, for one by
            the counter's.
        samples: prompts of this model counted by the provider, from which that was learnt.
        last_error: (estimate - provider's count) / provider's count of the one before.

    Raises:
        ValueError: a row is negative or the rows do not add up.
    """

    window: int
    rows: tuple[Row, ...]
    estimate: int
    counter: str = "estimate"
    prefix_kept: float | None = None
    sources: tuple[SourceOutcome, ...] = ()
    reductions: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    factor: float = 1.0
    samples: int = 0
    last_error: float | None = None

    def __post_init__(self) -> None:
        used = 0
        for row in self.rows:
            if row.allotted < 0 or row.used < 0 or row.dropped < 0:
                raise ValueError("a ledger row is negative")
            used += row.used
        if used != self.window:
            raise ValueError("the ledger's rows do not add up to its window")

    def __getitem__(self, name: str) -> Row:
        """The row called *name*; a row of zeros when the window has no such stream.

        Raises:
            KeyError: there is no stream of that name.
        """
        for row in self.rows:
            if row.name == name:
                return row
        if name not in ROWS:
            raise KeyError(f"no row {name!r}: a ledger has {', '.join(ROWS)}")
        return Row(name=name)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __str__(self) -> str:
        """A table of the rows that have something to say."""
        lines = [f"{'':16}{'allotted':>10}{'used':>10}{'dropped':>10}"]
        for row in self.rows:
            if row.used or row.dropped:
                lines.append(f"{row.name:16}{row.allotted:10,}{row.used:10,}{row.dropped:10,}")
        return "\n".join([*lines, f"{'window':16}{'':10}{self.window:10,}{self.dropped:10,}"])

    @property
    def dropped(self) -> int:
        """Tokens of the conversation that were left out."""
        return sum(row.dropped for row in self.rows)
