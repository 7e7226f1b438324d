"""Tools and response formats, which are the same from call to call: read and written once.

Like messages they are compared with what is given by value, so that a change in place is seen.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.calls.memory.written import encoded
from agentmaker.plain import dumps, exactly
from agentmaker.tokens import TokenCounter

Read = Callable[[list[Any]], Sequence[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What schemas said when they were given, and what they were read as."""

    said: bytes | str
    read: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class _Written:
    """Schemas that were read, as JSON, and the tokens of that by the counter's id."""

    schemas: Any
    text: str
    tokens: Remembered[int, tuple[TokenCounter, int]]

    @cached_property
    def json(self) -> bytes | None:
        return _encoded(_listed(self.schemas))


class Schemas:
    """The last *maximum* lists of schemas."""

    def __init__(self, maximum: int = 64) -> None:
        self._known: Remembered[Hashable, _Known] = Remembered(maximum)
        self._written: Remembered[int, _Written] = Remembered(2 * maximum)
        self._latest: _Written | None = None

    def read(self, given: list[Any], read: Read) -> tuple[Any, ...]:
        """What *read* makes of *given*; the same objects as long as that says the same."""
        mark = _mark(given)
        known = self._known.get(mark)
        try:
            said = exactly(given)
            if known is not None and known.said == said:
                return known.read
            copied = copy.deepcopy(given)
        except Exception:  # whatever an object of the caller's raises
            return tuple(read(given))
        known = _Known(said, tuple(read(copied)))
        self._known.put(mark, known)
        return known.read

    def tokens(self, schemas: Any, counter: TokenCounter) -> int:
        """Tokens of the JSON of *schemas*, a tuple of them or one; 0 for none."""
        if not schemas:
            return 0
        written = self._of(schemas)
        known = written.tokens.get(id(counter))
        if known is None or known[0] is not counter:
            known = counter, counter(written.text)
            written.tokens.put(id(counter), known)
        return known[1]

    def text(self, schemas: Any) -> str:
        """Their JSON as it is counted."""
        return self._of(schemas).text

    def digest(self, schemas: Any) -> int:
        """The same for the same *schemas*, while this process runs; 0 for none."""
        return hash(self._of(schemas).text) if schemas else 0

    def json(self, schemas: Any) -> bytes | None:
        """*schemas* as the SDK would write them; None for what only it can write."""
        return self._of(schemas).json

    def _of(self, schemas: Any) -> _Written:
        latest = self._latest
        if latest is not None and latest.schemas is schemas:
            return latest  # of one call they are asked more than once
        known = self._written.get(id(schemas))
        if known is None or known.schemas is not schemas:
            known = _Written(schemas, dumps(_listed(schemas)), Remembered(8))
            self._written.put(id(schemas), known)
        self._latest = known
        return known


def _listed(schemas: Any) -> Any:
    return list(schemas) if isinstance(schemas, tuple) else schemas


def _encoded(value: Any) -> bytes | None:
    try:
        return encoded(value).encode()
    except (TypeError, ValueError, RecursionError):
        return None


def _mark(given: list[Any]) -> Hashable:
    """How many there are, and what the first and the last are called."""
    return len(given), *[_name(each) for each in (*given[:1], *given[1:][-1:])]


def _name(schema: Any) -> str:
    if type(schema) is not dict and not isinstance(schema, Mapping):  # an ABC is slow
        return type(schema).__name__
    inner = schema.get(str(schema.get("type")))
    if type(inner) is dict or isinstance(inner, Mapping):
        return str(inner.get("name"))
    return ""
