"""Whether a client's ``create`` is still the SDK's own, or another's: a tracer's, a test's."""

from __future__ import annotations

import sys
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from types import FunctionType
from typing import Any, Literal

from openai import AsyncOpenAI

Patch = Literal["class", "instance"]

_CLASSES = "openai.resources.chat.completions.completions"
_WAY = (
    "openai.resources.chat",
    "openai.resources.chat.chat",
    "openai.resources.chat.completions",
    _CLASSES,
)


def patch_of(client: Any) -> Patch | None:
    """Where something has taken the place of *client*'s ``create``; None where nothing has."""
    if _on_instance(client):
        return "instance"
    return None if _is_whole(type(client)) else "class"


def _on_instance(client: Any) -> bool:
    """Whether a resource that the client holds, or its ``create``, was replaced."""
    holder = client
    for name in ("chat", "completions"):
        if name not in vars(holder):
            return False
        holder = vars(holder)[name]
        if not _is_sdks(type(holder).__module__):
            return True
    return "create" in vars(holder)


def _is_whole(kind: Any) -> bool:
    """Whether the classes lead from a client of *kind* to the SDK's own ``create``."""
    return all(map(_is_own, (_getter(kind.chat), *_resources(issubclass(kind, AsyncOpenAI)))))


def _resources(awaits: bool) -> tuple[Any, ...]:
    """The rest of the way; none before it is loaded, as nobody can have replaced it then.

    It takes more than a megabyte, and agents post without it.
    """
    if _CLASSES not in sys.modules and not _is_awaited():
        return ()
    from openai.resources.chat import AsyncChat, Chat
    from openai.resources.chat.completions import AsyncCompletions, Completions

    chat, completions = (AsyncChat, AsyncCompletions) if awaits else (Chat, Completions)
    return _getter(chat.completions), completions.create


@cache
def _is_awaited() -> bool:
    """Whether a tracer waits for the classes to be loaded, to replace them then."""
    specs = map(find_spec, _WAY)
    return any(spec is None or type(spec.loader) is not SourceFileLoader for spec in specs)


def _getter(found: Any) -> Any:
    """The function behind a cached property."""
    return getattr(found, "func", found)


def _is_own(function: Any) -> bool:
    # A wrapper of another's may bear the name, the module and even the code of what it wraps.
    return type(function) is FunctionType and _is_sdks(function.__globals__["__name__"])


def _is_sdks(module: str) -> bool:
    return module.partition(".")[0] == "openai"
