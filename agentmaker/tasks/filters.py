"""What a caller asks for by name: paths, roles, bindings and refs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from typing import TypeAlias

from agentmaker.errors import ConfigError
from agentmaker.tasks.source import Descriptor

Names: TypeAlias = Collection[str]


def names(what: str, given: Iterable[str]) -> tuple[str, ...]:
    """*given* in order, each once; a single string is one name.

    Raises:
        ConfigError: one of them is no string.
    """
    listed = (given,) if isinstance(given, str) else tuple(given)
    if all(isinstance(each, str) for each in listed):
        return tuple(dict.fromkeys(listed))
    raise ConfigError(f"{what} are strings: pass {what}=['...']")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which of the items a consumer may see are candidates; an empty filter lets all through.

    Attributes:
        paths: patterns of refs; ``*`` matches any characters, ``/`` too, and ``?`` one.
        refs: read before all others, whatever the other filters say.
        skip: refs that are not wanted.
    """

    paths: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    bindings: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    @classmethod
    def of(cls, **given: Iterable[str]) -> Filters:
        """Read what a caller gives."""
        return cls(**{what: names(what, each) for what, each in given.items()})

    @property
    def test(self) -> Callable[[Descriptor], bool] | None:
        """Whether an item is let through; None when everything is."""
        if not (self.paths or self.roles):
            return None
        path = _any_of(self.paths)
        roles = frozenset(self.roles)
        return lambda each: (
            (not path or bool(path.match(each.ref))) and (not roles or each.role in roles)
        )


@lru_cache(maxsize=256)
def _any_of(paths: tuple[str, ...]) -> re.Pattern[str] | None:
    # "**/" also stands for no folder at all.
    every = {*paths, *(path.removeprefix("**/") for path in paths)}
    # Brackets stand for themselves, as in the name "[id].tsx".
    plain = (path.replace("[", "[[]") for path in sorted(every))
    return re.compile("|".join(map(translate, plain))) if paths else None
