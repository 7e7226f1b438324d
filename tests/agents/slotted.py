"""Agents with slots, and what their models were sent."""

from __future__ import annotations

from typing import Any

from agentmaker import Agent, PlanAgent, ReflectionAgent
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.testing import ScriptedLLM

AGENTS = [Agent, PlanAgent, ReflectionAgent]
NOTE = DEFAULT_PROMPTS.text("slots.info")


def model(*script: Any) -> ScriptedLLM:
    return ScriptedLLM(list(script), context_window=16_000)


def sent(llm: ScriptedLLM, call: int = -1) -> list[str]:
    return [each["content"] for each in llm.calls[call]["messages"]]


def info(text: str) -> str:
    return f'<reference kind="info">\n{NOTE}\n{text}\n</reference>'
