"""One long tool loop: a task, then step after step, each a call and its result."""

from __future__ import annotations

from benchmarks.data import Conversation
from benchmarks.texts import english

WINDOW = 8_000
OUTPUT_TOKENS = 512
FIXED = 600
"""Tokens of system prompt and tools together."""

STEP = 120
SPREAD = 0.5


def tool_loop(steps: int = 1_000, seed: int = 1) -> Conversation:
    """A loop of *steps* steps of 120 tokens, give or take half, with a call before each."""
    writer = english(seed)
    parameters = {"type": "object", "properties": {"q": {"type": "string"}}}
    function = {"name": "look", "description": writer.text(200), "parameters": parameters}
    tools = [{"type": "function", "function": function}]
    messages = [writer.says("system", FIXED - 240), writer.says("user", 40)]
    calls = []
    for number in range(steps):
        calls.append(len(messages))
        size = round(STEP * writer.random.uniform(1 - SPREAD, 1 + SPREAD))
        messages += writer.step(number, size)
    return Conversation(origin="tool loop", messages=messages, calls=tuple(calls), tools=tools)
