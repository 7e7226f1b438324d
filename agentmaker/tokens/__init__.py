"""Counting tokens: the documented estimate, exact counters by model family, and a memory."""

from agentmaker.media import MediaTokens, media_of
from agentmaker.tokens.estimate import TokenCounter, count_tokens
from agentmaker.tokens.estimated import estimate_tokens
from agentmaker.tokens.exact import ExactCounter, counter_for, counter_name, is_exact, is_loaded
from agentmaker.tokens.memo import CountMemo, adopted, remembered_counter, unremembered

__all__ = [
    "CountMemo",
    "ExactCounter",
    "MediaTokens",
    "TokenCounter",
    "adopted",
    "count_tokens",
    "counter_for",
    "counter_name",
    "estimate_tokens",
    "is_exact",
    "is_loaded",
    "media_of",
    "remembered_counter",
    "unremembered",
]
