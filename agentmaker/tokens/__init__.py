"""Counting tokens: the documented estimate, exact counters by model family, and a memory."""

from agentmaker.tokens.estimate import TokenCounter, count_tokens
from agentmaker.tokens.exact import ExactCounter, counter_for, counter_name, is_exact
from agentmaker.tokens.memo import CountMemo

__all__ = [
    "CountMemo",
    "ExactCounter",
    "TokenCounter",
    "count_tokens",
    "counter_for",
    "counter_name",
    "is_exact",
]
