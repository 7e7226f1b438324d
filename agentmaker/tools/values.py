"""A tool, what a call of it is given, and what came of the call."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentmaker.context.knobs import check_seconds, check_switch
from agentmaker.context.sources import Grant
from agentmaker.errors import ConfigError
from agentmaker.messages import ToolCall
from agentmaker.scope import Scope

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInfo:
    """What a call is given beside the model's arguments.

    Attributes:
        call: the call itself, for its id.
        grant: tokens its result has room for, and seconds until it is given up.
        scope: whose run it is.
    """

    call: ToolCall
    grant: Grant
    scope: Scope | None = None


Runner = Callable[[dict[str, Any], CallInfo], Awaitable[object]]
"""Does a tool's work: takes the model's arguments, which it checks, and what the call is given."""


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """Something a model may call. `agentmaker.tool` makes one of a function.

    Attributes:
        parameters: JSON schema of its arguments, an object.
        run: does the work; what it raises is told to the model.
        idempotent: may be run again when nobody knows whether it has run.
        confirm: has to be approved before it runs.
        timeout: seconds until a call is given up, None for no limit of its own.
        artefact: the argument that names the thing it reads (a file, a record), so that the
            thing can be shown again as it is by then; None for a tool that does not only read.
        function: what it was made of; calling the tool calls that.

    Raises:
        ConfigError: the name or an option cannot work.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Runner
    idempotent: bool = False
    confirm: bool = False
    timeout: float | None = None
    artefact: str | None = None
    function: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function it was made of, as a test of that does.

        Raises:
            TypeError: it was made of none.
        """
        if self.function is None:
            raise TypeError(f"tool {self.name!r} was made of no function: call it by run_calls")
        return self.function(*args, **kwargs)

    def __post_init__(self) -> None:
        _check_name(self.name)
        check_switch("idempotent", self.idempotent)
        check_switch("confirm", self.confirm)
        check_seconds("timeout", self.timeout)
        self._check_artefact()

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as a request's ``tools`` lists it."""
        # Some servers refuse a description that is empty.
        described = {"description": self.description} if self.description else {}
        function = {"name": self.name, **described, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}

    def _check_artefact(self) -> None:
        known = self.parameters.get("properties", {})
        if self.artefact is not None and self.artefact not in known:
            raise ConfigError(
                f"tool {self.name!r} has no argument {self.artefact!r} to name an artefact: "
                f"use one of {', '.join(known) or 'its arguments, of which it has none'}"
            )


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigError(
            f"a tool cannot be named {name!r}: give it a name of at most 64 letters, "
            "digits, _ and -, as in @tool(name='search')"
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one call; *text* is for the model, whether it *failed* or not.

    Attributes:
        reason: a short code: ``"ok"``, ``"unknown"`` (no such tool), ``"arguments"``,
            ``"failed"`` (it raised), ``"timeout"``, ``"busy"`` (earlier calls still hang),
            ``"unreadable"`` (no text can be made of what it returned).
    """

    call: ToolCall
    text: str
    failed: bool = False
    reason: str = "ok"


class BadArguments(Exception):
    """Raised by a tool whose arguments cannot be used; says which, and why."""
