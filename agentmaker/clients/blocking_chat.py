"""The resources of a budgeted client that blocks, loaded when they are first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from openai.resources.chat import Chat
from openai.resources.chat.completions import Completions

from agentmaker.clients.blocking import Blocking, replied
from agentmaker.sync import run


class BlockingChat(Chat):
    """The resource."""

    _client: Blocking

    @cached_property
    def completions(self) -> BlockingCompletions:
        return BlockingCompletions(self._client)


class BlockingCompletions(Completions):
    """``create`` without the SDK's walk over its parameters."""

    _client: Blocking

    def create(self, **arguments: Any) -> Any:
        asked = self._client.asked_by_create(arguments)
        if asked is None:
            return super().create(**arguments)
        return asked.answer(run(replied, asked))
