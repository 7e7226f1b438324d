"""Ask a model for a summary, in pieces that fit its own window."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace

from agentmaker.calls.call import Call, new_id
from agentmaker.calls.middleware import Next
from agentmaker.calls.setting import Setting, SummaryModel
from agentmaker.calls.window import Window
from agentmaker.context.clip import cut_to
from agentmaker.context.measure import FRAMING, REPLY_PRIMING
from agentmaker.errors import LLMResponseError
from agentmaker.messages import Message
from agentmaker.tokens import TokenCounter

Summarise = Callable[[str, str], Awaitable[str]]

REPLY_SHARE = 0.25
"""Of the summariser's window, what is kept free for its reply."""


def summariser(call: Call, ask: Next) -> Summarise | None:
    """Something that summarises a text by an instruction; None where no model is set for it.

    A text larger than the model's window is folded in: each piece is summarised together
    with the summary of those before it.
    """
    model = call.setting.summary
    if model is None:
        return None

    async def summarise(text: str, instruction: str) -> str:
        summary = ""
        for piece in _pieces(text, _room(model, instruction), model.counter):
            asked = f"{summary}\n\n{piece}" if summary else piece
            summary = await _one(_summary_call(call, model, asked, instruction), ask)
        return summary

    return summarise


async def _one(call: Call, ask: Next) -> str:
    reply = await ask(call)
    if reply.finish_reason not in ("stop", None) or not (reply.content or "").strip():
        raise LLMResponseError(
            f"the summary ended with {reply.finish_reason!r} instead of a finished text"
        )
    return (reply.content or "").strip()


def _room(model: SummaryModel, instruction: str) -> int:
    """Tokens of text one summary request may carry beside the summary it goes on from."""
    fixed = model.counter(instruction) + 2 * FRAMING + REPLY_PRIMING
    return max(64, int((model.window - fixed) * (1 - 2 * REPLY_SHARE)))


def _pieces(text: str, room: int, counter: TokenCounter) -> Iterator[str]:
    while text:
        piece = cut_to(text, room, counter) or text[:1]
        yield piece
        text = text[len(piece) :]


def _summary_call(call: Call, model: SummaryModel, text: str, instruction: str) -> Call:
    setting: Setting = replace(
        call.setting, window=model.window, counter=model.counter, sources=(), summary=None
    )
    window = Window(system=(Message(instruction, "system"),), question=Message(text))
    return Call(
        window=window,
        setting=setting,
        model=model.model,
        scope=call.scope,
        purpose="summary",
        run=call.run,
        run_id=call.run_id,
        request_id=new_id(),
    )
