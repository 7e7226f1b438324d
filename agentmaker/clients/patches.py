"""Whether a client's ``create`` is still the SDK's own, or another's: a tracer's, a test's."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Literal

from openai import AsyncOpenAI
from openai.resources.chat import AsyncChat, Chat
from openai.resources.chat.completions import AsyncCompletions, Completions

Patch = Literal["class", "instance"]


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
    awaits = issubclass(kind, AsyncOpenAI)
    chat, completions = (AsyncChat, AsyncCompletions) if awaits else (Chat, Completions)
    way = (_getter(kind.chat), _getter(chat.completions), completions.create)
    return all(map(_is_own, way))


def _getter(found: Any) -> Any:
    """The function behind a cached property."""
    return getattr(found, "func", found)


def _is_own(function: Any) -> bool:
    # A wrapper of another's may bear the name, the module and even the code of what it wraps.
    return type(function) is FunctionType and _is_sdks(function.__globals__["__name__"])


def _is_sdks(module: str) -> bool:
    return module.partition(".")[0] == "openai"
