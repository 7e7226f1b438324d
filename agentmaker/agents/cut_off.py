"""Replies that ended before their model did: none of their calls is run, complete or not."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.calls.call import Reply


@dataclass(frozen=True, slots=True)
class CutOff:
    """A way for a reply to end too early.

    Attributes:
        told: the prompt that the model is told in the place of a result.
        happened: to a reply, again and again.
        remedy: what to do about it.
    """

    told: str
    happened: str
    remedy: str


LENGTH = CutOff(
    "run.cut_off",
    "the model was cut off",
    "give it more room for its reply, or tools that take shorter arguments",
)
FILTERED = CutOff(
    "run.filtered",
    "the model was stopped by its server's content filter",
    "change what it is asked, or the filter's settings",
)
BROKEN = CutOff(
    "run.broken_off",
    "the server ended the reply too early",
    "see its log, or that of a proxy before it; a stream has to end with a finish_reason",
)

_REASONS = {
    "length": LENGTH,
    "max_tokens": LENGTH,
    "model_length": LENGTH,  # Mistral
    "content_filter": FILTERED,
    "sensitive": FILTERED,  # Zhipu
    "error": BROKEN,  # Mistral, OpenRouter
    "insufficient_system_resource": BROKEN,  # DeepSeek
    "network_error": BROKEN,  # Zhipu
}


def cut_off(reply: Reply) -> CutOff | None:
    """How *reply* ended too early; None for one that was said to its end.

    A whole reply need not say why it ended, but a stream that does not is one that broke.
    """
    if reply.finish_reason is None:
        return None if reply.deltas is None else BROKEN
    return _REASONS.get(reply.finish_reason)
