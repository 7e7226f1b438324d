"""The tools of an agent, by name and in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from agentmaker.errors import ConfigError
from agentmaker.tools.functions import tool
from agentmaker.tools.values import Tool


class ToolRegistry:
    """Tools in the order given, which never changes: servers cache a prompt by its beginning.

    Plain functions become tools.

    Raises:
        ConfigError: two tools have one name, or no tool can be made of one.
    """

    __slots__ = ("_schemas", "_tools")

    def __init__(self, tools: Iterable[Tool | Callable[..., object]] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for each in tools:
            made = each if isinstance(each, Tool) else _made(each)
            if made.name in self._tools:
                raise ConfigError(
                    f"two tools are named {made.name!r}: give one another name, "
                    f"as in tool(function, name='{made.name[:62]}_2')"
                )
            self._tools[made.name] = made
        self._schemas = tuple(each.schema for each in self._tools.values())

    @property
    def schemas(self) -> tuple[dict[str, Any], ...]:
        """What a request's ``tools`` lists; the same objects every time."""
        return self._schemas

    def get(self, name: str) -> Tool | None:
        """The tool of that name, None where there is none."""
        return self._tools.get(name)

    def with_tools(self, *tools: Tool | Callable[..., object]) -> ToolRegistry:
        """A new registry with *tools* behind those of this one.

        Raises:
            ConfigError: a name is taken.
        """
        return ToolRegistry([*self, *tools])

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools


def _made(function: Callable[..., object] | None) -> Tool:
    if function is None:  # tool() takes that for a decorator's call
        raise ConfigError("a tool is made of a function, not of None: leave it out of the list")
    return tool(function)
