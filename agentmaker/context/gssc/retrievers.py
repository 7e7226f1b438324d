"""Whatever memory or knowledge base is given, as a source."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any, Protocol, TypeAlias, runtime_checkable

from agentmaker.context.gssc.found import LEAST_IMPORTANCE
from agentmaker.context.sources import CallableSource, ContextSource


@runtime_checkable
class Searching(Protocol):
    """Has a ``search(query, ...)``, sync or async, that returns what a source may return."""

    @property
    def search(self) -> Callable[..., Any]: ...


@runtime_checkable
class Retrieving(Protocol):
    """The same under the name ``retrieve``."""

    @property
    def retrieve(self) -> Callable[..., Any]: ...


Retriever: TypeAlias = ContextSource | Searching | Retrieving | Callable[..., Any]

_LIMITS = ("limit", "top_k", "k")


def source_of(given: Retriever, name: str, *, limit: int) -> ContextSource:
    """*given* as a source; it is told *limit*, the least importance of a memory and the scope
    where it has parameters for them.

    Raises:
        TypeError: nothing in it can be asked.
    """
    if isinstance(given, ContextSource):
        return given
    ask = _function(given, name)
    known = _parameters(ask)
    bound: dict[str, float] = next(({each: limit} for each in _LIMITS if each in known), {})
    if "min_importance" in known:
        bound["min_importance"] = LEAST_IMPORTANCE
    return CallableSource(name, partial(ask, **bound), pass_scope="scope" in known or None)


def _function(given: Retriever, name: str) -> Callable[..., Any]:
    if isinstance(given, Searching):
        return given.search
    if isinstance(given, Retrieving):
        return given.retrieve
    if callable(given):
        return given
    raise TypeError(
        f"{name} must be a source, a function, or have search() or retrieve(), "
        f"not {type(given).__name__}"
    )


def _parameters(function: Callable[..., Any]) -> frozenset[str]:
    try:
        return frozenset(signature(function).parameters)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return frozenset()
