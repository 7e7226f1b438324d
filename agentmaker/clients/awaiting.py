"""A budgeted client that awaits: what stands before ``AsyncOpenAI``."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from openai import AsyncOpenAI

from agentmaker.clients.budgeted import UNBUDGETED, Budgeted, behind

if TYPE_CHECKING:
    from agentmaker.calls.transport import Transport
    from agentmaker.clients.awaiting_chat import AwaitingChat


class Awaiting(Budgeted, AsyncOpenAI):
    """An ``AsyncOpenAI`` in front of a user's own."""

    def transport(self, *how: Any) -> Transport:
        from agentmaker.calls.transport import Transport

        return Transport(*how)

    @cached_property
    def chat(self) -> AwaitingChat:
        from agentmaker.clients.awaiting_chat import AwaitingChat

        return AwaitingChat(self)

    async def post(self, path: str, **given: Any) -> Any:
        """As the SDK's, but chat completions go through the engine.

        ``responses`` pass, with one warning that nothing budgets them.
        """
        if path == UNBUDGETED:
            self.warn()
        asked = self.asked_by_post(path, given)
        if asked is None:
            return await behind(self).post(path, **given)
        return asked.answer(await asked.reply())
