"""How a window is shared out before anything is cut."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from agentmaker.calls.setting import Setting
from agentmaker.calls.window import Window
from agentmaker.context.budget import WindowBudget
from agentmaker.context.measure import REPLY_PRIMING, messages_tokens
from agentmaker.errors import ContextWindowExceeded
from agentmaker.tokens import is_exact
from agentmaker.tokens.calibrated import Schemas

OUTPUT_CAPS = ("max_completion_tokens", "max_tokens")

EXACT_MARGIN = 0.004
ESTIMATE_MARGIN = 0.04
LEAST_MARGIN = 8
"""Tokens kept free beside everything: counters differ by what templates add."""

LEAST_SHARE = 0.25
"""Of what the fixed parts leave, the share that a reserve nobody asked for leaves in turn."""


class TooDense(ContextWindowExceeded):
    """Raised where what was laid out comes to more of the provider's tokens than was planned.

    Attributes:
        density: its tokens for one of ours, to plan by.
    """

    def __init__(self, density: float) -> None:
        super().__init__("the request", 0, 0)
        self.density = density


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """What travels with every request of a conversation, in tokens as we count them.

    Attributes:
        digest: of the tools' JSON.
    """

    system: int = REPLY_PRIMING
    tools: int = 0
    response_format: int = 0
    digest: int = 0

    @classmethod
    def of(cls, window: Window, setting: Setting) -> Self:
        written, counter = setting.views.schemas, setting.counter
        return cls(
            system=messages_tokens(window.system, counter) + REPLY_PRIMING,
            tools=written.tokens(window.tools, counter),
            response_format=written.tokens(window.response_format, counter),
            digest=written.digest(window.tools),
        )

    @property
    def schemas(self) -> Schemas:
        return Schemas(self.tools, self.tools)

    def counted(self, density: float, tools: float) -> Self:
        """The same as a provider counts it whose *density* is that of the messages."""
        return type(self)(
            system=math.ceil(self.system * density),
            tools=math.ceil(tools),
            response_format=math.ceil(self.response_format * density),
            digest=self.digest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The fixed accounts of one request, in tokens.

    Attributes:
        output: the reserve wished for.
        least_output: what the reserve may sink to.
        block_share: the retrieved block's share of what is spendable.
    """

    window: int
    output: int
    least_output: int
    system: int
    tools: int = 0
    response_format: int = 0
    margin: int = 0
    block_share: float = 0.0

    @property
    def fixed(self) -> int:
        return self.system + self.tools + self.response_format

    @property
    def shared(self) -> int:
        """What block and conversation share beside the wished reserve."""
        return max(0, self.most + self.least_output - self.output)

    @property
    def most(self) -> int:
        """The same beside the lowest reserve."""
        return self.window - self.least_output - self.fixed - self.margin

    def yielding(self) -> Self:
        """The same with a reserve that leaves the conversation its least share.

        Where the fixed parts crowd the window, a reserve by the window's size alone would
        leave no room to last in from one call to the next.
        """
        spare = self.most - int(self.most * LEAST_SHARE)
        output = min(self.output, self.least_output + spare)
        return self if output == self.output else replace(self, output=output)

    @property
    def crowded(self) -> bool:
        """Whether the conversation has no more than its least share."""
        return self.output > self.least_output and self.shared <= int(self.most * LEAST_SHARE)

    @property
    def block(self) -> int:
        """The block's own share."""
        if not self.block_share:
            return 0
        budget = WindowBudget(
            window=self.window - self.response_format - self.margin,
            output_reserve=self.output,
            system_tokens=self.system,
            tool_tokens=self.tools,
            rag_ratio=self.block_share,
        )
        return budget.rag_budget

    def as_we_count(self, fixed: Fixed, density: float) -> Self:
        """The same room in tokens as we count them, for a provider of this *density*."""
        if density == 1.0 and self.tools == fixed.tools:
            return self
        return type(self)(
            window=int((self.window - self.tools) / density) + fixed.tools,
            output=math.ceil(self.output / density),
            least_output=math.ceil(self.least_output / density),
            system=fixed.system,
            tools=fixed.tools,
            response_format=fixed.response_format,
            margin=math.ceil(self.margin / density),
            block_share=self.block_share,
        )


def shared_out(fixed: Fixed, setting: Setting, params: Mapping[str, Any]) -> Room:
    """The room beside *fixed*.

    Raises:
        ContextWindowExceeded: the fixed parts and the least reserve leave no room.
    """
    wished, least = reserve(setting, params)
    rate = EXACT_MARGIN if is_exact(setting.counter) else ESTIMATE_MARGIN
    room = Room(
        window=setting.window,
        output=wished,
        least_output=least,
        system=fixed.system,
        tools=fixed.tools,
        response_format=fixed.response_format,
        margin=max(LEAST_MARGIN, int(setting.window * rate)),
        block_share=setting.budget.rag_ratio if setting.sources else 0.0,
    )
    if room.most <= 0:
        raise _too_large(room)
    return room if setting.output_tokens is not None else room.yielding()


def told_as_counted(error: ContextWindowExceeded, density: float) -> ContextWindowExceeded:
    """What was found too large in tokens of ours, named in those of the provider."""
    if density == 1.0:
        return error
    needed, room = math.ceil(error.needed * density), int(error.room * density)
    return ContextWindowExceeded(error.part, needed, room)


def output_cap(params: Mapping[str, Any]) -> int | None:
    """The output cap the caller sent, under either name; servers read -1 as none."""
    caps = [params[name] for name in OUTPUT_CAPS if _is_cap(params.get(name))]
    return max(caps, default=None)


def reserve(setting: Setting, params: Mapping[str, Any]) -> tuple[int, int]:
    """The wished and the least reserve for the reply; a cap the caller sent is both."""
    cap = output_cap(params)
    if cap is not None:
        return cap, cap
    budget = setting.budget
    if setting.output_tokens is None:
        wished = budget.output_reserve(window=setting.window, model_max_output=setting.max_output)
    else:
        wished = min(setting.output_tokens, setting.max_output or setting.output_tokens)
    wished = max(1, wished)
    return wished, min(wished, budget.min_output_tokens)


def _is_cap(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _too_large(room: Room) -> ContextWindowExceeded:
    accounts = {
        "the tools": room.tools,
        "the system prompt": room.system,
        "the response format": room.response_format,
        "the output cap": room.least_output,
    }
    part = max(accounts, key=lambda name: accounts[name])
    lines = ", ".join(f"{name} {tokens:,}" for name, tokens in accounts.items() if tokens)
    return ContextWindowExceeded(
        part,
        accounts[part],
        max(0, room.most + accounts[part] - 1),
        hint=f"of a window of {room.window:,} tokens, {lines} and a margin of {room.margin:,} "
        "are taken before the conversation begins; make them smaller or the window larger",
    )
