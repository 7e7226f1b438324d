"""A budgeted client that blocks: what stands before ``OpenAI``.

The engine runs where every async part runs for sync callers, and the request itself in a thread
through the client that was wrapped. A stream is read in the thread of its reader.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from openai import OpenAI
from openai.resources.chat import Chat
from openai.resources.chat.completions import Completions

from agentmaker.calls.call import Reply
from agentmaker.calls.sdk.blocking import BlockingTransport
from agentmaker.clients.budgeted import UNBUDGETED, Asked, Budgeted, behind
from agentmaker.sync import run


class Blocking(Budgeted, OpenAI):
    """An ``OpenAI`` in front of a user's own."""

    transport = BlockingTransport

    @cached_property
    def chat(self) -> BlockingChat:
        return BlockingChat(self)

    def post(self, path: str, **given: Any) -> Any:
        """As the SDK's, but chat completions go through the engine.

        ``responses`` pass, with one warning that nothing budgets them.
        """
        if path == UNBUDGETED:
            self.warn()
        asked = self.asked_by_post(path, given)
        if asked is None:
            return behind(self).post(path, **given)
        return asked.answer(run(_reply, asked))


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
        return asked.answer(run(_reply, asked))


async def _reply(asked: Asked) -> Reply:
    return await asked.reply()


# What to await instead, in the warning to those who block a running event loop.
_reply.__qualname__ = "AsyncOpenAI(...).chat.completions.create"
