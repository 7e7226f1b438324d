"""How one message is written on the wire: what is decided last, and changes no other message."""

from __future__ import annotations

from dataclasses import replace

from agentmaker.calls.forms.turns import joined_content
from agentmaker.messages import RESULT_ROLES, Message, ToolCall
from agentmaker.plain import dumps
from agentmaker.prompts import PromptRegistry


def with_content(message: Message) -> Message:
    """*message* with an empty text beside calls that have none."""
    bare = message.tool_calls and message.content is None
    return replace(message, content="") if bare else message


def written_out(message: Message, prompts: PromptRegistry) -> Message:
    """Calls and results as text: the model's, and the user's."""
    if message.tool_calls:
        calls = "\n".join(_call(call, prompts) for call in message.tool_calls)
        content = joined_content(message.content, calls)
        return replace(message, content=content, tool_calls=())
    if message.role in RESULT_ROLES:
        return replace(message, role="user", tool_call_id=None, name=None)
    return message


def _call(call: ToolCall, prompts: PromptRegistry) -> str:
    arguments = call.arguments if isinstance(call.arguments, str) else dumps(call.arguments)
    return prompts.render("wire.call", name=call.name, arguments=arguments)
