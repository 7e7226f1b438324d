"""Public names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def names_of(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of *package*; *homes* says which module has which name."""
    held = vars(sys.modules[package])

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = held[name] = getattr(import_module(f"agentmaker.{homes[name]}"), name)
        return value

    def names() -> list[str]:
        return sorted({*held, *homes})

    return load, names
