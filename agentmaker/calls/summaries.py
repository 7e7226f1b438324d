"""The same summary is asked for once, however many calls need it at the same time."""

from __future__ import annotations

from collections.abc import Hashable

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.memory.measured import digest
from agentmaker.calls.memory.once import Once
from agentmaker.calls.memory.remembered import Remembered
from agentmaker.calls.middleware import Next
from agentmaker.errors import RunStopped


class Summaries:
    """A middleware around the line of a summary: calls that ask the same share the reply.

    It knows those under way, and the last *maximum* that came to their end: a call needs some of
    them in turn, so what one call was told is remembered for those that are a step behind it.
    """

    def __init__(self, maximum: int = 128) -> None:
        # A run that may ask no more says nothing of the runs of the others.
        self._under_way: Once[Hashable, Reply] = Once(own=(RunStopped,))
        self._written: Remembered[Hashable, Reply] = Remembered(maximum)

    def __len__(self) -> int:
        """How many are under way."""
        return len(self._under_way)

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        """The reply to the summary *call*, by *next* where nobody has asked the same.

        Raises:
            OnceFailed: somebody did, and it failed.
        """
        key = (call.scope, call.model, call.setting.window, _digest(call))
        written = self._written.get(key)
        if written is not None:
            return written

        async def write() -> Reply:
            return self._kept(key, await next(call))

        return await self._under_way.get(key, write)

    def _kept(self, key: Hashable, reply: Reply) -> Reply:
        """*reply*, or the one that another event loop had before."""
        if not is_summary(reply):
            return reply
        mine = _text_of(reply)
        kept = self._written.put_over(key, mine, before=mine)
        return mine if kept else self._written.get(key) or mine


def is_summary(reply: Reply) -> bool:
    """Whether *reply* is a finished text."""
    said: object = reply.content
    return reply.finish_reason == "stop" and isinstance(said, str) and bool(said.strip())


def _digest(call: Call) -> bytes:
    return digest((*call.window.system, *call.window.conversation))


def _text_of(reply: Reply) -> Reply:
    """What is worth keeping: no object of the server's."""
    text = Reply(content=reply.content, finish_reason=reply.finish_reason, model=reply.model)
    text.settle()
    return text
