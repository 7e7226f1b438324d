"""Reduces a tool loop: the newest calls with their results stay, older ones become a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import is_
from typing import Any, TypeVar, cast

from agentmaker.context.folding import ASummarize
from agentmaker.context.knobs import check_count
from agentmaker.context.measure import FRAMING, message_tokens
from agentmaker.context.reducers.base import check_room
from agentmaker.context.reducers.condense import condense
from agentmaker.context.transcript import Entries, entry_of
from agentmaker.errors import ConfigError
from agentmaker.messages import SYSTEM_ROLES, Message, begin_of_newest, read_messages
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tokens import TokenCounter, adopted, count_tokens

M = TypeVar("M", bound="Message | Mapping[str, Any]")


async def reduce_agent(
    messages: Sequence[M],
    *,
    summarize: ASummarize | None,
    budget: int,
    keep_recent_steps: int = 3,
    turn_start: int = 0,
    counter: TokenCounter = count_tokens,
    prompts: PromptRegistry = DEFAULT_PROMPTS,
) -> Sequence[M]:
    """*messages* in at most *budget* tokens: a summary in the place of older units.

    What comes before *turn_start*, leading system messages and the newest
    *keep_recent_steps* units stay word for word; so does the last user message when no
    other would, because it says what the work is. The summary is a system message of the
    kind that was given, dictionary or `Message`.

    Raises:
        ContextWindowExceeded: what must stay is larger.
        ConfigError: a number is negative or *turn_start* is behind the last message.
    """
    read = read_messages(messages)
    _check(budget, keep_recent_steps, turn_start, len(read))
    counter = adopted(counter)
    if not _exceeds(read, budget, counter):
        return messages
    head = max(turn_start, _leading_system(read, prompts.text("reducer.agent.mark")))
    split = head + begin_of_newest(read[head:], keep_recent_steps)
    task = _task(read, head, split)
    must = [*range(head), *task, *range(split, len(read))]
    needed = sum(message_tokens(read[index], counter) for index in must)
    room = check_room("what must stay of the trajectory", needed, budget)
    text = await condense(
        Entries([read[index] for index in range(head, split) if index not in task], _entry),
        kind="agent",
        summarize=summarize,
        room=room - FRAMING,
        counter=counter,
        prompts=prompts,
    )
    first = (messages[index] for index in (*range(head), *task))
    summary = _summary(text, as_message=all(map(is_, messages, read)))
    return [*first, *cast("list[M]", summary), *messages[split:]]


def _check(budget: int, keep_recent_steps: int, turn_start: int, total: int) -> None:
    check_count("budget", budget, least=0)
    check_count("keep_recent_steps", keep_recent_steps, least=0)
    if check_count("turn_start", turn_start, least=0) > total:
        raise ConfigError(f"turn_start is {turn_start}, but there are only {total} messages")


def _exceeds(messages: Sequence[Message], budget: int, counter: TokenCounter) -> bool:
    """Whether *messages* take more than *budget* tokens; counted as far as it takes to know."""
    sums = accumulate(message_tokens(message, counter) for message in messages)
    return any(tokens > budget for tokens in sums)


def _leading_system(messages: Sequence[Message], mark: str) -> int:
    """How many system messages come first, an earlier summary not among them."""
    for index, message in enumerate(messages):
        if message.role not in SYSTEM_ROLES or message.text.startswith(mark):
            return index
    return len(messages)


def _task(messages: Sequence[Message], head: int, split: int) -> tuple[int, ...]:
    """The last user message of those to be summarised, when no other stays."""
    stays = (*messages[:head], *messages[split:])
    if any(message.role == "user" for message in stays):
        return ()
    asked = (i for i in range(split - 1, head - 1, -1) if messages[i].role == "user")
    return tuple(asked)[:1]


def _entry(message: Message) -> str:
    """A message as text; an earlier summary without its role, to be known by its mark."""
    return message.text if message.role in SYSTEM_ROLES else entry_of(message)


def _summary(text: str, *, as_message: bool) -> list[Message | dict[str, Any]]:
    """*text* as a system message, else as a dictionary of one; none for ""."""
    if not text:
        return []
    return [Message(text, role="system") if as_message else {"role": "system", "content": text}]
