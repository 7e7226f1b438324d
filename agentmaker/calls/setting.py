"""How the window of one call is to be used."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentmaker.calls.forms.adaptations import Adaptations
from agentmaker.calls.forms.dialects import DEFAULT, Dialect
from agentmaker.calls.memory.calibrations import Calibrations
from agentmaker.calls.views import Views
from agentmaker.context.allocation import ContextConfig
from agentmaker.context.budget import WindowBudgetConfig
from agentmaker.context.sources import ContextSource
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tokens import TokenCounter, count_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryModel:
    """The model that writes summaries: its name, its own window in tokens, its dialect."""

    model: str
    window: int
    counter: TokenCounter = count_tokens
    dialect: Dialect = DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the steps need to know beside the window's content.

    Attributes:
        window: tokens the model can hold, output included.
        max_output: the most tokens the model can write in one reply, where known.
        output_tokens: tokens to keep free for the reply; None follows *budget*.
        summary: who summarises; None for deterministic extracts.
        views: the cuts remembered between calls.
        adaptations: what messages became in the dialect.
        calibrations: how the server counts, as far as it has said.
    """

    window: int
    max_output: int | None = None
    output_tokens: int | None = None
    counter: TokenCounter = count_tokens
    budget: WindowBudgetConfig = field(default_factory=WindowBudgetConfig)
    context: ContextConfig = field(default_factory=ContextConfig)
    prompts: PromptRegistry = DEFAULT_PROMPTS
    dialect: Dialect = DEFAULT
    sources: tuple[ContextSource, ...] = ()
    summary: SummaryModel | None = None
    views: Views = field(default_factory=Views, repr=False, compare=False)
    adaptations: Adaptations = field(default_factory=Adaptations, repr=False, compare=False)
    calibrations: Calibrations = field(default_factory=Calibrations, repr=False, compare=False)

    @property
    def fills(self) -> bool:
        """Whether a cut fills the room instead of leaving some for the calls to come."""
        return self.budget.low_water >= 1.0
