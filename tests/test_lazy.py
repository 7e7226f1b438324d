"""Public names are loaded when they are first used, and are then the package's own."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from agentmaker.errors import ConfigError
from agentmaker.lazy import names_of


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    package = ModuleType("package")
    monkeypatch.setitem(sys.modules, "package", package)
    load, names = names_of("package", {"ConfigError": "errors", "Gone": "errors"})
    vars(package).update(__getattr__=load, __dir__=names)
    return package


def test_a_name_is_loaded_once(package: ModuleType) -> None:
    assert "ConfigError" not in vars(package)
    assert package.ConfigError is ConfigError
    assert vars(package)["ConfigError"] is ConfigError


def test_names_are_listed_before_they_are_loaded(package: ModuleType) -> None:
    assert {"ConfigError", "__name__"} <= set(dir(package))


def test_there_are_no_other_names(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="module 'package' has no attribute 'Other'"):
        _ = package.Other
    assert not hasattr(package, "Gone")
