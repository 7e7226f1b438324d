"""Puts an engine in front of a client, in a class before the client's own."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from openai import AsyncOpenAI, OpenAI

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.clients.awaiting import Awaiting
from agentmaker.clients.blocking import Blocking
from agentmaker.clients.budgeted import Later, fresh
from agentmaker.clients.using import NOTHING

if TYPE_CHECKING:
    from agentmaker.clients.engine import Engine

C = TypeVar("C", bound=AsyncOpenAI | OpenAI)

MOST_SERVERS = 64
"""What was learnt of so many servers is remembered for a client and its copies."""


def budgeted(client: C, engine: Callable[[], Engine]) -> C:
    """A copy of *client* that goes through the *engine* made with its first request."""
    wrapped = fresh(client, _in_front_of(cast(Any, type(client))))
    wrapped.plain = client
    wrapped.bound = NOTHING
    wrapped.engines = Remembered(MOST_SERVERS)
    wrapped.warn = functools.cache(_warn_unbudgeted)
    wrapped.made = Later(engine)
    return cast(C, wrapped)


@functools.cache
def _in_front_of(kind: type[Any]) -> Any:
    front = Awaiting if issubclass(kind, AsyncOpenAI) else Blocking
    return type(kind.__name__, (front, kind), {"__module__": kind.__module__})


def _warn_unbudgeted() -> None:
    warnings.warn(
        "responses.create is not budgeted by agentmaker.wrap: use chat.completions.create",
        UserWarning,
        stacklevel=4,  # past post and the SDK's create, to the line that called it
    )
