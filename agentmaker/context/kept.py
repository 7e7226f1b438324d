"""How much stays word for word, where compactor and reducers are used by themselves."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.context.knobs import check_count


@dataclass(frozen=True, slots=True)
class CompactionConfig:
    """When a history is compacted, where the compactor is used by itself.

    In the engine the room decides.

    Attributes:
        keep_recent: newest messages that stay as they are.
        trigger_tokens: a history of at most so many tokens is left alone.

    Raises:
        ConfigError: a knob is below 1.
    """

    keep_recent: int = 4
    trigger_tokens: int = 2000

    def __post_init__(self) -> None:
        self.validate()

    def validate(self) -> None:
        check_count("keep_recent", self.keep_recent, least=1)
        check_count("trigger_tokens", self.trigger_tokens, least=1)


@dataclass(frozen=True, slots=True)
class ReducerConfig:
    """How much of the newest work stays word for word, where a reducer is called by itself.

    In the engine the room decides.

    Attributes:
        agent_keep_recent_steps: newest units of a tool loop: a call and its results.
        plan_keep_recent: newest step results of a plan.

    Raises:
        ConfigError: a knob is negative.
    """

    agent_keep_recent_steps: int = 3
    plan_keep_recent: int = 3

    def __post_init__(self) -> None:
        self.validate()

    def validate(self) -> None:
        check_count("agent_keep_recent_steps", self.agent_keep_recent_steps, least=0)
        check_count("plan_keep_recent", self.plan_keep_recent, least=0)
