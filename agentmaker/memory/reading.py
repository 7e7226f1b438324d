"""A session as it stood when it was read, and the state that follows from a change of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmaker.memory.recaps import without_recap
from agentmaker.memory.records import SessionState
from agentmaker.memory.store import Store
from agentmaker.messages import Message, read_messages
from agentmaker.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A state and the turns of its session.

    Attributes:
        turns: those from *start* on: from the first where the state has nothing in their place.
    """

    state: SessionState
    turns: tuple[Message, ...]
    start: int = 0

    @property
    def upto(self) -> int:
        """How many turns the session had."""
        return self.start + len(self.turns)

    @property
    def full(self) -> tuple[Message, ...]:
        full = self._followed(self.state.full)
        return self.turns if full is None else full

    @property
    def window(self) -> tuple[Message, ...]:
        window = self._followed(self.state.window)
        return self.full if window is None else window

    @property
    def opened(self) -> tuple[str, tuple[Message, ...]]:
        """The recap the window begins with, "" for none, and the messages of the window."""
        # What a user wrote may look like a recap: one stands only in a window that was made.
        return ("", self.window) if self.state.window is None else without_recap(self.window)

    def changed(
        self, full: Sequence[Any] | None, window: Sequence[Any] | None, memo: Any = None
    ) -> SessionState:
        """The state with these in the place of its own; None keeps what it has.

        Raises:
            TypeError: *memo* is no JSON, or a message is none.
        """
        state = self.state if memo is None else replace(self.state, memo=as_json(memo))
        if full is None and window is None:
            return state
        return replace(
            state,
            upto=self.upto,
            full=self._followed(self.state.full) if full is None else read_messages(full),
            window=self._followed(self.state.window) if window is None else read_messages(window),
        )

    def _followed(self, front: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
        """*front* and the turns it does not stand for."""
        return None if front is None else (*front, *self.turns[self.state.upto - self.start :])


async def read_session(store: Store, session: Scope, *, whole: bool = False) -> Reading:
    """What is needed of a session for its window, or for its *whole* conversation."""
    state = await store.state(session)
    replaced = state.full is not None or (state.window is not None and not whole)
    start = state.upto if replaced else 0
    return Reading(state=state, turns=await store.turns(session, start), start=start)


def as_json(memo: Any) -> Any:
    """A copy of *memo*: nobody changes what is kept from outside.

    Raises:
        TypeError: it is no JSON.
    """
    return json.loads(json.dumps(memo))
