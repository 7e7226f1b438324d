"""A reply of ours as the SDK's object, for one that no server made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmaker.calls.call import Reply, new_id

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion


def completion_of(reply: Reply) -> ChatCompletion:
    """*reply* as the ``ChatCompletion`` that its caller expects."""
    from openai.types.chat import ChatCompletion

    calls = [call.to_wire() for call in reply.tool_calls]
    message: dict[str, Any] = {"role": "assistant", "content": reply.content}
    if reply.refusal:
        message["refusal"] = reply.refusal
    choice = {
        "index": 0,
        "message": message | ({"tool_calls": calls} if calls else {}),
        "finish_reason": reply.finish_reason or ("tool_calls" if calls else "stop"),
    }
    return ChatCompletion.model_validate(
        {
            "id": f"agentmaker-{new_id()}",
            "object": "chat.completion",
            "created": 0,
            "model": reply.model,
            "choices": [choice],
        }
    )
