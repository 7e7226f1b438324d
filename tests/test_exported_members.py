from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import agentmaker


def typed_names() -> dict[str, str]:
    """Name and module of every import under ``if TYPE_CHECKING``."""
    tree = ast.parse(Path(agentmaker.__file__).read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    return {
        alias.asname or alias.name: (node.module or "").removeprefix("agentmaker.")
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_the_public_names_are_sorted() -> None:
    assert list(agentmaker.__all__) == sorted(agentmaker.__all__)


def test_type_checkers_see_the_same_names_in_the_same_places() -> None:
    assert typed_names() == agentmaker._HOMES
    assert set(agentmaker.__all__) == set(agentmaker._HOMES)


@pytest.mark.parametrize("name", agentmaker.__all__)
def test_every_public_name_can_be_used(name: str) -> None:
    assert getattr(agentmaker, name) is not None
    assert name in dir(agentmaker)


@pytest.mark.parametrize("name", agentmaker.__all__)
def test_every_public_class_and_function_says_what_it_is_for(name: str) -> None:
    member = getattr(agentmaker, name)
    if inspect.isclass(member) or inspect.isfunction(member):
        assert member.__doc__
        assert not member.__doc__.startswith(f"{name}("), "dataclasses write such a line themselves"


def test_every_error_is_public() -> None:
    from agentmaker import errors

    classes = {name for name, member in vars(errors).items() if inspect.isclass(member)}
    assert classes <= set(agentmaker.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = agentmaker.nothing
