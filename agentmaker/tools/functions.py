"""Makes a tool of a typed function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, overload

import anyio

from agentmaker.context.threads import DaemonThreads, is_async
from agentmaker.context.together import is_cancellation
from agentmaker.errors import ConfigError, ToolError
from agentmaker.tools.docstrings import doc_of, purpose_of
from agentmaker.tools.parameters import Parameters, parameters_for
from agentmaker.tools.values import CallInfo, Tool

Function = Callable[..., object]


@overload
def tool(
    function: Function,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    about: Mapping[str, str] | None = None,
    idempotent: bool = False,
    confirm: bool = False,
    timeout: float | None = None,
    artefact: str | None = None,
) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    about: Mapping[str, str] | None = None,
    idempotent: bool = False,
    confirm: bool = False,
    timeout: float | None = None,
    artefact: str | None = None,
) -> Callable[[Function], Tool]: ...


def tool(
    function: Function | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    about: Mapping[str, str] | None = None,
    **options: Any,
) -> Tool | Callable[[Function], Tool]:
    """A `Tool` made of a typed function, sync or async, a bound method or a callable object.

    Its parameters become the schema; the first paragraph of its docstring is the description.
    Parameters are described by ``Annotated[..., Field(description=...)]`` or the docstring
    (Google or Sphinx style), or by what *about* says of them.

    - Arguments that no parameter takes are refused.
    - A parameter named ``grant`` is not the model's: it is given a `Grant`.
    - Nor is one annotated `Scope`: it is given the scope of the run, None where there is none.
    - A sync function runs in a daemon thread, which is left to itself when it is given up.
    - What a generator yields is one result, a list.
    - One that calls ``sys.exit`` ends itself alone, and has failed unless its code is 0 or None.

    Raises:
        ConfigError: no schema can be made of it, or an option of `Tool` cannot work.
    """
    if function is None:
        return partial(tool, name=name, description=description, about=about, **options)
    if not callable(function):
        raise ConfigError(
            f"a tool is made of a function, not of {type(function).__name__}; "
            "an agent becomes one by its as_tool()"
        )
    name = name if name is not None else _name_of(function)
    parameters = parameters_for(name, function, about or {})
    return Tool(
        name=name,
        description=purpose_of(doc_of(function)) if description is None else description,
        parameters=parameters.schema,
        function=function,
        run=_Run(function, parameters, is_async=is_async(function)),
        **options,
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """Calls the function: on the event loop when it is async, else in a thread."""

    function: Function
    parameters: Parameters
    is_async: bool
    threads: DaemonThreads = field(default_factory=DaemonThreads)

    async def __call__(self, arguments: dict[str, Any], info: CallInfo) -> object:
        args, kwargs = self.parameters.read(arguments, info)
        work = partial(self.function, *args, **kwargs)
        try:
            if self.is_async:
                return await _awaited(work())
            result = await self.threads.run(lambda: _yielded(work()))
            if inspect.isasyncgen(result) or inspect.isawaitable(result):
                return await _in_a_task(result)
            return result
        except SystemExit as end:
            if end.code in (None, 0):
                return None
            raise ToolError(f"it called sys.exit({end.code!r})") from end


async def _awaited(result: object) -> object:
    if inspect.isasyncgen(result):
        return [each async for each in result]
    return await result if inspect.isawaitable(result) else result


async def _in_a_task(result: object) -> object:
    """What comes of *result*, whose context variables stay its own."""
    came: list[object] = []
    faults: list[BaseException] = []

    async def one() -> None:
        try:
            came.append(await _awaited(result))
        except BaseException as fault:
            if is_cancellation(fault):
                raise
            faults.append(fault)  # raised below, so that it does not arrive in an exception group

    async with anyio.create_task_group() as group:
        group.start_soon(one)
    for fault in faults:
        raise fault
    return came[0]


def check_arguments(tool: Tool, arguments: dict[str, Any], info: CallInfo) -> None:
    """Whether a *tool* that was made of a function can be called with them.

    Raises:
        BadArguments: it cannot.
    """
    if isinstance(tool.run, _Run):
        tool.run.parameters.read(arguments, info)


def is_threaded(tool: Tool | None) -> bool:
    """Whether a call of *tool* is at work in a thread."""
    return tool is not None and isinstance(tool.run, _Run) and not tool.run.is_async


def _yielded(result: object) -> object:
    """*result*, and of one that is still to be made all of it: that may block as well."""
    return list(result) if isinstance(result, Iterator) else result


def _name_of(function: Function) -> str:
    named = function.func if isinstance(function, partial) else function
    return str(getattr(named, "__name__", type(named).__name__))
