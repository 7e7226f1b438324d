"""A budgeted client that blocks: what stands before ``OpenAI``.

The engine runs where every async part runs for sync callers, and the request itself in a thread
through the client that was wrapped. A stream is read in the thread of its reader.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from openai import OpenAI

from agentmaker.clients.budgeted import UNBUDGETED, Asked, Budgeted, behind
from agentmaker.sync import run

if TYPE_CHECKING:
    from agentmaker.calls.call import Reply
    from agentmaker.calls.transport import Transport
    from agentmaker.clients.blocking_chat import BlockingChat


class Blocking(Budgeted, OpenAI):
    """An ``OpenAI`` in front of a user's own."""

    def transport(self, *how: Any) -> Transport:
        from agentmaker.calls.sdk.blocking import BlockingTransport

        return BlockingTransport(*how)

    @cached_property
    def chat(self) -> BlockingChat:
        from agentmaker.clients.blocking_chat import BlockingChat

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
        return asked.answer(run(replied, asked))


async def replied(asked: Asked) -> Reply:
    """The engine's reply."""
    return await asked.reply()


# What to await instead, in the warning to those who block a running event loop.
replied.__qualname__ = "AsyncOpenAI(...).chat.completions.create"
