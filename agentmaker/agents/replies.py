"""What a model answered, as a message of the conversation."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from agentmaker.agents.deadline import within
from agentmaker.agents.events import TextDelta
from agentmaker.calls.call import Delta, Reply
from agentmaker.calls.forms.content import encodable, encodable_in
from agentmaker.calls.limits import Run
from agentmaker.calls.sdk.raw import choice_of, get
from agentmaker.messages import Message
from agentmaker.plain import shared

_SURROGATE = r"\ud"
"""What the repr of every text has that UTF-8 cannot carry."""


async def pulled(reply: Reply, part: str, meter: Run) -> AsyncGenerator[TextDelta, None]:
    """The pieces of a reply as they come; it is settled at the end.

    Raises:
        RunLimitExceeded: the time of the run is over before.
    """
    if reply.deltas is None:
        if reply.content:
            yield TextDelta(text=encodable(reply.content), part=part)
        return
    async with reply:
        left = ""
        while (delta := await _next(reply, meter)) is not None:
            text, left = _whole(left + delta.content)
            if text:
                yield TextDelta(text=text, part=part)
        if left:
            yield TextDelta(text=encodable(left), part=part)


async def _next(reply: Reply, meter: Run) -> Delta | None:
    with within(meter):
        return await anext(aiter(reply), None)


def _whole(text: str) -> tuple[str, str]:
    """*text* as UTF-8 can carry it, and the half of a character that servers cut off its end."""
    cut = len(text) - ("\ud800" <= text[-1:] < "\udc00")
    return encodable(text[:cut]), text[cut:]


def message_of(reply: Reply) -> Message:
    """The reply to be sent again with the next request; what its server added stays with it."""
    said = _said(reply)
    wire = said.wire
    if _SURROGATE not in repr(wire):  # nearly always: in C, and texts are not looked at one by one
        return said
    clean = encodable_in(wire)
    return said if clean is wire else Message.from_wire(clean)


def _said(reply: Reply) -> Message:
    message = None if reply.deltas is not None else get(choice_of(reply.raw), "message")
    if message is not None:
        return Message.from_wire(shared(message) if isinstance(message, dict) else message)
    beside = {"reasoning_content": reply.reasoning, "refusal": reply.refusal}
    extra = {name: text for name, text in beside.items() if text}
    return Message(reply.content, "assistant", tool_calls=reply.tool_calls, extra=extra)
