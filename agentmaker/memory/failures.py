"""How often in a row the compaction of a session failed: after a while nobody is asked again."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.context.compaction import Compacted

FAILURES = 3
"""So many failures in a row, and nobody is asked again until something new was said."""

PAUSE = 8
"""After each further failure, so many turns have to be said before somebody is asked again."""


@dataclass(slots=True)
class Failures:
    """Those in a row, and how many turns had been *said* at the last attempt."""

    in_a_row: int = 0
    said: int = 0

    def too_many(self, said: int) -> bool:
        """Whether to ask nobody now that so many turns were *said*."""
        new = 1 if self.in_a_row == FAILURES else PAUSE
        return self.in_a_row >= FAILURES and 0 <= said - self.said < new

    def booked(self, said: int, done: Compacted) -> Compacted:
        """*done*, which came of a compaction when so many turns were *said*."""
        self.in_a_row = 0 if done.outcome == "applied" else self.in_a_row
        self.in_a_row += done.outcome == "failed"
        self.said = said
        return done
