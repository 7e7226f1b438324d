"""Made-up tool loops: a task, then step after step, each a call and its result."""

from __future__ import annotations

from benchmarks.data import Conversation, recorded
from benchmarks.texts import Message, Writer, english

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
    for number in range(steps):
        messages += _step(writer, number)
    return recorded("tool loop", messages, tools)


def turns(number: int = 6, steps: int = 15, seed: int = 2) -> Conversation:
    """*number* questions, each answered after *steps* steps like those of the loop."""
    writer = english(seed)
    messages = [writer.says("system", 200)]
    for turn in range(number):
        messages.append(writer.says("user", 40))
        for step in range(steps):
            messages += _step(writer, turn * steps + step)
        messages.append(writer.says("assistant", 80))
    return recorded("turns with tools", messages)


def _step(writer: Writer, number: int) -> list[Message]:
    return writer.step(number, round(STEP * writer.random.uniform(1 - SPREAD, 1 + SPREAD)))
