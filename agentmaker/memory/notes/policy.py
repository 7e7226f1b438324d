"""When an agent is reminded to write down what must outlast its window."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.context.knobs import check_count, check_switch
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry

WRITE = "note_write"
"""The tool that writes one."""

NEAR = 0.85
"""Share of the trajectory's room from which on the next step may bring a cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotePolicy:
    """How often an agent with notes is reminded to write one.

    Attributes:
        every: steps without a note after which to remind, and after as many again; None for
            never.
        before_cut: remind where `NEAR` of the trajectory's room is used as well, at each step
            until a note was written or older steps were cut.

    Raises:
        ConfigError: *every* is less than 1, or *before_cut* no bool.
    """

    every: int | None = 10
    before_cut: bool = True

    def __post_init__(self) -> None:
        if self.every is not None:
            check_count("every", self.every, least=1)
        check_switch("before_cut", self.before_cut)

    def reminder(
        self, steps_since_note: int, fill: float, prompts: PromptRegistry = DEFAULT_PROMPTS
    ) -> str:
        """The words to put below the newest result, "" for none.

        *fill* is the share of the trajectory's room that is used.
        """
        due = self.every is not None and steps_since_note % self.every == 0
        if steps_since_note < 1 or not (due or (self.before_cut and fill >= NEAR)):
            return ""
        return prompts.render("notes.reminder", steps=steps_since_note)
