"""The rarer knobs of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agentmaker.calls.limits import RunPolicy
from agentmaker.context.knobs import check_count, check_seconds, check_share, check_switch
from agentmaker.memory.notes.policy import NotePolicy

DEFAULT_LIMITS = RunPolicy(calls=100)
"""What a run may spend by default: enough for most, and an end to a loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """How an agent works.

    Attributes:
        parallel: how many calls of one batch run at the same time.
        tool_seconds: seconds that a batch gives each of its calls, waiting included, None for no
            limit. A tool's own ``timeout`` may be shorter.
        result_share: the share of the trajectory's room that the results of one batch may take.
        least_result: tokens that each result may take, however many there are.
        cut_off_rounds: how often in a row a reply with tool calls may be cut off, for its length
            or by a content filter; none of its calls is run, however complete it looks.
        output_rounds: how often an answer that is not of the output type is asked for again.
        replans: how often a plan is made anew after a step failed.
        rounds: how often a draft is criticised and refined.
        digest_share: the share of the window's room that a plan with its results may take, or an
            answer with the points made against it.
        artefacts: how many artefacts are read again and shown after a cut, the latest first.
        notes: when an agent with notes is reminded of them.
        notes_share: the share of the window that the index of the notes may take.
        self_compaction: whether the model has a tool ``compact``, which replaces its earlier work
            by a recap.
        params: further parameters of every request, as the API names them.

    Raises:
        ConfigError: a knob is out of range.
    """

    parallel: int = 8
    tool_seconds: float | None = None
    result_share: float = 0.5
    least_result: int = 128
    cut_off_rounds: int = 3
    output_rounds: int = 2
    replans: int = 2
    rounds: int = 3
    digest_share: float = 0.6
    artefacts: int = 3
    notes: NotePolicy = field(default_factory=NotePolicy)
    notes_share: float = 0.05
    self_compaction: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_count("parallel", self.parallel, least=1)
        check_seconds("tool_seconds", self.tool_seconds)
        check_share("result_share", self.result_share, zero=False)
        check_count("least_result", self.least_result, least=1)
        check_count("cut_off_rounds", self.cut_off_rounds, least=0)
        check_count("output_rounds", self.output_rounds, least=0)
        check_count("replans", self.replans, least=0)
        check_count("rounds", self.rounds, least=1)
        check_share("digest_share", self.digest_share, zero=False)
        check_share("notes_share", self.notes_share)
        check_switch("self_compaction", self.self_compaction)
        check_count("artefacts", self.artefacts, least=0)
