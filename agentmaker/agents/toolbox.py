"""The tools of one run: what the model may call, and how much of a result it is shown."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

from agentmaker.agents.knobs import AgentConfig
from agentmaker.calls.limits import Run
from agentmaker.context.knobs import check_switch
from agentmaker.context.sources import Grant
from agentmaker.context.threads import DaemonThreads, is_async
from agentmaker.messages import ToolCall
from agentmaker.prompts import PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter
from agentmaker.tools import Outcome, Tool, ToolRegistry
from agentmaker.tools.archive import RECALL, Archive
from agentmaker.tools.attempt import Attempt
from agentmaker.tools.repeated import Repeats, said_once
from agentmaker.tools.results import Capped, capped

Confirm = Callable[[ToolCall], bool | Awaitable[bool | None] | None]
"""Says whether a call may run: True, False, or None to be asked later; may be awaited.

One that is sync runs in a thread: it may ask a person and wait.
"""


@dataclass(slots=True, kw_only=True)
class Toolbox:
    """What the loops of a run share.

    Attributes:
        meter: of the run, which says how long a tool may take.
        put_away: whether a result was put away: then there is something to recall.
        wish: what the model wants kept above all in the compaction it asked for.
    """

    registry: ToolRegistry
    archive: Archive
    meter: Run
    scope: Scope
    config: AgentConfig
    counter: TokenCounter
    prompts: PromptRegistry
    confirm: Confirm | None = None
    put_away: bool = False
    wish: str | None = None
    repeats: Repeats = field(default_factory=Repeats)
    _threads: DaemonThreads = field(init=False, default_factory=DaemonThreads)
    _made: dict[bool, ToolRegistry] = field(init=False, default_factory=dict)

    @property
    def tools(self) -> ToolRegistry:
        """The registry, with `recall` once there is something to bring back."""
        if self.put_away not in self._made:
            self._made[self.put_away] = self.registry.with_tools(*self._own())
        return self._made[self.put_away]

    def _own(self) -> Iterator[Tool]:
        if self.config.self_compaction:
            from agentmaker.agents.compaction import compact_tool

            yield compact_tool(self._wish, self.prompts)
        if self.put_away:
            from agentmaker.tools.recall import recall_tool

            yield recall_tool(self.archive, self.scope, prompts=self.prompts)

    def emptied(self) -> Toolbox:
        """The same for a part that has no tools."""
        config = replace(self.config, self_compaction=False)
        return replace(self, registry=ToolRegistry(), config=config, put_away=False)

    def _wish(self, focus: str) -> None:
        self.wish = focus

    def needs_approval(self, call: ToolCall) -> bool:
        tool = self.registry.get(call.name)
        return tool is not None and tool.confirm

    def unfit(self, call: ToolCall) -> str | None:
        """What comes of a call whose arguments its tool cannot take; None of every other."""
        grant = Grant(0, None, self.counter)
        unfit = Attempt(call, self.tools, grant, self.scope, self.prompts, inf).unfit()
        return None if unfit is None else unfit.text

    def repeatable(self, call: ToolCall) -> bool:
        """Whether nothing is lost when the call is run a second time."""
        tool = self.tools.get(call.name)
        return tool is not None and tool.idempotent

    async def decide(self, call: ToolCall) -> bool | None:
        """What the user's hook says of a call; None where there is no hook. A sync one may block.

        Raises:
            ConfigError: it says something else than True, False or None.
        """
        if self.confirm is None:
            return None
        ask = partial(self.confirm, call)
        said = ask() if is_async(self.confirm) else await self._threads.run(ask)
        said = await said if inspect.isawaitable(said) else said
        return None if said is None else check_switch("what confirm says", said)

    def grant(self, room: int, calls: int) -> Grant:
        """What each of *calls* may show of its result, and how long it may take."""
        share = int(room * self.config.result_share) // max(1, calls)
        seconds = min(self.config.tool_seconds or inf, self.meter.left())
        deadline = None if seconds == inf else seconds
        return Grant(max(self.config.least_result, share), deadline, self.counter)

    async def shown(self, outcome: Outcome, grant: Grant, name: str) -> Capped:
        """The result within its grant; the whole of one that is longer is put away as *name*."""
        call, text = outcome.call, outcome.text
        once = said_once(call, text, self.repeats, self.counter, prompts=self.prompts)
        if once is not text:
            return Capped(once)
        shown = await self._capped(outcome, grant, name)
        self.repeats.note(call, text, put_away=shown.put_away)
        self.put_away = self.put_away or shown.put_away is not None
        return shown

    async def cut(self, outcome: Outcome, grant: Grant) -> str:
        """The result within its grant; nothing is put away."""
        return (await self._capped(outcome, grant, None)).text

    async def _capped(self, outcome: Outcome, grant: Grant, name: str | None) -> Capped:
        # What is recalled is put away already.
        away = name is not None and outcome.call.name != RECALL
        return await capped(
            outcome.text,
            grant.tokens,
            self.counter,
            archive=self.archive if away else None,
            scope=self.scope,
            name=name or "",
            prompts=self.prompts,
        )
