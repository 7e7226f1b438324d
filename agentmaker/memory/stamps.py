"""By what one sees that something was changed."""

from __future__ import annotations

from collections.abc import Collection
from secrets import token_hex

from agentmaker.memory.shelf import Shelf
from agentmaker.scope import Scope

Place = tuple[Scope, str]
"""A scope's documents of one kind."""


def new_stamp() -> str:
    """A text that nobody had before: no clock, and no count that a copy of a store would repeat."""
    return token_hex(12)


class Stamps:
    """The stamps of the *most* places changed last; the others share one, newer than theirs."""

    def __init__(self, *, most: int) -> None:
        self._latest: Shelf[Place, str] = Shelf(most=most, heaviest=0, full="")
        self._others = ""

    def of(self, place: Place) -> str:
        return self._latest.get(place) or self._others

    def change(self, places: Collection[Place]) -> None:
        for place in places:
            if self._latest.put(place, new_stamp(), 0):
                self._others = new_stamp()
