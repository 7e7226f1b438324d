"""The window as one account: what each stream of the prompt may spend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

from agentmaker.context.knobs import check_count, check_share, check_switch


class HasWindow(Protocol):
    """A model whose window may be known; ``max_output_tokens`` is read too where it exists."""

    @property
    def context_window(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class WindowBudgetConfig:
    """How a window is shared between the reply, the retrieved block and the trajectory.

    Attributes:
        desired_output_tokens: tokens wished for the reply.
        max_output_fraction: the largest share of a small window the reply may reserve.
        rag_ratio: the retrieved block's share of what is left; the trajectory has the rest.
        min_output_tokens: the reserve may sink to this when what must be sent needs the room.
        low_water: a cut goes down to this share of the room, so that cuts are rare.
        calibrate: whether the prompt tokens that providers report correct our counts.

    Raises:
        ConfigError: a knob is out of range.
    """

    desired_output_tokens: int = 4096
    max_output_fraction: float = 0.5
    rag_ratio: float = 0.35
    min_output_tokens: int = 512
    low_water: float = 0.6
    calibrate: bool = True

    def __post_init__(self) -> None:
        self.validate()

    def validate(self) -> None:
        check_count("desired_output_tokens", self.desired_output_tokens, least=1)
        check_share("max_output_fraction", self.max_output_fraction, zero=False)
        check_share("rag_ratio", self.rag_ratio)
        check_count("min_output_tokens", self.min_output_tokens, least=1)
        check_share("low_water", self.low_water, zero=False)
        check_switch("calibrate", self.calibrate)

    def output_reserve(self, *, window: int, model_max_output: int | None = None) -> int:
        """Tokens kept free for the reply: the wish, held by the window and the model's own cap."""
        limits = [self.desired_output_tokens, int(window * self.max_output_fraction)]
        if model_max_output is not None:
            limits.append(check_count("max_output_tokens", model_max_output, least=1))
        return min(limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowBudget:
    """One window, shared out once a run.

    No account is negative, and where the fixed parts fit,
    ``window == output_reserve + fixed + rag_budget + trajectory_budget(rag_in_scope=False)``.
    """

    window: int
    output_reserve: int
    system_tokens: int = 0
    tool_tokens: int = 0
    rag_ratio: float = 0.35

    @classmethod
    def for_run(
        cls,
        *,
        llm: HasWindow,
        cfg: WindowBudgetConfig,
        system_tokens: int = 0,
        tool_tokens: int = 0,
        rag_ratio: float | None = None,
    ) -> Self | None:
        """The account of a run on *llm*; None when its window is unknown.

        Raises:
            ConfigError: a number is out of range.
        """
        if llm.context_window is None:
            return None
        window = check_count("context_window", llm.context_window, least=1)
        cap = getattr(llm, "max_output_tokens", None)
        return cls(
            window=window,
            output_reserve=cfg.output_reserve(window=window, model_max_output=cap),
            system_tokens=check_count("system_tokens", system_tokens, least=0),
            tool_tokens=check_count("tool_tokens", tool_tokens, least=0),
            rag_ratio=check_share("rag_ratio", cfg.rag_ratio if rag_ratio is None else rag_ratio),
        )

    @property
    def fixed(self) -> int:
        """Tokens of the system prompt and the tool schemas."""
        return self.system_tokens + self.tool_tokens

    @property
    def spendable(self) -> int:
        """Tokens left for the retrieved block and the trajectory."""
        return max(0, self.window - self.output_reserve - self.fixed)

    @property
    def rag_budget(self) -> int:
        """The most tokens the retrieved block may have."""
        return min(self.spendable, int(self.spendable * self.rag_ratio))

    def trajectory_budget(self, *, rag_in_scope: bool) -> int:
        """Tokens a reducer may leave.

        With *rag_in_scope* the reduced messages hold the system prompt and the block
        themselves, so only the reply and the tool schemas (which no reducer sees) are
        taken off.
        """
        if rag_in_scope:
            return max(0, self.window - self.output_reserve - self.tool_tokens)
        return self.spendable - self.rag_budget
