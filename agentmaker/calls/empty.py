"""Replies that say nothing, because no room was left for them or because thinking took it."""

from __future__ import annotations

import re
from dataclasses import replace

from agentmaker.calls.call import Call, Reply, Usage
from agentmaker.calls.plan import RECAP_MOST
from agentmaker.calls.room import OUTPUT_CAPS, output_cap
from agentmaker.calls.sdk.raw import choice_of, fields, get, items

FULL = 0.9
"""Share of the window from which on it is taken for full."""

LEAST_FULL = 512
"""Tokens of a prompt below which it fills no window."""

TIMES = 4
LEAST_WISHED = 4_096
"""A starved reply gets so many times the tokens it had, and at least so many."""

LEAST_THOUGHT = 16
"""Tokens of a cap below which nobody expects an answer."""

_WINDOW = re.compile("context|window", re.IGNORECASE)
_THOUGHT = ("role", "reasoning", "reasoning_content", "reasoning_details", "annotations")


def found_no_room(reply: Reply, call: Call) -> bool:
    """Whether an empty reply ended because its prompt filled the window.

    An empty reply that ended for its length far below the window, or at the cap that the
    caller sent, is a starved one.
    """
    if not _is_empty(reply):
        return False
    if reply.finish_reason != "length":
        return bool(_WINDOW.search(reply.finish_reason or ""))
    if _spent(reply) >= (output_cap(call.params) or call.setting.window):
        return False
    prompt, counted = _prompt(reply), (reply.usage or Usage()).completion_tokens
    at_once = counted == 0 and not reply.reasoning and prompt >= LEAST_FULL
    return at_once or prompt + _spent(reply) >= FULL * call.setting.window


def is_starved(reply: Reply, call: Call) -> bool:
    """Whether the reply's length was spent on thinking before it said anything.

    Who asks for a token or two wants no more, and neither does who asks for their likelihood.
    """
    if reply.finish_reason != "length" or not _is_empty(reply) or call.params.get("logprobs"):
        return False
    return (output_cap(call.params) or LEAST_THOUGHT) >= LEAST_THOUGHT


def roomier(call: Call, reply: Reply) -> Call | None:
    """*call* with more room for the reply; None where there is no more.

    This once a cap is sent to a server that has one of its own.
    """
    cap, spent = output_cap(call.params), _spent(reply)
    wished = max(LEAST_WISHED, TIMES * (cap or spent))
    wished = min(wished, call.setting.max_output or wished, _free(reply, call))
    if wished <= max(cap or 0, spent):
        return None
    names = [name for name in OUTPUT_CAPS if call.params.get(name)] or [OUTPUT_CAPS[-1]]
    return replace(call, params={**call.params, **dict.fromkeys(names, wished)})


def _is_empty(reply: Reply) -> bool:
    if not reply.settled or (reply.content or "").strip() or reply.tool_calls:
        return False
    choices = items(reply.raw, "choices")
    said = fields(get(choice_of(reply.raw), "message"))
    return len(choices) < 2 and not any(
        value for name, value in said.items() if name not in _THOUGHT and name != "content"
    )


def _prompt(reply: Reply) -> int:
    counted = (reply.usage or Usage()).prompt_tokens
    return counted or (reply.ledger.estimate if reply.ledger else 0)


def _free(reply: Reply, call: Call) -> int:
    """Tokens that the reply may take without anything being cut for it."""
    if reply.ledger is None:
        return call.setting.window - _prompt(reply)
    free = reply.ledger["output"].used + reply.ledger["free"].used
    # A cut counts its recap at full room, whatever was written.
    return free - RECAP_MOST if reply.ledger.reductions else free


def _spent(reply: Reply) -> int:
    return (reply.usage or Usage()).completion_tokens or 0
