"""Answers as dictionaries: what each key is to hold, written as a dictionary itself.

What may stand behind a key of a contract:

- a type that pydantic knows, or its name, as in ``int``, ``"list[str]"`` and ``"int|None"``;
- a pair of that and a description; there ``"P0|P1"`` says which texts there may be;
- another contract;
- a list of one element, which says what each of its elements is;
- any other text: the description of a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from agentmaker.context.knobs import kind_of
from agentmaker.errors import ConfigError

NAMED: Mapping[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "None": NoneType,
    "list": list[Any],
    "dict": dict[str, Any],
    "list[str]": list[str],
    "list[int]": list[int],
    "list[float]": list[float],
    "list[bool]": list[bool],
}
"""The types that a contract may name in words."""


def type_of(contract: Any, name: str = "output") -> Any:
    """The type of the values that *contract* describes: dictionaries, and what is in them.

    Raises:
        ConfigError: a part of it says nothing; named by its place, as in ``output['owner']``.
    """
    if isinstance(contract, Mapping):
        return _dictionary(contract, name)
    if _is_pair(contract):
        kind, description = contract
        return _described(_alternatives(kind, name) or type_of(kind, name), description)
    if isinstance(contract, list) and len(contract) == 1:
        return list[type_of(contract[0], f"{name}[0]")]  # type: ignore[misc]
    if isinstance(contract, str):
        return _named(contract) or _described(str, contract)
    if isinstance(contract, type) or get_origin(contract) is not None or contract is Any:
        return contract
    raise ConfigError(
        f"{name} says nothing of what is wanted ({kind_of(contract)}): give a type, a description, "
        "a pair of both, a dictionary, or a list of one of these"
    )


def words_of(contract: Any) -> Any:
    """*contract* as JSON that is a contract for the same; None where a type has no name."""
    if isinstance(contract, Mapping):
        words = {key: words_of(each) for key, each in contract.items()}
        return None if None in words.values() else words
    if isinstance(contract, str):
        return contract
    if isinstance(contract, (list, tuple)):
        kind, *description = contract
        words = words_of(kind)
        return None if words is None else [words, *description]
    parts = get_args(contract) if get_origin(contract) in (Union, UnionType) else (contract,)
    names = [name for part in parts for name, each in NAMED.items() if each == part]
    return "|".join(names) if len(names) == len(parts) else None


def _dictionary(contract: Mapping[Any, Any], name: str) -> Any:
    from pydantic import ConfigDict
    from typing_extensions import TypedDict

    if not contract or not all(isinstance(key, str) for key in contract):
        raise ConfigError(f"{name} is no dictionary of names: give it one key at least, all text")
    fields = {key: type_of(each, f"{name}[{key!r}]") for key, each in contract.items()}
    make: Any = TypedDict
    made = make("answer", fields)
    made.__pydantic_config__ = ConfigDict(extra="forbid")
    return made


def _described(kind: Any, description: str) -> Any:
    from pydantic import Field

    return Annotated[kind, Field(description=description)]


def _alternatives(kind: Any, name: str) -> Any:
    """The texts that *kind* lists; None where it lists none."""
    if not isinstance(kind, str) or _named(kind) is not None:
        return None
    parts = tuple(part.strip() for part in kind.split("|"))
    if len(parts) == 1 or not {"", *NAMED}.isdisjoint(parts):
        raise ConfigError(
            f"{name}: {kind!r} is neither a choice of texts, as in 'P0|P1', nor a type by its name "
            f"({', '.join(NAMED)}): give the type itself, as in list[dict] or Literal['None', 'P0']"
        )
    return Literal[parts]


def _named(words: str) -> Any:
    """The type that *words* name, None for none."""
    kinds = [NAMED.get(part.strip()) for part in words.split("|")]
    return None if None in kinds else reduce(or_, kinds)


def _is_pair(contract: Any) -> bool:
    pair = isinstance(contract, (list, tuple)) and len(contract) == 2
    return pair and isinstance(contract[1], str)
