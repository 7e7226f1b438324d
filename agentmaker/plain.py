"""Values as JSON has them: read, written, and compared by what is written."""

from __future__ import annotations

import json
import marshal
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import is_
from sys import intern
from typing import Any

DEEPEST = 64
"""Levels of a message that are looked at."""

SHORT = 16
"""Characters of a word that messages share, such as a role or a tool's name."""

_JSON = frozenset({str, int, float, bool, type(None)})
_WITHOUT_REFERENCES = 2  # later versions of marshal's format depend on which objects are the same


def plain(value: Any, depth: int = DEEPEST) -> Any:
    """*value* as JSON has it, the same object where it is that already.

    Objects become what they dump, what can only be gone through once becomes a list, and keys
    that the SDK would leave out are gone. What is none of these stays, as does what is deeper
    than *depth*.
    """
    if type(value) in _JSON or isinstance(value, (str, bytes)) or not depth:
        return value
    if type(value) is dict and _JSON.issuperset(map(type, value.values())):
        return value
    if type(value) is dict or isinstance(value, Mapping):
        clean = {
            key: item if type(item) in _JSON else plain(item, depth - 1)
            for key, item in value.items()
            if type(item) in _JSON or not is_absent(item)
        }
        same = len(clean) == len(value) and all(map(is_, clean.values(), value.values()))
        return value if same else clean
    if isinstance(value, (list, tuple)):
        items = [plain(item, depth - 1) for item in value]
        return value if all(map(is_, items, value)) else items
    if can_dump(value):
        return dumped(value)
    return [plain(item, depth - 1) for item in value] if isinstance(value, Iterable) else value


@lru_cache(maxsize=256)
def is_mapping_type(kind: type) -> bool:
    """Whether objects of *kind* are mappings: to ask that of each object takes much longer."""
    return issubclass(kind, Mapping)


def can_dump(value: Any) -> bool:
    """Whether it is an object of the SDK's, or another that pydantic made."""
    return callable(getattr(value, "model_dump", None)) and not isinstance(value, type)


def dumped(value: Any) -> Any:
    """What the SDK itself sends for its own objects; servers fill them with what they like."""
    return shared(value.model_dump(exclude_unset=True, mode="json", warnings=False))


def is_absent(value: Any) -> bool:
    """Whether *value* is one by which the SDK says that nothing was given."""
    return type(value).__name__ in ("NotGiven", "Omit")


def dumps(value: Any) -> str:
    """JSON as chat templates print it; odd values become their text instead of raising."""
    return json.dumps(value, ensure_ascii=False, default=str)


def exactly(value: Any) -> bytes | str:
    """The same for what is written alike, which to Python True, 1 and 1.0 are not.

    Raises:
        Exception: whatever an object in it raises when it is read.
    """
    try:
        return marshal.dumps(value, _WITHOUT_REFERENCES)
    except ValueError:  # it is no plain value
        return dumps(plain(value))


def is_exactly(value: Any, other: Any) -> bool:
    """Whether *value* and *other*, which are equal, are written alike."""
    one, two = exactly(value), exactly(other)
    return one == two or (type(one) is not type(two) and dumps(plain(value)) == dumps(plain(other)))


def shared(value: Any) -> Any:
    """*value*, which is new JSON, with the keys and short words that nearly all messages have."""
    if type(value) is str:
        return intern(value) if len(value) <= SHORT else value
    if type(value) is dict:
        return dict(zip(map(intern, value), map(shared, value.values()), strict=True))
    return [*map(shared, value)] if type(value) is list else value
