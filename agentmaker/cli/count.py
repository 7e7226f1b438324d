"""Count the tokens of files: plain text, or conversations as they would be sent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentmaker.cli.files import Conversation, read_text, recognise
from agentmaker.context.measure import REPLY_PRIMING, messages_tokens, tools_tokens
from agentmaker.messages import read_messages
from agentmaker.tokens import TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What one file holds; *conversations* and *messages* are 0 for plain text."""

    file: str
    kind: str
    tokens: int
    characters: int
    conversations: int = 0
    messages: int = 0


def count_file(path: Path, counter: TokenCounter) -> Count:
    """Count a file; one that holds conversations is counted as the requests they would be.

    Raises:
        FileError: the file is missing or no text.
    """
    text = read_text(path)
    found = recognise(path, text)
    if not found:
        return Count(file=str(path), kind="text", tokens=counter(text), characters=len(text))
    return Count(
        file=str(path),
        kind="conversations",
        tokens=sum(conversation_tokens(conversation, counter) for conversation in found),
        characters=len(text),
        conversations=len(found),
        messages=sum(len(conversation.messages) for conversation in found),
    )


def conversation_tokens(conversation: Conversation, counter: TokenCounter) -> int:
    """Tokens of the request that sends the whole conversation with its tools."""
    return (
        tools_tokens(conversation.tools, counter)
        + messages_tokens(read_messages(conversation.messages), counter)
        + REPLY_PRIMING
    )
