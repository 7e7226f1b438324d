"""Builds a context from sources: gather, select, share the room, lay out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from functools import partial, update_wrapper
from typing import ParamSpec, TypeVar

from agentmaker.context.allocation import ContextConfig, whole
from agentmaker.context.block import BlockMaker
from agentmaker.context.gather import gather
from agentmaker.context.knobs import check_count, kind_of
from agentmaker.context.results import Block, SourceOutcome
from agentmaker.context.sources import ContextSource, Grant
from agentmaker.errors import ConfigError, ContextWindowExceeded, SourceError
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.scope import Scope
from agentmaker.sync import run
from agentmaker.tokens import TokenCounter, adopted, count_tokens

__all__ = ["Block", "ContextBuilder", "SourceOutcome"]

P = ParamSpec("P")
T = TypeVar("T")


class ContextBuilder:
    """What deserves a place in the window, from all sources at once, within a budget.

    Candidates that repeat each other are dropped, each source draws on its own quota, and idle
    quota goes to those that still have something. A source that fails, hangs or returns
    rubbish costs only itself.

    Raises:
        ConfigError: a quota is smaller than a chunk.
    """

    def __init__(
        self,
        config: ContextConfig | None = None,
        *,
        min_chunk_tokens: int | None = None,
        prompts: PromptRegistry | None = None,
        token_counter: TokenCounter = count_tokens,
    ) -> None:
        self.config = _checked(config)
        self._min_chunk_tokens = min_chunk_tokens
        self.config.validate(min_chunk_tokens=min_chunk_tokens, require_max_tokens=False)
        self.prompts = DEFAULT_PROMPTS if prompts is None else prompts
        self.token_counter = adopted(token_counter)
        self._maker = BlockMaker(self.config, self.token_counter, self._heading)

    def build(
        self,
        query: str,
        *,
        sources: Sequence[ContextSource],
        system_prompt: str = "",
        scope: Scope | None = None,
    ) -> str:
        """The whole context as one text: system prompt, sections, current question.

        Raises:
            ConfigError: ``max_tokens`` is not set, or a source has no quota or a taken name.
            ContextWindowExceeded: the system prompt or the question alone is too large.
            SourceError: a required source failed.
        """
        return run(
            _named(self.abuild, query, sources=sources, system_prompt=system_prompt, scope=scope)
        )

    async def abuild(
        self,
        query: str,
        *,
        sources: Sequence[ContextSource],
        system_prompt: str = "",
        scope: Scope | None = None,
    ) -> str:
        """The async form of `build`."""
        sources = self.checked(sources)
        question = self._question(query)
        room = self._room_beside(system_prompt, question)
        block = await self.agather(query, sources=sources, scope=scope, budget=room)
        return "\n\n".join(filter(None, (system_prompt, block.text, question)))

    def build_block(
        self,
        query: str,
        *,
        sources: Sequence[ContextSource],
        scope: Scope | None = None,
        budget: int | None = None,
    ) -> str:
        """The sections alone, at most *budget* tokens; "" when there are no candidates.

        Raises:
            ConfigError: neither *budget* nor ``max_tokens`` is set, or a source has no quota or
                a taken name.
            SourceError: a required source failed.
        """
        return run(_named(self.abuild_block, query, sources=sources, scope=scope, budget=budget))

    async def abuild_block(
        self,
        query: str,
        *,
        sources: Sequence[ContextSource],
        scope: Scope | None = None,
        budget: int | None = None,
    ) -> str:
        """The async form of `build_block`."""
        block = await self.agather(query, sources=sources, scope=scope, budget=budget)
        return block.text

    async def agather(
        self,
        query: str,
        *,
        sources: Sequence[ContextSource],
        scope: Scope | None = None,
        budget: int | None = None,
        deadline: float | None = None,
        exclude: Collection[str] = (),
    ) -> Block:
        """The block with its count and what became of every source.

        *deadline* is in seconds from now and ends every source at the latest. Texts that stand
        in *exclude* already are not repeated.

        Raises:
            ConfigError: neither *budget* nor ``max_tokens`` is set, or a source has no quota or
                a taken name.
            SourceError: a required source failed.
        """
        sources = self.checked(sources)
        room = self._room(budget)
        if room <= 0:
            return _no_room(sources)
        granted = [(each, self._grant(each, sources, room, deadline)) for each in sources]
        fetched = await gather(query, granted, scope=scope)
        return await self._maker.make(fetched, room, exclude=exclude)

    def checked(self, sources: Iterable[ContextSource]) -> tuple[ContextSource, ...]:
        """*sources*, once it is sure that they can be asked.

        Raises:
            ConfigError: a source has no quota or a taken name.
            TypeError: one of them is no source.
        """
        names: set[str] = set()
        checked = tuple(sources)
        for source in checked:
            if not isinstance(source, ContextSource):
                raise TypeError(
                    f"a source is a ContextSource, not {type(source).__name__}: "
                    "wrap a function in CallableSource(name, fn)"
                )
            self._check_name(source.name, names)
            names.add(source.name)
        return checked

    def _check_name(self, name: str, taken: Collection[str]) -> None:
        if name in taken:
            raise ConfigError(f"two sources are named {name!r}: give each a name of its own")
        if name not in self.config.source_ratios:
            raise ConfigError(
                f"source {name!r} has no share in source_ratios "
                f"({', '.join(self.config.source_ratios)}): add it there, 0 to let it borrow only"
            )

    def _room(self, budget: int | None) -> int:
        if budget is not None:
            return check_count("budget", budget, least=0)
        self.config.validate(min_chunk_tokens=self._min_chunk_tokens)
        return self.config.room

    def _room_beside(self, system_prompt: str, question: str) -> int:
        self.config.validate(min_chunk_tokens=self._min_chunk_tokens)
        system = self.token_counter(f"{system_prompt}\n\n") if system_prompt else 0
        asked = self.token_counter(f"\n\n{question}")
        whole = self.config.max_tokens or 0
        if system + self.config.reserve > whole:
            raise ContextWindowExceeded("the system prompt", system, self.config.room)
        if system + asked > whole:
            raise ContextWindowExceeded("the question", asked, whole - system)
        return whole - system - max(self.config.reserve, asked)

    def _grant(
        self,
        source: ContextSource,
        sources: Sequence[ContextSource],
        room: int,
        deadline: float | None,
    ) -> Grant:
        ratios = self.config.source_ratios
        share = ratios[source.name] / (sum(ratios[each.name] for each in sources) or 1)
        timeout = self.config.source_timeout if source.timeout is None else source.timeout
        limits = [each for each in (timeout, deadline) if each is not None]
        return Grant(whole(room * share) or room, min(limits, default=None), self.token_counter)

    def _heading(self, name: str) -> str:
        key = f"context.section.{name}"
        return self.prompts.text(key) if key in self.prompts else f"[{name}]"

    def _question(self, query: str) -> str:
        return self.prompts.render("context.current_question", query=query)


def _checked(config: ContextConfig | None) -> ContextConfig:
    if config is None or isinstance(config, ContextConfig):
        return config or ContextConfig()
    raise ConfigError(f"config must be a ContextConfig(max_tokens=...), not {kind_of(config)}")


def _no_room(sources: Sequence[ContextSource]) -> Block:
    """A block that was not asked for: no source is fetched for nothing."""
    reason = "there is no room for it"
    for source in sources:
        if source.required:
            raise SourceError(source.name, reason)
    outcomes = [
        SourceOutcome(name=each.name, outcome="rejected", reason=reason) for each in sources
    ]
    return Block("", 0, tuple(outcomes))


def _named(
    method: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> Callable[[], Awaitable[T]]:
    """A call of *method* that still has its name, for what `run` may have to say."""
    return update_wrapper(partial(method, *args, **kwargs), method)
