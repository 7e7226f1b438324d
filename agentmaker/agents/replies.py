"""What a model answered, as a message of the conversation."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from agentmaker.agents.events import TextDelta
from agentmaker.calls.call import Reply
from agentmaker.calls.sdk.raw import choice_of, get
from agentmaker.messages import Message


async def pulled(reply: Reply, part: str) -> AsyncGenerator[TextDelta, None]:
    """The pieces of a reply as they come; it is settled at the end."""
    if reply.deltas is None:
        if reply.content:
            yield TextDelta(text=reply.content, part=part)
        return
    async with reply:
        async for delta in reply:
            if delta.content:
                yield TextDelta(text=delta.content, part=part)


def message_of(reply: Reply) -> Message:
    """The reply to be sent again with the next request; what its server added stays with it."""
    message = None if reply.deltas is not None else get(choice_of(reply.raw), "message")
    if message is not None:
        return Message.from_wire(message)
    extra = {"reasoning_content": reply.reasoning} if reply.reasoning else {}
    return Message(reply.content, "assistant", tool_calls=reply.tool_calls, extra=extra)
