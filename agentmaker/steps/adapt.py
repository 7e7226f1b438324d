"""Say the call in the dialect of its server, before anything of it is counted."""

from __future__ import annotations

from agentmaker.calls.call import Call
from agentmaker.calls.middleware import Next
from agentmaker.calls.said import adapted


async def step(call: Call, ask: Next, /) -> Call:
    """Adapt what the call says and the name of its output cap."""
    return adapted(call)
