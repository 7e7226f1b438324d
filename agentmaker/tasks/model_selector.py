"""A selector that asks a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from agentmaker.calls.forms.fence import fence
from agentmaker.context.compaction import finished
from agentmaker.errors import ConfigError
from agentmaker.memory.resize import called
from agentmaker.messages import Message
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tasks.selection import Candidate, SelectionRequest

_LIST = re.compile(r"\[[^\[\]]*\]")


@dataclass(frozen=True, slots=True)
class ModelSelector:
    """Asks *client* which candidates bear on the query, in one short request of its own.

    What it uses is the client's prompt usage; a package knows nothing of it.

    Args:
        client: whatever has ``chat(messages)``, such as ``LLMClient`` or a wrapped client.
        model: another model of that client; a wrapped client has none of its own.

    Raises:
        ConfigError: *client* cannot be asked, or needs a *model*.
        ValueError: (when called) the reply holds no list of keys.
    """

    client: Any
    model: str | None = None
    prompts: PromptRegistry = DEFAULT_PROMPTS

    def __post_init__(self) -> None:
        kind, chat = type(self.client).__name__, getattr(self.client, "chat", None)
        of_sdk = hasattr(chat, "completions")
        if of_sdk and not callable(chat):
            raise ConfigError(f"{kind} cannot be asked: wrap it, agentmaker.wrap({kind}())")
        if isinstance(self.client, type) or not callable(chat):
            raise ConfigError(f"{kind} cannot be asked: pass a client with chat(messages)")
        if of_sdk and not self.model:
            raise ConfigError("a wrapped client serves any model: pass model= with the one to ask")

    async def __call__(self, request: SelectionRequest) -> list[str]:
        """The keys that the model names."""
        options = {} if self.model is None else {"model": self.model}
        reply = await called(partial(self.client.chat, **options), self._messages(request))
        return _keys(finished(reply))

    def _messages(self, request: SelectionRequest) -> list[Message]:
        listed = fence(
            "\n".join(map(_line, request.candidates)),
            kind="candidates",
            note=self.prompts.text("task.candidates"),
        )
        rule = self.prompts.render("task.select", most=request.max_blocks)
        asked = self.prompts.render(
            "task.select.query", consumer=request.consumer, phase=request.phase, query=request.query
        )
        return [Message(rule, role="system"), Message(f"{listed}\n\n{asked}")]


def _line(candidate: Candidate) -> str:
    size = "" if candidate.size is None else f" ({candidate.size})"
    words = " ".join(filter(None, (candidate.label, candidate.summary)))
    return f"{candidate.key} [{candidate.role}]{size} {' '.join(words.split())}"


def _keys(reply: str) -> list[str]:
    found = _LIST.findall(reply)
    keys: Iterable[Any] = json.loads(found[-1]) if found else ()
    if not found or not all(isinstance(key, str) for key in keys):
        raise ValueError("the reply holds no list of keys")
    return list(keys)
