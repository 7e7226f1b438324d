"""How a block's room is shared between sources: quotas by ratio, then two rounds of borrowing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from agentmaker.context.knobs import (
    check_count,
    check_number,
    check_seconds,
    check_share,
    check_switch,
)
from agentmaker.errors import ConfigError


def _default_ratios() -> dict[str, float]:
    return {"history": 0.35, "rag": 0.30, "memory": 0.20, "tool": 0.15}


@dataclass(frozen=True, slots=True)
class ContextConfig:
    """The knobs of retrieval, as shares of a total, so that another window only scales them.

    Attributes:
        max_tokens: the whole context; needed only where no budget is passed.
        output_reserve_ratio: the share kept free for the reply and the question.
        source_ratios: each source's share of the rest; 0 means it only borrows.
        mmr_lambda: relevance (1) against diversity (0), see `mmr_select`.
        dedup_threshold: the cosine from which on a candidate is a duplicate.
        allow_borrow: whether idle quota goes to sources that still have candidates.
        min_chunk_tokens: the size of a candidate that every quota must hold.
        source_timeout: seconds a source may take, None for no limit.

    Raises:
        ConfigError: a knob is out of range.
    """

    max_tokens: int | None = None
    output_reserve_ratio: float = 0.2
    source_ratios: Mapping[str, float] = field(default_factory=_default_ratios, hash=False)
    mmr_lambda: float = 0.7
    dedup_threshold: float = 0.95
    allow_borrow: bool = True
    min_chunk_tokens: int = 64
    source_timeout: float | None = 10.0

    def __post_init__(self) -> None:
        if self.max_tokens is not None:
            check_count("max_tokens", self.max_tokens, least=1)
        if check_share("output_reserve_ratio", self.output_reserve_ratio) == 1:
            raise ConfigError("output_reserve_ratio must be below 1, or nothing is left to fill")
        check_share("mmr_lambda", self.mmr_lambda)
        check_switch("allow_borrow", self.allow_borrow)
        check_number("dedup_threshold", self.dedup_threshold, least=0)
        check_count("min_chunk_tokens", self.min_chunk_tokens, least=1)
        check_seconds("source_timeout", self.source_timeout)
        object.__setattr__(self, "source_ratios", _checked_ratios(self.source_ratios))

    @classmethod
    def for_window(
        cls,
        context_window: int | None,
        *,
        use_ratio: float = 0.5,
        fallback_window: int | None = None,
        **kwargs: Any,
    ) -> Self:
        """A configuration whose ``max_tokens`` is *use_ratio* of the model's window.

        Raises:
            ConfigError: the window is unknown and there is no *fallback_window*, or a knob is
                out of range.
        """
        window = fallback_window if context_window is None else context_window
        if window is None:
            raise ConfigError(
                "the model's window is unknown: pass fallback_window=, the least it could be"
            )
        check_count("the window", window, least=1)
        share = check_share("use_ratio", use_ratio, zero=False)
        return cls(max_tokens=max(1, int(window * share)), **kwargs)

    def validate(
        self, *, min_chunk_tokens: int | None = None, require_max_tokens: bool = True
    ) -> None:
        """Check that every quota holds a candidate of *min_chunk_tokens*.

        Raises:
            ConfigError: one does not, or ``max_tokens`` is missing and required.
        """
        chunk = self.min_chunk_tokens if min_chunk_tokens is None else min_chunk_tokens
        check_count("min_chunk_tokens", chunk, least=1)
        if self.max_tokens is None:
            if require_max_tokens:
                raise ConfigError(
                    "max_tokens is not set: use ContextConfig.for_window(...), or pass budget="
                )
            return
        for name, quota in self.quotas(self.room).items():
            if quota < chunk and self.source_ratios[name] > 0:
                raise ConfigError(
                    f"the quota of source {name!r} is {quota} tokens, less than one chunk "
                    f"({chunk}): raise max_tokens or its ratio, lower min_chunk_tokens, "
                    "or set the ratio to 0 to let it borrow"
                )

    @property
    def reserve(self) -> int:
        """Tokens of ``max_tokens`` kept free for the reply and the question."""
        return math.ceil((self.max_tokens or 0) * self.output_reserve_ratio)

    @property
    def room(self) -> int:
        """Tokens of ``max_tokens`` that sources may fill."""
        return (self.max_tokens or 0) - self.reserve

    def quotas(self, room: int) -> dict[str, int]:
        """Each source's own tokens of *room*; their sum is at most *room*."""
        return {name: whole(room * ratio) for name, ratio in self.source_ratios.items()}

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The reverse of `to_dict`.

        Raises:
            ConfigError: a key is unknown or a value out of range.
        """
        unknown = sorted(set(values) - set(cls.__dataclass_fields__))
        if unknown:
            raise ConfigError(
                f"unknown keys {', '.join(unknown)}: use {', '.join(cls.__dataclass_fields__)}"
            )
        return cls(**values)


def whole(tokens: float) -> int:
    """*tokens* without its fraction; 28.999999999999996 is 29."""
    return int(tokens + 1e-9)


def _checked_ratios(ratios: object) -> dict[str, float]:
    if not isinstance(ratios, Mapping) or not ratios:
        raise ConfigError("source_ratios must name each source's share: {'rag': 0.5, ...}")
    for name, ratio in ratios.items():
        check_share(f"source_ratios[{name!r}]", ratio)
    total = sum(ratios.values())
    if total > 1 + 1e-9:
        raise ConfigError(f"source_ratios add up to {total:g}: lower them to at most 1")
    return dict(ratios)


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What one source wants.

    Attributes:
        quota: its own tokens.
        costs: tokens of its items, the best first.
        opening: tokens that its first item costs on top (the heading).
    """

    name: str
    quota: int
    costs: tuple[int, ...]
    opening: int = 0


