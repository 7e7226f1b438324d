"""Who writes the recap of a session: a model or a function, asked in one way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentmaker.context.compaction import Summariser, finished
from agentmaker.context.folding import ASummarize, Summarize
from agentmaker.errors import ConfigError
from agentmaker.memory.resize import called
from agentmaker.messages import Message

Summarizer = ASummarize | Summarize | Summariser
"""A function of text and instruction, or a model that has ``chat``."""


def read_summarizer(given: Any) -> Summarizer | None:
    """Check what a user gives as ``summarizer``.

    Raises:
        ConfigError: it can neither be called nor asked by ``chat``.
    """
    if given is None or (not isinstance(given, type) and _can_be_asked(given)):
        return given
    raise ConfigError(
        "summarizer must be a model with chat(messages), such as LLMClient, or a function of "
        f"text and instruction, not {type(given).__name__}"
    )


def _can_be_asked(given: Any) -> bool:
    return callable(given) or callable(getattr(given, "chat", None))


def asking(summarizer: Summarizer) -> ASummarize:
    """One way to ask either kind. A model gets plain text in one message: no tool traffic."""
    chat: Callable[..., Any] | None = getattr(summarizer, "chat", None)
    function: Any = summarizer

    async def ask(text: str, instruction: str) -> str:
        if chat is None:
            return await called(function, text, instruction)
        return finished(await called(chat, [Message(instruction, role="system"), Message(text)]))

    return ask
