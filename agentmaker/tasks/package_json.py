"""Packages as JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from types import NoneType
from typing import Any, TypeVar

from agentmaker.errors import ConfigError
from agentmaker.tasks.package import Block, ContextPackage, Coverage, Diagnostic, Omission, Ref
from agentmaker.tasks.references import joined

T = TypeVar("T", bound="Block | Ref | Omission | Diagnostic | Coverage | ContextPackage")

_LISTS: Mapping[str, type[Block] | type[Ref] | type[Omission] | type[Diagnostic]] = {
    "blocks": Block,
    "refs": Ref,
    "omissions": Omission,
    "diagnostics": Diagnostic,
}

_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "int | None": (int, NoneType),
    "bool": (bool,),
    "Completeness": (str,),
    "Reason": (str,),
    "Mapping[str, int]": (Mapping,),
    "Mapping[str, Any]": (Mapping,),
}
"""What a field may hold, by its annotation; the others are made here."""


def to_dict(package: ContextPackage) -> dict[str, Any]:
    data = asdict(package)
    del data["embedding"]
    return {**data, **{name: list(data[name]) for name in _LISTS}}


def from_dict(data: Mapping[str, Any]) -> ContextPackage:
    try:
        package = _package(data)
    except (TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"this is no package ({type(error).__name__}): give what ContextPackage.to_dict() "
            "returned, unchanged"
        ) from None
    blocks, refs, problems = joined(package.blocks, package.refs)
    return replace(package, blocks=blocks, refs=refs, diagnostics=(*package.diagnostics, *problems))


def _package(data: Mapping[str, Any]) -> ContextPackage:
    package = _made(ContextPackage, {name: _read(name, value) for name, value in data.items()})
    if not all(isinstance(number, int) for number in package.unlisted.values()):
        raise TypeError("unlisted")
    return package


def _read(name: str, value: Any) -> Any:
    if name == "embedding":
        raise TypeError(name)
    if name in _LISTS:
        return tuple(_made(_LISTS[name], each) for each in value)
    return _made(Coverage, value) if name == "coverage" else value


def _made(kind: type[T], data: Mapping[str, Any]) -> T:
    made = kind(**data)
    for field in fields(kind):
        expected = _TYPES.get(str(field.type))
        if expected and not isinstance(getattr(made, field.name), expected):
            raise TypeError(field.name)
    return made
