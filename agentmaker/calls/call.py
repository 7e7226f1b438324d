"""A request on its way to the model, and the reply on its way back."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from agentmaker.calls.guard import guarded
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.sdk.raw import get
from agentmaker.calls.window import Window
from agentmaker.messages import ToolCall
from agentmaker.scope import Scope

if TYPE_CHECKING:
    from agentmaker.calls.limits import Run
    from agentmaker.calls.memory.calibrations import Expected
    from agentmaker.calls.plan import Plan
    from agentmaker.calls.setting import Setting
    from agentmaker.context.results import Block


def new_id() -> str:
    """An id for a run or a request: 16 hexadecimal digits."""
    return os.urandom(8).hex()


@dataclass(frozen=True, slots=True)
class Ready:
    """Messages to be sent, and the JSON of each, as the SDK would write it."""

    messages: tuple[Mapping[str, Any], ...]
    json: tuple[bytes, ...] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request, from the first middleware to the transport. Change it with ``replace``.

    Attributes:
        window: what the model is to see, in typed segments.
        setting: the model's window and how to use it.
        model: the model asked for.
        params: the request's other parameters, as the API names them.
        options: how to send it: extra headers, query and body, timeout, ...
        purpose: ``"request"``, or ``"summary"`` for one the engine makes for itself.
        run: the meter of the run it belongs to, where it has limits.
        repairs: what was mended in what the caller gave, in words without content.
        plan: the accounts, once measured.
        block: what the sources gave, once asked.
        messages: what will be sent, once fitted; they are not to be changed.
        ready: the same as JSON, where that is known.
        expected: what the server will count then.
        density: tokens of the provider for one of ours, at the least.
        own_ms: milliseconds this library spent on preparing it, waiting left out.
        started: when its making began, by the clock of ``time.perf_counter``.
    """

    window: Window
    setting: Setting
    model: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    scope: Scope | None = None
    purpose: str = "request"
    run: Run | None = None
    run_id: str = field(default_factory=new_id)
    request_id: str = field(default_factory=new_id)
    repairs: tuple[str, ...] = ()
    plan: Plan | None = None
    block: Block | None = None
    messages: tuple[Mapping[str, Any], ...] = ()
    ready: Ready | None = field(default=None, repr=False)
    ledger: Ledger | None = None
    expected: Expected | None = None
    density: float = 0.0
    own_ms: float = 0.0
    started: float = field(default_factory=time.perf_counter)

    @property
    def stream(self) -> bool:
        return bool(self.params.get("stream"))

    @property
    def body(self) -> dict[str, Any]:
        """The request's JSON body, with the very messages that are not to be changed."""
        named = {"model": self.model} if self.model else {}
        body = {**named, "messages": self.messages, **self.params}
        if self.window.tools:
            body["tools"] = list(self.window.tools)
        if self.window.response_format is not None:
            body["response_format"] = self.window.response_format
        return body


def changed(call: Call, **changes: Any) -> Call:
    """As ``replace``, without going through every field: each step on the way changes a call.

    Raises:
        TypeError: a call has no field of that name.
    """
    before = vars(call)
    if not changes.keys() <= before.keys():
        unknown = sorted(changes.keys() - before.keys())
        raise TypeError(f"a call has no {', '.join(unknown)}")
    twin = object.__new__(type(call))
    vars(twin).update(before, **changes)
    return twin


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider counted them; None where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None

    @classmethod
    def from_wire(cls, raw: Any) -> Usage | None:
        """Read an SDK usage object or a dictionary; None stays None."""
        if raw is None:
            return None
        return cls(
            prompt_tokens=_number(raw, "prompt_tokens"),
            completion_tokens=_number(raw, "completion_tokens"),
            total_tokens=_number(raw, "total_tokens"),
            cached_tokens=_number(get(raw, "prompt_tokens_details"), "cached_tokens"),
            reasoning_tokens=_number(get(raw, "completion_tokens_details"), "reasoning_tokens"),
        )

    def counts(self) -> dict[str, int | None]:
        """Each count by its name."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.total_tokens,
            "cached_tokens": self.cached_tokens,
            "reasoning_tokens": self.reasoning_tokens,
        }

    def plus(self, other: Usage) -> Usage:
        """Both together; None where neither says."""
        return self._with(other, _sum)

    def beyond(self, other: Usage) -> Usage:
        """What this has more than *other*."""
        return self._with(other, _beyond)

    def _with(self, other: Usage, both: Callable[[int | None, int | None], int | None]) -> Usage:
        return Usage(
            prompt_tokens=both(self.prompt_tokens, other.prompt_tokens),
            completion_tokens=both(self.completion_tokens, other.completion_tokens),
            total_tokens=both(self.total_tokens, other.total_tokens),
            cached_tokens=both(self.cached_tokens, other.cached_tokens),
            reasoning_tokens=both(self.reasoning_tokens, other.reasoning_tokens),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else (one or 0) + other


def _beyond(one: int | None, other: int | None) -> int | None:
    return None if one is None else max(0, one - (other or 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A piece of a streamed reply: what was added, and the server's own chunk."""

    content: str = ""
    raw: Any = None


Settled = Callable[["Reply"], None]
Close = Callable[[], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class Reply:
    """What came back: complete for a plain call, open for a stream until it is settled.

    Iterating an open reply pulls the stream; whoever leaves early closes it, best by
    ``async with``. Functions given to ``on_settle`` run once, at exhaustion, close, error or
    cancellation, with the completed reply.

    Attributes:
        content: the text, None when the model answered with tool calls only.
        refusal: what the model says instead of an answer that it refuses to give.
        raw: the server's own object: ``ChatCompletion`` for a plain call.
        error: what ended a stream early, when something did.
        close: gives the stream's connection back.
        hides_usage: whether the chunk that is all usage was asked for by us, and not handed on.
        learnt: whether calibration has learnt from its usage.
    """

    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage | None = None
    model: str = ""
    reasoning: str = ""
    refusal: str = ""
    ledger: Ledger | None = None
    raw: Any = None
    error: BaseException | None = None
    deltas: AsyncIterator[Delta] | None = None
    close: Close | None = None
    hides_usage: bool = False
    learnt: bool = False
    _settled: bool = False
    _on_settle: list[Settled] = field(default_factory=list)

    @property
    def settled(self) -> bool:
        """Whether the reply is complete."""
        return self._settled

    def on_settle(self, fn: Settled) -> None:
        """Run *fn* when the reply is complete: now, if it already is. What it raises is logged."""
        if self._settled:
            guarded(fn, self, "what was to run when a reply settled")
        else:
            self._on_settle.append(fn)

    def settle(self, error: BaseException | None = None) -> None:
        """Mark the reply complete, or ended by *error*; the second time does nothing."""
        if self._settled:
            return
        self._settled, self.error = True, error or self.error
        waiting, self._on_settle = self._on_settle, []
        for fn in waiting:
            self.on_settle(fn)

    async def aclose(self) -> None:
        """Close the stream, if there is one; nothing more is read of it."""
        if self.close is not None:
            await self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[Delta]:
        if self.deltas is None:
            raise TypeError("this reply is not a stream: read .content")
        return self.deltas


def _number(raw: Any, name: str) -> int | None:
    value = get(raw, name)
    # Below nothing, it would pay back.
    return value if type(value) is int and value >= 0 else None
