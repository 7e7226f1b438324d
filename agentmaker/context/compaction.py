"""Turns the older part of a conversation into a recap and keeps the newest messages as they are."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, Self

from agentmaker.context.aside import aside
from agentmaker.context.folding import (
    ASummarize,
    Flow,
    Folding,
    Summarize,
    SummaryRefused,
    adrive,
    drive,
)
from agentmaker.context.kept import CompactionConfig
from agentmaker.context.knobs import check_count
from agentmaker.context.measure import FRAMING, messages_tokens
from agentmaker.context.recap import Settled
from agentmaker.context.transcript import entry_of
from agentmaker.errors import ConfigError
from agentmaker.messages import SYSTEM_ROLES, Message, read_messages, text_of, units
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.sync import run
from agentmaker.tokens import TokenCounter, adopted, count_tokens

REMEMBERED = 16
"""How many summaries a compactor remembers, so as not to ask for them again."""

BITE = 4
"""A recap is renewed only for more than a fourth of the trigger, not on every turn."""


class Summariser(Protocol):
    """A model that can be asked for a summary."""

    async def chat(self, messages: Sequence[Any], /) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A compaction about to happen.

    Attributes:
        head: leading system messages; they stay.
        begun: the recap the history itself begins with, "" without one.
        said: the text of every message that the new recap stands for.
        fresh: those of them that no recap stands for yet; none when *recap* is still good.
        recap: the recap so far.
        replaced: tokens of what the new recap takes the place of.
        kept: the messages that stay behind it.
    """

    head: tuple[Message, ...]
    begun: str
    said: tuple[str, ...]
    fresh: tuple[str, ...]
    recap: Settled
    replaced: int
    kept: tuple[Message, ...]

    @property
    def text(self) -> str:
        """What is to be summarised now."""
        return "\n".join(filter(None, self.fresh))


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What came of a compaction.

    Attributes:
        messages: the history to go on with; the one given unless *outcome* is "applied".
        reason: why it failed: "empty", "unfinished", "no_saving", or the type of an error.
        lost: facts of the replaced messages that the recap does not hold.
    """

    messages: list[Message]
    outcome: Literal["applied", "skipped", "failed"]
    reason: str = ""
    lost: tuple[str, ...] = ()


class _Known(NamedTuple):
    """A recap already made: of what was *said* behind the recap it *begun* with."""

    begun: str
    said: tuple[str, ...]
    recap: Settled


class HistoryCompactor:
    """Replaces all but the newest messages of a history by a recap that a model writes.

    - The recap holds at most *max_summary_tokens* (its prefix not counted), and less than it
      replaces; facts that the summary left out are appended.
    - A tool call and its results stay on one side of the recap; the last user message stays
      as it is when no newer one does.
    - On any failure the very history given comes back, and nothing is lost.
    - What was summarised once is not summarised again: a recap takes up the one before it.

    Raises:
        ConfigError: a knob is out of range.
    """

    def __init__(
        self,
        llm: Summariser | None,
        *,
        keep_recent: int = 4,
        trigger_tokens: int = 2000,
        max_summary_tokens: int = 1000,
        summary_prompt: str | None = None,
        prompts: PromptRegistry | None = None,
        token_counter: TokenCounter = count_tokens,
    ) -> None:
        self.keep_recent = check_count("keep_recent", keep_recent, least=1)
        self.trigger_tokens = check_count("trigger_tokens", trigger_tokens, least=0)
        self.max_summary_tokens = check_count("max_summary_tokens", max_summary_tokens, least=1)
        self._llm = llm
        self._prompts = DEFAULT_PROMPTS if prompts is None else prompts
        self._summary_prompt = summary_prompt
        self._counter = adopted(token_counter)
        self._remembered: deque[_Known] = deque(maxlen=REMEMBERED)

    @classmethod
    def from_config(cls, llm: Summariser | None, config: CompactionConfig, **knobs: Any) -> Self:
        """A compactor with the knobs of *config*; *knobs* are the constructor's others."""
        return cls(
            llm, keep_recent=config.keep_recent, trigger_tokens=config.trigger_tokens, **knobs
        )

    def compact(
        self, history: list[Message], *, summarize: Summarize | None = None
    ) -> list[Message]:
        """The history with its older part as a recap, or *history* itself.

        Raises:
            ConfigError: there is neither a model nor *summarize*.
        """
        plan = self.plan(history)
        if plan is None:
            return history
        if not plan.fresh:
            return self.apply(plan, plan.recap.text)
        if summarize is None:
            return run(self.acompact, history)
        try:
            return self._done(plan, drive(self._flow(plan), summarize)).messages
        except Exception:
            return history

    async def acompact(
        self, history: list[Message], *, asummarize: ASummarize | None = None
    ) -> list[Message]:
        """As `compact`; *asummarize* is awaited."""
        return (await self.areport(history, asummarize=asummarize)).messages

    async def areport(
        self, history: list[Message], *, asummarize: ASummarize | None = None
    ) -> Compacted:
        """As `acompact`, and what came of it."""
        messages = read_messages(history)
        plan = await aside(sum(len(each.text) for each in messages), self.plan, messages)
        if plan is None:
            return Compacted(messages=history, outcome="skipped")
        ask = asummarize or self._model_asked()
        try:
            return self._done(plan, await adrive(self._flow(plan), ask, characters=len(plan.text)))
        except Exception as error:
            reason = error.reason if isinstance(error, SummaryRefused) else type(error).__name__
            return Compacted(messages=history, outcome="failed", reason=reason)

    def plan(self, history: Sequence[Message]) -> Plan | None:
        """What to compact, or None when *history* is to stay as it is. Asks nobody."""
        messages = read_messages(history)
        if len(messages) <= self.keep_recent or self._size(messages) <= self.trigger_tokens:
            return None
        head, begun, body = self._opened(messages)
        start = _unit_start(body, len(body) - self.keep_recent)
        if start <= 0:
            return None
        said = tuple(map(entry_of, body))
        known = self._longest_known(begun, said[:start])
        done = len(known.said)
        if known.recap.text and self._is_good(known.recap.text, body[done:], body[done:start]):
            start = done
        kept, replaced = _with_task(body, start)
        if not replaced:
            return None
        return Plan(
            head=head,
            begun=begun,
            said=said[:start],
            fresh=said[done:start],
            recap=known.recap,
            replaced=messages_tokens(replaced, self._counter) + self._counter(begun),
            kept=kept,
        )

    def apply(self, plan: Plan, recap: str) -> list[Message]:
        """The history with *recap* in the place of what *plan* replaces."""
        prefix = self._prompts.text("context.summary_prefix")
        if not plan.head:
            return [Message(f"{prefix}{recap}", role="system"), *plan.kept]
        # Behind a system prompt, a second one would be refused by strict chat templates.
        note = self._prompts.text("recap.note")
        return [*plan.head, *_with_text_first(f"{prefix}{note}\n{recap}\n---", plan.kept)]

    def _done(self, plan: Plan, recap: Settled) -> Compacted:
        if plan.fresh:
            self._remembered.append(_Known(plan.begun, plan.said, recap))
        messages = self.apply(plan, recap.text)
        return Compacted(messages=messages, outcome="applied", lost=recap.lost)

    def _flow(self, plan: Plan) -> Flow[Settled]:
        folding = Folding(
            room=self.max_summary_tokens,
            window=getattr(self._llm, "context_window", None),
            counter=self._counter,
            prompts=self._prompts,
            instruction=self._summary_prompt,
        )
        return folding.flow(plan.text, recap=plan.recap.text, replaced=plan.replaced)

    def _model_asked(self) -> ASummarize:
        llm = self._llm
        if llm is None:
            raise ConfigError("nobody to ask for a summary: give HistoryCompactor a model")

        async def ask(text: str, instruction: str) -> str:
            asked = [Message(instruction, role="system"), Message(text)]
            return finished(await llm.chat(asked))

        return ask

    def _size(self, messages: Sequence[Message]) -> int:
        """Tokens of what *messages* say, without the framing of the wire."""
        return messages_tokens(messages, self._counter) - FRAMING * len(messages)

    def _opened(
        self, history: Sequence[Message]
    ) -> tuple[tuple[Message, ...], str, tuple[Message, ...]]:
        """Leading system messages, the recap behind them, and the rest."""
        prefix = self._prompts.text("context.summary_prefix")
        for index, message in enumerate(history):
            if message.role in SYSTEM_ROLES and message.text.startswith(prefix):
                recap = message.text.removeprefix(prefix)
                return tuple(history[:index]), recap, tuple(history[index + 1 :])
            if message.role not in SYSTEM_ROLES:
                return tuple(history[:index]), "", tuple(history[index:])
        return tuple(history), "", ()

    def _longest_known(self, begun: str, said: tuple[str, ...]) -> _Known:
        """The recap that stands for the longest beginning of *said*."""
        fitting = (
            known
            for known in tuple(self._remembered)
            if known.begun == begun and known.said == said[: len(known.said)]
        )
        return max(
            fitting, key=lambda known: len(known.said), default=_Known(begun, (), Settled(begun))
        )

    def _is_good(self, recap: str, behind: Sequence[Message], uncovered: Sequence[Message]) -> bool:
        """Whether *recap* still does, with all of *behind* as it is."""
        if self._counter(recap) + self._size(behind) <= self.trigger_tokens:
            return True
        return self._size(uncovered) <= self.trigger_tokens // BITE


