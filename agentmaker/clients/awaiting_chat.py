"""The resources of a budgeted client that awaits, loaded when they are first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from openai.resources.chat import AsyncChat
from openai.resources.chat.completions import AsyncCompletions

from agentmaker.calls.call import Reply
from agentmaker.clients.awaiting import Awaiting
from agentmaker.clients.given import Given
from agentmaker.errors import ConfigError


class AwaitingChat(AsyncChat):
    """The resource, and itself a model: ``await client.chat(messages, model=...)``."""

    _client: Awaiting

    @cached_property
    def completions(self) -> AwaitingCompletions:
        return AwaitingCompletions(self._client)

    async def __call__(
        self, messages: Sequence[Any], *, tools: Sequence[Any] | None = None, **params: Any
    ) -> Reply:
        """Ask the model; *params* are those of ``create``.

        Raises:
            ConfigError: no model is named, or its window is not known.
        """
        given = Given.from_arguments({"messages": messages, "tools": tools or (), **params})
        if not given.model:
            raise ConfigError("name the model: client.chat(messages, model=...)")
        return await self._client.engine.request(given, self._client.bound)


class AwaitingCompletions(AsyncCompletions):
    """``create`` without the SDK's walk over its parameters."""

    _client: Awaiting

    async def create(self, **arguments: Any) -> Any:
        asked = self._client.asked_by_create(arguments)
        if asked is None:
            return await super().create(**arguments)
        return asked.answer(await asked.reply())
