"""What was mended, in words without content."""

from __future__ import annotations

NAMED = 5
"""So many places of one kind of defect are named, the others counted."""

_LONGEST = 64


class Defects:
    """Defects by kind, each with where it was: a message's place or a call's id."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, kind: str, place: str) -> None:
        self._places.setdefault(kind, []).append(place[:_LONGEST])

    def lines(self) -> tuple[str, ...]:
        """One line a kind, such as ``"content mended: messages[3], messages[7]"``."""
        return tuple(f"{kind}: {_named(places)}" for kind, places in self._places.items())


def _named(places: list[str]) -> str:
    more = len(places) - NAMED
    named = ", ".join(places[:NAMED])
    return f"{named} and {more} more" if more > 0 else named