def _unit_start(messages: Sequence[Message], index: int) -> int:
    """Where the unit that holds *index* begins."""
    return next((unit.start for unit in units(messages) if index in unit), index)


def _with_task(
    body: Sequence[Message], start: int
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """What is kept from *start* on, and what is replaced before it.

    Where no user message is kept, the last one before stays too: it says what the work is.
    """
    kept, older = tuple(body[start:]), tuple(body[:start])
    if any(message.role == "user" for message in kept):
        return kept, older
    task = next((i for i in reversed(range(start)) if older[i].role == "user"), None)
    if task is None:
        return kept, older
    return (older[task], *kept), (*older[:task], *older[task + 1 :])


def _with_text_first(text: str, messages: Sequence[Message]) -> list[Message]:
    """*messages* with *text* at the top of the first, or before it when that is no user's."""
    if not messages or messages[0].role != "user":
        return [Message(text), *messages]
    first, *rest = messages
    if isinstance(first.content, (list, tuple)):
        return [replace(first, content=[{"type": "text", "text": text}, *first.content]), *rest]
    return [replace(first, content=f"{text}\n\n{first.content or ''}"), *rest]


def finished(reply: Any) -> str:
    """The text of a reply that came to its end; thoughts are no summary."""
    if isinstance(reply, str):
        return reply
    if getattr(reply, "finish_reason", "stop") != "stop":
        raise SummaryRefused("unfinished")
    return text_of(reply.content)