def allocate(
    demands: Iterable[Demand], room: int, *, borrow: bool = True
) -> dict[str, tuple[int, ...]]:
    """The items each source may keep, as indices in rank order.

    - The kept items cost at most *room*, whose quotas must not exceed it.
    - Each source fills its own quota first; an item that does not fit is skipped.
    - A best item larger than its quota has first claim on idle quota, the smallest claim first.
    - What is still idle is shared by unmet demand, and no item that fits is left out.
    - The order of *demands* does not matter.

    With *borrow* False every source has its own quota and no more.
    """
    trays = [_Tray(demand) for demand in sorted(demands, key=lambda each: each.name)]
    if borrow:
        _borrow(trays, room)
    else:
        for tray in trays:
            tray.fill(tray.demand.quota)
    return {tray.demand.name: tuple(sorted(tray.kept)) for tray in trays}


class _Tray:
    """The items of one source, kept and waiting."""

    def __init__(self, demand: Demand) -> None:
        self.demand = demand
        self.kept: list[int] = []
        self.waiting = list(range(len(demand.costs)))

    def price(self, index: int) -> int:
        return self.demand.costs[index] + (0 if self.kept else self.demand.opening)

    @property
    def claim(self) -> int:
        """Tokens its best item needs beyond the quota."""
        return self.price(0) - self.demand.quota if 0 in self.waiting else 0

    @property
    def unmet(self) -> int:
        opening = 0 if self.kept or not self.waiting else self.demand.opening
        return opening + sum(self.demand.costs[index] for index in self.waiting)

    def take(self, index: int) -> int:
        """Keep an item; returns what it costs."""
        price = self.price(index)
        self.waiting.remove(index)
        self.kept.append(index)
        return price

    def fill(self, room: int) -> int:
        """Keep what fits, in rank order; returns the tokens left."""
        for index in tuple(self.waiting):
            if self.price(index) <= room:
                room -= self.take(index)
        return room


def _borrow(trays: list[_Tray], room: int) -> None:
    idle = room - sum(tray.demand.quota for tray in trays)
    held = [tray for tray in trays if tray.claim > 0]
    for tray in trays:
        if tray not in held:
            idle += tray.fill(tray.demand.quota)
    idle = _serve_claims(held, idle)
    idle = _share(trays, idle)
    _sweep(trays, idle)


def _serve_claims(held: list[_Tray], idle: int) -> int:
    """Give best items the idle quota they lack; a source whose claim fails uses its own quota."""
    held = sorted(held, key=lambda tray: tray.claim)
    while held:
        while held and held[0].claim <= idle:
            tray = held.pop(0)
            idle -= tray.claim
            tray.take(0)
        if held:
            tray = held.pop()
            idle += tray.fill(tray.demand.quota)
    return idle


def _share(trays: list[_Tray], idle: int) -> int:
    """Best items first; then each source fills its part of *idle*, by unmet demand."""
    for tray in sorted(trays, key=lambda tray: tray.claim):
        if 0 in tray.waiting and tray.price(0) <= idle:
            idle -= tray.take(0)
    unmet = [tray.unmet for tray in trays]
    parts = [idle * each // (sum(unmet) or 1) for each in unmet]
    return idle - sum(part - tray.fill(part) for tray, part in zip(trays, parts, strict=True))


def _sweep(trays: list[_Tray], idle: int) -> None:
    """Place whatever still fits, the best ranks first."""
    waiting = sorted(
        ((index, tray) for tray in trays for index in tray.waiting), key=lambda each: each[0]
    )
    # Again until nothing fits: an item that opens its source makes the skipped ones cheaper.
    while True:
        left: list[tuple[int, _Tray]] = []
        for index, tray in waiting:
            if tray.price(index) <= idle:
                idle -= tray.take(index)
            else:
                left.append((index, tray))
        if len(left) == len(waiting):
            return
        waiting = left
