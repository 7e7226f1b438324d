"""Where whole texts wait while the window holds a part of them."""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.context.knobs import check_count
from agentmaker.scope import Scope

RECALL = "recall"
"""The tool that brings texts back. Its results need not be put away: they are parts of what is."""


class Archive(Protocol):
    """Texts by name, those of one scope out of reach of every other."""

    async def put(self, scope: Scope, name: str, text: str) -> bool:
        """Keep *text*, in the place of one of that name; whether there is room for it."""
        ...

    async def get(self, scope: Scope, name: str) -> str | None:
        """The text of that name, None where there is none, or none any more."""
        ...

    async def names(self, scope: Scope) -> tuple[str, ...]:
        """The names there are, the latest first."""
        ...


class MemoryArchive:
    """An `Archive` in memory, with a maximum of texts and of their characters for each scope.

    The least recently used texts are forgotten first, and the least recently used scopes. A
    text longer than *max_chars* is not kept.

    Raises:
        ConfigError: a maximum is no whole number of at least 1.
    """

    def __init__(
        self, *, max_texts: int = 256, max_chars: int = 4_000_000, max_scopes: int = 64
    ) -> None:
        self.max_texts = check_count("max_texts", max_texts, least=1)
        self.max_chars = check_count("max_chars", max_chars, least=1)
        self._scopes: Remembered[Scope, _Texts] = Remembered(
            check_count("max_scopes", max_scopes, least=1)
        )

    async def put(self, scope: Scope, name: str, text: str) -> bool:
        texts, fits = self._scopes.get(scope) or _Texts(), len(text) <= self.max_chars
        texts.drop(name)
        if fits:
            texts.put(name, text)
            texts.evict(self.max_texts, self.max_chars)
        self._scopes.put(scope, texts)
        return fits

    async def get(self, scope: Scope, name: str) -> str | None:
        texts = self._scopes.get(scope)
        return texts.get(name) if texts else None

    async def names(self, scope: Scope) -> tuple[str, ...]:
        texts = self._scopes.get(scope)
        return tuple(reversed(texts.by_name)) if texts else ()


class _Texts:
    """The texts of one scope, the least recently used first."""

    def __init__(self) -> None:
        self.by_name: OrderedDict[str, str] = OrderedDict()
        self.chars = 0

    def put(self, name: str, text: str) -> None:
        self.chars += len(text)
        self.by_name[name] = text

    def drop(self, name: str) -> None:
        self.chars -= len(self.by_name.pop(name, ""))

    def get(self, name: str) -> str | None:
        if name in self.by_name:
            self.by_name.move_to_end(name)
        return self.by_name.get(name)

    def evict(self, max_texts: int, max_chars: int) -> None:
        while len(self.by_name) > max_texts or self.chars > max_chars:
            self.chars -= len(self.by_name.popitem(last=False)[1])
