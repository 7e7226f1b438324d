"""Where candidates come from: one interface for memories, knowledge bases and plain functions."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncIterable, Callable
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import Parameter
from typing import Any, Literal, TypeVar

from agentmaker.context.candidates import aread_candidates, read_candidates
from agentmaker.context.knobs import check_seconds
from agentmaker.context.results import RetrievalResult
from agentmaker.context.threads import DaemonThreads, is_async
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Grant:
    """The room a source is told before it works.

    Attributes:
        tokens: its share of the block; what others leave free comes on top.
        deadline: seconds from now until it is given up, None for no limit.
        counter: counts as the block does.
    """

    tokens: int
    deadline: float | None
    counter: TokenCounter


class ContextSource(ABC):
    """A supplier of candidates; *name* decides which quota they draw on.

    Subclasses write `fetch`, and override `afetch` where they are async. Either may take a
    keyword ``grant`` to be told its room. A *required* source that fails or is late stops the
    turn. *timeout* is in seconds, None for the builder's own.
    """

    name: str
    required: bool = False
    timeout: float | None = None

    @abstractmethod
    def fetch(self, query: str, scope: Scope | None = None) -> list[RetrievalResult]:
        """Candidates for *query*, called in a thread of its own."""

    async def afetch(
        self, query: str, scope: Scope | None = None, *, grant: Grant | None = None
    ) -> list[RetrievalResult]:
        """Run `fetch` in a daemon thread, which is left to itself when this is cancelled."""
        granted = {"grant": grant} if accepts_grant(self.fetch) else {}
        fetch = partial(self.fetch, query, scope, **granted)
        # Read in the thread as well: the results may be a generator.
        return await self._in_thread(lambda: read_candidates(fetch(), self.name))

    async def _in_thread(self, function: Callable[[], T]) -> T:
        return await self._threads.run(function)

    @cached_property
    def _threads(self) -> DaemonThreads:
        return DaemonThreads()


class CallableSource(ContextSource):
    """Any function of ``(query)`` or ``(query, scope)`` as a source, sync or async.

    With *pass_scope* None, a second positional parameter is given the scope, unless it has a
    default and is neither named ``scope`` nor annotated `Scope`. True passes it in any case,
    by keyword where possible; False never does. A parameter named ``grant`` is given a `Grant`.

    Raises:
        ConfigError: the name is empty or *timeout* is no positive number.
        TypeError: *fn* cannot be called so.
    """

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        *,
        pass_scope: bool | None = None,
        required: bool = False,
        timeout: float | None = None,
    ) -> None:
        if not callable(fn):
            raise TypeError(f"source {name!r} needs a function, not {type(fn).__name__}")
        self.name = _checked_name(name)
        self.required = required
        self.timeout = check_seconds("timeout", timeout)
        self._fn = fn
        self._async = is_async(fn)
        self._scope_by = _scope_by(name, fn, pass_scope)
        self._granted = accepts_grant(fn)
        self._check_call()

    def fetch(
        self, query: str, scope: Scope | None = None, *, grant: Grant | None = None
    ) -> list[RetrievalResult]:
        """Call the function here and now.

        Raises:
            TypeError: it is async.
        """
        if not self._async:
            found = self._read(query, scope, grant)
            if isinstance(found, list):
                return found
            if inspect.iscoroutine(found):
                found.close()
        raise TypeError(f"source {self.name!r} is async: await afetch(...) instead")

    async def afetch(
        self, query: str, scope: Scope | None = None, *, grant: Grant | None = None
    ) -> list[RetrievalResult]:
        """Await an async function; run any other in a daemon thread."""
        if self._async:
            found = self._call(query, scope, grant)
        else:
            found = await self._in_thread(lambda: self._read(query, scope, grant))
        if inspect.isawaitable(found):
            found = await found
        return await aread_candidates(found, self.name)

    def _read(self, query: str, scope: Scope | None, grant: Grant | None) -> Any:
        """The results, or what has yet to be awaited."""
        found = self._call(query, scope, grant)
        later = inspect.isawaitable(found) or isinstance(found, AsyncIterable)
        return found if later else read_candidates(found, self.name)

    def _call(self, query: str, scope: Scope | None, grant: Grant | None) -> Any:
        args, kwargs = self._arguments(query, scope, grant)
        return self._fn(*args, **kwargs)

    def _arguments(
        self, query: str, scope: Scope | None, grant: Grant | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args = (query, scope) if self._scope_by == "position" else (query,)
        kwargs: dict[str, Any] = {"scope": scope} if self._scope_by == "keyword" else {}
        return args, {**kwargs, "grant": grant} if self._granted else kwargs

    def _check_call(self) -> None:
        signature = _signature(self._fn)
        if signature is None:
            return
        args, kwargs = self._arguments("", None, None)
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"source {self.name!r}: the function cannot be called with the query ({error}): "
                "wrap it in a lambda"
            ) from None


def _checked_name(name: object) -> str:
    if isinstance(name, str) and name:
        return name
    raise ConfigError(f"a source's name is a key of source_ratios, not {name!r}")


def accepts_grant(function: Callable[..., Any]) -> bool:
    """Whether *function* has a parameter of that name."""
    return "grant" in _parameters(function)


def _scope_by(
    name: str, fn: Callable[..., Any], pass_scope: bool | None
) -> Literal["position", "keyword"] | None:
    second = _second_positional(fn)
    if pass_scope is None:
        return "position" if second is not None and _means_scope(second) else None
    if not pass_scope:
        return None
    if _has_keyword(fn, "scope"):
        return "keyword"
    if second is not None:
        return "position"
    raise TypeError(
        f"source {name!r}: the function takes no scope: "
        "give it a parameter `scope`, or leave pass_scope out"
    )


def _second_positional(fn: Callable[..., Any]) -> Parameter | None:
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    positional = [
        each for each in _parameters(fn).values() if each.kind in kinds and each.name != "grant"
    ]
    return positional[1] if len(positional) > 1 else None


def _means_scope(parameter: Parameter) -> bool:
    return (
        parameter.default is Parameter.empty
        or parameter.name == "scope"
        or "Scope" in str(parameter.annotation)
    )


def _has_keyword(fn: Callable[..., Any], name: str) -> bool:
    signature = _signature(fn)
    if signature is None:
        return True
    found = signature.parameters.get(name)
    if found is not None:
        return found.kind is not Parameter.POSITIONAL_ONLY
    return any(each.kind is Parameter.VAR_KEYWORD for each in signature.parameters.values())


def _parameters(fn: Callable[..., Any]) -> dict[str, Parameter]:
    signature = _signature(fn)
    return dict(signature.parameters) if signature else {}


def _signature(fn: Callable[..., Any]) -> inspect.Signature | None:
    # Some functions written in C do not tell.
    try:
        return inspect.signature(fn)
    except (TypeError, ValueError):
        return None
