"""A result that was given before for the same call is said once."""

from __future__ import annotations

import json
from dataclasses import dataclass

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.context.clip import fits
from agentmaker.digests import hashed
from agentmaker.messages import ToolCall
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.tokens import TokenCounter

LEAST = 64
"""Tokens up to which a result is said again: it is hardly longer than a word about it."""

_SORTED = json.JSONEncoder(sort_keys=True, default=str)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A call whose result is still in sight, or can be recalled as *put_away*."""

    call_id: str
    put_away: str | None = None


class Repeats:
    """Remembers which call gave which result, as digests, of the latest *max_results*.

    What it names must be there to be read: after a cut, call `cut`. The newest result is held
    itself, too, so that its digest is made once where it is looked for and then noted.
    """

    def __init__(self, *, max_results: int = 512) -> None:
        self._max_results = max_results
        self._earlier: Remembered[bytes, Earlier] = Remembered(max_results)
        self._newest: tuple[ToolCall, str, bytes] | None = None

    def note(self, call: ToolCall, text: str, *, put_away: str | None = None) -> None:
        """Remember that *call* gave the whole *text*."""
        self._earlier.put(self._digest(call, text), Earlier(call.id, put_away))

    def earlier(self, call: ToolCall, text: str) -> Earlier | None:
        """The call of the same tool with the same arguments and result, None for a new one."""
        return self._earlier.get(self._digest(call, text))

    def _digest(self, call: ToolCall, text: str) -> bytes:
        newest = self._newest
        if newest is None or newest[0] is not call or newest[1] is not text:
            asked = _SORTED.encode([call.name, _meant(call.arguments)])
            newest = self._newest = call, text, hashed(asked, text)
        return newest[2]

    def cut(self) -> None:
        """Forget every result, as none may be in sight any more."""
        self._earlier = Remembered(self._max_results)


def said_once(
    call: ToolCall,
    text: str,
    repeats: Repeats,
    counter: TokenCounter,
    *,
    prompts: PromptRegistry = DEFAULT_PROMPTS,
) -> str:
    """*text*, or a sentence that names the earlier call which gave the very same."""
    if fits(text, LEAST, counter):
        return text
    earlier = repeats.earlier(call, text)
    if earlier is None:
        return text
    if earlier.put_away is None:
        return prompts.render("tool.repeated", name=call.name, call=earlier.call_id)
    return prompts.render(
        "tool.repeated_away", name=call.name, call=earlier.call_id, id=earlier.put_away
    )


def _meant(arguments: object) -> object:
    """Without the differences of spelling: white space, the order of keys."""
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments
