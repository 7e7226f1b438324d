from __future__ import annotations

import pytest

from agentmaker.errors import ConfigError
from agentmaker.tools import Tool, ToolRegistry, tool


def b() -> None: ...


def a() -> None: ...


def c() -> None: ...


def test_case_113_tools_stay_in_the_order_given():
    registry = ToolRegistry([b, tool(a), c])
    assert [each.name for each in registry] == ["b", "a", "c"]
    assert [each["function"]["name"] for each in registry.schemas] == ["b", "a", "c"]


def test_the_schemas_are_made_once():
    registry = ToolRegistry([b, a])
    assert registry.schemas is registry.schemas
    assert isinstance(registry.schemas, tuple)


def test_tools_are_found_by_name():
    made = tool(a)
    registry = ToolRegistry([b, made])
    assert registry.get("a") is made
    assert registry.get("d") is None
    assert "a" in registry
    assert "d" not in registry
    assert made not in registry
    assert len(registry) == 2
    assert not ToolRegistry()


def test_with_tools_makes_another_registry():
    registry = ToolRegistry([b])
    more = registry.with_tools(a, tool(c))
    assert [each.name for each in more] == ["b", "a", "c"]
    assert [each.name for each in registry] == ["b"]


@pytest.mark.parametrize(
    "make", [lambda: ToolRegistry([a, a]), lambda: ToolRegistry([a]).with_tools(a)]
)
def test_two_tools_of_one_name_are_refused_with_what_to_do(make):
    with pytest.raises(ConfigError, match=r"two tools are named 'a'.*tool\(function, name='a_2'\)"):
        make()


def test_a_name_that_servers_refuse_is_refused_here():
    async def run(arguments, given): ...

    with pytest.raises(ConfigError, match=r"'my\.tool'.*letters"):
        ToolRegistry([Tool("my.tool", "", {"type": "object"}, run)])
    with pytest.raises(ConfigError, match="<lambda>"):
        ToolRegistry([lambda: 1])


def test_the_registry_has_nothing_to_set():
    with pytest.raises(AttributeError):
        ToolRegistry().schemas = ()
