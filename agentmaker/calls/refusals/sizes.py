"""The sizes that a refusal states: in its words, or under names of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from agentmaker.calls.refusals.concepts import (
    is_rolling,
    names_output,
    names_prompt,
    names_tokens,
)
from agentmaker.calls.refusals.overflow import Quota
from agentmaker.calls.refusals.roles import roles_in

Sizes: TypeAlias = dict[str, int]
"""Numbers by their role: the names of an overflow's fields."""

_LIMIT = re.compile(
    r"\blimit(?:ed)?(?: of| is| to)?[^\d.]{0,3}(\d{1,9})(?!\d)"
    r"|(?<![\w.-])(\d{1,9}) (?:\w+ ){0,2}tokens? per|(?:配额|限额) ?(\d{1,9})(?!\d)"
)
_REQUESTED = re.compile(
    r"(?:\brequest(?:ed|s|ing)?(?: of| a total of| size(?: of| is)?)?|请求(?: ?tokens?)?)"
    r"[^\d.]{0,3}(\d{1,9})(?!\d)"
)
_NAMES = (
    (re.compile(r"max .*(?:completion|output)|(?:completion|output|new) .*limit"), ""),
    (re.compile(r"completion|output|new|generated|^max tokens$"), "output"),
    (re.compile(r"max|limit|ctx|window|allowed|capacity|context (?:length|size)"), "limit"),
    (re.compile(r"excess|exceeded|over"), "excess"),
    (re.compile(r"prompt|input|messages|context|keep"), "prompt"),
    (re.compile(r"total|requested|actual|tokens"), "total"),
)


def proves(sizes: Sizes) -> bool:
    """Whether the sizes alone say that what was asked for does not fit."""
    parts = sizes.get("prompt", 0) + sizes.get("output", 0) if "prompt" in sizes else 0
    return "limit" in sizes and sizes.get("total", parts) >= sizes["limit"]


def sizes_in(text: str) -> Sizes:
    """The sizes that a plain text states; where the words do not say, as arithmetic has them."""
    sizes: Sizes = {}
    limits: list[int] = []
    unclear: list[int] = []
    for role, number in roles_in(text):
        if role == "limit":
            limits.append(number)
        elif role == "":
            unclear.append(number)
        elif role != "other":
            sizes.setdefault(role, number)
    if limits:
        sizes["limit"] = _window(limits, sizes.get("output", 0))
        unclear += [number for number in limits if number > sizes["limit"]]
    _place(sizes, unclear, "prompt" if names_prompt(text) and not names_output(text) else "total")
    return sizes


def sizes_of(facts: Mapping[str, int]) -> Sizes:
    """The sizes among *facts*, numbers by the words of their names."""
    sizes: Sizes = {}
    for name, number in facts.items():
        role = next((role for pattern, role in _NAMES if pattern.search(name)), "")
        if role:
            sizes.setdefault(role, number)
    return sizes


def quota_in(text: str) -> Quota | None:
    """The quota that a plain text states beside the size of the request."""
    limit, requested = _number(_LIMIT, text), _number(_REQUESTED, text)
    if limit and requested:
        return Quota(limit=limit, requested=requested)
    if is_rolling(text) or not names_tokens(text):
        return None
    stated = dict(reversed([*roles_in(text)]))
    limit = limit or sizes_in(text).get("limit", 0)
    requested = requested or stated.get("total") or stated.get("prompt", 0)
    # What other words say are the sizes of this request only if it is over the limit by itself.
    return Quota(limit=limit, requested=requested) if 0 < limit < requested else None


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return int(next(filter(None, found.groups()))) if found else 0


def _window(limits: list[int], output: int) -> int:
    """The least of *limits*; if it is what the reply leaves of another, that other."""
    least = min(limits)
    return least + output if least + output in limits else least


def _place(sizes: Sizes, unclear: list[int], whole: str) -> None:
    """Give *unclear* numbers their roles: the smaller is the limit, the larger was too much.

    *whole* is the role of what was too much, where nothing else has it.
    """
    unclear = sorted(unclear)
    asked = max([*unclear, sizes.get("prompt", 0), sizes.get("total", 0)])
    if unclear and unclear[0] < asked and "limit" not in sizes:
        sizes["limit"] = unclear.pop(0)
    if unclear and unclear[-1] > sizes.get("prompt", 0):
        sizes.setdefault("total" if whole in sizes else whole, unclear[-1])
    limit, total = sizes.get("limit"), sizes.get("total")
    if limit and total and total < limit:
        sizes |= {"limit": total, "total": limit}
