"""Packages as JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from agentmaker.errors import ConfigError
from agentmaker.tasks.joining import joined
from agentmaker.tasks.package import Block, ContextPackage, Coverage, Diagnostic, Omission, Ref

_LISTS: Mapping[str, type[Block] | type[Ref] | type[Omission] | type[Diagnostic]] = {
    "blocks": Block,
    "refs": Ref,
    "omissions": Omission,
    "diagnostics": Diagnostic,
}


def to_dict(package: ContextPackage) -> dict[str, Any]:
    data = asdict(package)
    del data["embedding"]
    return {**data, **{name: list(data[name]) for name in _LISTS}}


def from_dict(data: Mapping[str, Any]) -> ContextPackage:
    try:
        package = ContextPackage(**{name: _read(name, value) for name, value in data.items()})
    except (TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"this is no package ({type(error).__name__}): give what ContextPackage.to_dict() "
            "returned, unchanged"
        ) from None
    blocks, refs, problems = joined(package.blocks, package.refs)
    return replace(package, blocks=blocks, refs=refs, diagnostics=(*package.diagnostics, *problems))


def _read(name: str, value: Any) -> Any:
    if name in _LISTS:
        return tuple(_LISTS[name](**each) for each in value)
    return Coverage(**value) if name == "coverage" else value
