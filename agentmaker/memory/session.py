"""A conversation that goes on from run to run: what was said, what the window sees, a memo."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

from agentmaker.context.compaction import Compacted
from agentmaker.context.knobs import check_count
from agentmaker.context.measure import FRAMING
from agentmaker.errors import ConfigError, SessionError
from agentmaker.memory.exchanges import newest_within
from agentmaker.memory.exclusive import exclusive
from agentmaker.memory.failures import Failures
from agentmaker.memory.given import as_given
from agentmaker.memory.reading import as_json, read_session
from agentmaker.memory.recaps import fenced, with_recap
from agentmaker.memory.records import SessionState
from agentmaker.memory.resize import Analyse, Resize, Resizing
from agentmaker.memory.shrink import Shrinking
from agentmaker.memory.store import Store
from agentmaker.memory.summarizers import Summarizer, read_summarizer
from agentmaker.messages import Message, read_messages
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter, adopted, count_tokens

RECAP = 1_000
"""The most tokens of a recap; half of a session's ``max_length`` where that is less."""

ATTEMPTS = 2
"""A change made from a state that changed meanwhile is made anew once."""

WRITES = 16
"""A memo depends on nothing, so its writing is tried again more often."""


class Session:
    """The turns of a conversation in a store, and the view of them that goes into a window.

    - What was said stays as it was said, whatever is shown of it: `turns` has it all.
    - `history` is the view: the newest whole exchanges in *max_length* tokens; what *resize*
      handlers made of the conversation where there are some; a recap once `compact` was called.
    - A resize or a compaction that fails, is cancelled or comes too late changes nothing, and
      turns that arrive meanwhile follow what it made.
    - Turns of one `add` stand together. Several processes may add to one session.

    Args:
        id: names the session within *scope*; a new one for None.
        store: where it is kept; by default in memory, with this object.
        resize: ``(full, window, memo) -> (full, window, memo)``, None for what stays; or such
            handlers by name of strategy. Sync ones run in a thread. A window that was never
            given is the full conversation.
        analyse: ``(full, window, memo) -> strategy``, None for nothing to do. Without it the
            handler runs where the window is over *max_length*, and always without a length.
        summarizer: writes the recap of `compact`: a model with ``chat``, or a function of text
            and instruction; an extract takes its place where there is none.

    Raises:
        ConfigError: a setting is out of range or contradicts another.
    """

    def __init__(
        self,
        id: str | None = None,
        *,
        store: Store | None = None,
        scope: Scope | None = None,
        max_length: int | None = None,
        resize: Resize | Mapping[str, Resize] | None = None,
        analyse: Analyse | None = None,
        summarizer: Summarizer | None = None,
        counter: TokenCounter = count_tokens,
        prompts: PromptRegistry = DEFAULT_PROMPTS,
    ) -> None:
        of = _checked_scope(scope)
        self.scope = replace(of, session=id or of.session or uuid4().hex)
        self.store = _own_store() if store is None else _checked_store(store)
        self.max_length = _checked_length(max_length)
        self._counter = counter = adopted(counter)
        self._prompts = prompts
        self._resizing = _resizing(resize, analyse, max_length, counter)
        self._shrinking = Shrinking(
            summarizer=read_summarizer(summarizer),
            room=RECAP if max_length is None else min(RECAP, max(1, max_length // 2)),
            counter=counter,
            prompts=prompts,
        )
        self._failures = Failures()

    @property
    def id(self) -> str:
        return self.scope.session or ""

    async def history(self) -> tuple[Message, ...]:
        """What the window sees, oldest first; never empty once something was said."""
        reading = await read_session(self.store, self.scope)
        if self.max_length is None or self._resizing is not None:
            return reading.window
        recap, said = reading.opened
        room = self.max_length - self._recap_tokens(recap)
        return with_recap(recap, newest_within(said, room, self._counter), self._prompts)

    async def turns(self) -> tuple[Message, ...]:
        """Everything that was said, as it was said, oldest first."""
        return await self.store.turns(self.scope)

    async def add(self, *messages: Any) -> None:
        """Keep what was said: messages, dictionaries or SDK objects, all of them or none.

        Then the resize handlers run. The turns are kept by then, whatever becomes of a handler.

        Raises:
            TypeError: one is no message; nothing was kept.
            ValueError: its role is unknown; nothing was kept.
        """
        if messages:
            await self.store.append(self.scope, as_given(read_messages(messages)))
            await self.resize()

    async def memo(self) -> Any:
        """What the application or a resize handler keeps of this session; not in `history`."""
        return as_json((await self.store.state(self.scope)).memo)

    async def set_memo(self, memo: Any) -> None:
        """Keep *memo*, which must be JSON, in the place of the one there is.

        Raises:
            TypeError: it is no JSON.
            SessionError: others changed the session again and again meanwhile.
        """
        kept = as_json(memo)
        for _ in range(WRITES):
            if await self._keep(replace(await self.store.state(self.scope), memo=kept)):
                return
        raise SessionError("the session changes too fast to set its memo: set it again later")

    async def clear(self) -> None:
        """Delete the session: turns, view and memo."""
        await self.store.forget(self.scope)
        self._failures = Failures()

    async def resize(self) -> None:
        """Run the resize handlers now, as `add` does: for turns that reached the store without it.

        A handler that fails is logged by the type of its error.
        """
        if self._resizing is None:
            return
        try:
            for _ in range(ATTEMPTS):
                if await self._resized(self._resizing):
                    return
        except Exception as error:
            logging.getLogger("agentmaker").warning(
                "a session's resize failed, the session stays as it is: %s", type(error).__name__
            )

    async def compact(self, focus: str | None = None) -> Compacted:
        """Replace all but the newest exchange of the view by a recap; `turns` keeps everything.

        *focus* says what the recap must keep above all. After three failures in a row
        nobody is asked until something new was said, and after each further one not until
        eight more turns were.

        Returns:
            The whole window now, and the outcome: ``"applied"``, ``"skipped"`` where there is
            nothing to gain, or ``"failed"``, which left the session as it was.
        """
        for _ in range(ATTEMPTS):
            reading = await read_session(self.store, self.scope)
            if self._failures.too_many(reading.upto):
                return Compacted(messages=[*reading.window], outcome="skipped", reason="gave_up")
            done = await self._shrinking(*reading.opened, focus)
            if done.outcome != "applied":
                return self._failures.booked(
                    reading.upto, replace(done, messages=[*reading.window])
                )
            if await self._keep(reading.changed(None, done.messages)):
                return self._failures.booked(reading.upto, done)
        stale = Compacted(messages=[*reading.window], outcome="failed", reason="stale")
        return self._failures.booked(reading.upto, stale)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """``async with session.turn():`` for a whole run: one run at a time goes on.

        Sessions of one id and one store object wait for each other on an event loop. Across
        loops and processes nobody waits: there the turns of each `add` stand together, and
        none is lost.

        Raises:
            SessionError: the run that asks is the one that is inside.
        """
        async with exclusive((id(self.store), self.scope)):
            yield  # in here, so that the store stays while its id says whose turn it is

    def _recap_tokens(self, recap: str) -> int:
        return FRAMING + self._counter(fenced(recap, self._prompts)) if recap else 0

    async def _resized(self, resizing: Resizing) -> bool:
        """Whether there is nothing left to do; not where the session changed meanwhile."""
        state = await resizing(await read_session(self.store, self.scope, whole=True))
        return state is None or await self._keep(state)

    async def _keep(self, state: SessionState) -> bool:
        """Whether *state* was put in the place of the one it was made from."""
        try:
            await self.store.change(self.scope, state)
        except SessionError:
            return False
        return True


def _resizing(
    resize: Resize | Mapping[str, Resize] | None,
    analyse: Analyse | None,
    max_length: int | None,
    counter: TokenCounter,
) -> Resizing | None:
    if resize is not None:
        return Resizing(resize, analyse, max_length, counter)
    if analyse is not None:
        raise ConfigError("analyse names strategies of resize=: give it too")
    return None


def _checked_scope(given: Scope | None) -> Scope:
    if given is None or isinstance(given, Scope):
        return given or Scope()
    raise ConfigError(f"scope must be a Scope(user=...), not {type(given).__name__}")


def _checked_store(given: Store) -> Store:
    if callable(getattr(given, "turns", None)):
        return given
    kind = type(given).__name__
    raise ConfigError(f"store must be a SessionStore(...) or MemoryStore(), not {kind}")


def _checked_length(max_length: int | None) -> int | None:
    return None if max_length is None else check_count("max_length", max_length, least=1)


def _own_store() -> Store:
    from agentmaker.memory.in_memory import MemoryStore

    return MemoryStore()
