"""Who reads a task, and with what room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agentmaker.context.knobs import check_count
from agentmaker.context.sources import Grant
from agentmaker.errors import ConfigError
from agentmaker.prompts import PromptRegistry
from agentmaker.tasks.block_renderer import BlockRenderer
from agentmaker.tasks.candidates import Item
from agentmaker.tasks.selection import SelectionRequest, candidates_of
from agentmaker.tokens import TokenCounter

_LAYOUT = 64
"""Tokens that a builder's heading and bullets take of a grant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderOptions:
    """What stays the same over all reads of one reader.

    Attributes:
        budget: tokens of all a package shows, None for no bound but that of each block.
        timeout: seconds for one read of a source, or one choice of a selector.

    Raises:
        ConfigError: one of them is not what it should be.
    """

    consumer: str
    phase: str
    max_blocks: int
    budget: int | None
    counter: TokenCounter
    prompts: PromptRegistry
    timeout: float | None

    def __post_init__(self) -> None:
        for what, given in (("consumer", self.consumer), ("phase", self.phase)):
            if not isinstance(given, str):
                raise ConfigError(f"{what} must be a string, not {type(given).__name__}")
        check_count("max_blocks", self.max_blocks, least=1)
        if self.budget is not None:
            check_count("budget_tokens", self.budget, least=0)

    def within(self, grant: Grant) -> ReaderOptions:
        """The same in the room of *grant*, counted as it counts."""
        room = max(0, grant.tokens - _LAYOUT)
        budget = room if self.budget is None else min(room, self.budget)
        return replace(self, budget=budget, counter=grant.counter)

    def renderer(self, query: str) -> BlockRenderer:
        return BlockRenderer(query=query, counter=self.counter, prompts=self.prompts)

    def request(self, query: str, items: Sequence[Item], left: int) -> SelectionRequest:
        """What a selector is asked to choose from *items*, where *left* of them can be shown."""
        return SelectionRequest(
            consumer=self.consumer,
            phase=self.phase,
            query=query,
            candidates=candidates_of(items),
            max_blocks=left,
            budget=self.budget,
        )
