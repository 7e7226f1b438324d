"""What a client is wrapped with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentmaker.calls.forms.dialects import Dialect
from agentmaker.clients.hosts import Chosen
from agentmaker.clients.models import check_tokens
from agentmaker.config import AgentmakerConfig
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope

if TYPE_CHECKING:
    from agentmaker.context.sources import ContextSource

_TOKENS = ("window", "fallback_window", "output_tokens", "max_output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What holds for every call, where neither the call nor its surroundings say otherwise.

    Attributes:
        provider: where the model is, for what its name alone does not say.
        base_url: the server's address, by which the dialect is chosen.
        knob: what the user knows *window* as.

    Raises:
        ConfigError: a number of tokens is not positive, the reserve is not smaller than
            the window, or a source has no share or a taken name.
    """

    window: int | None = None
    fallback_window: int | None = None
    output_tokens: int | None = None
    max_output: int | None = None
    provider: str | None = None
    base_url: str | None = None
    scope: Scope | None = None
    sources: tuple[ContextSource, ...] = ()
    config: AgentmakerConfig = field(default_factory=AgentmakerConfig)
    dialect: Dialect | Chosen = field(default_factory=Chosen)
    knob: str = "window"

    def __post_init__(self) -> None:
        for name in _TOKENS:
            check_tokens(name, getattr(self, name))
        if self.window and self.output_tokens and self.output_tokens >= self.window:
            raise ConfigError(
                f"output_tokens={self.output_tokens} leaves nothing of window={self.window}: "
                "lower it or use a model with a larger window"
            )
        if self.sources:
            from agentmaker.context.builder import ContextBuilder

            ContextBuilder(self.config.context).checked(self.sources)
