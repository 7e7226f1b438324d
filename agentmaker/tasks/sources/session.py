"""`SessionSource`: what was said in a session, exchange by exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agentmaker.context.transcript import entry_of
from agentmaker.errors import ConfigError
from agentmaker.memory.exchanges import exchanges
from agentmaker.memory.notes.markdown import LONGEST_TITLE, one_line
from agentmaker.memory.session import Session
from agentmaker.messages import Message
from agentmaker.tasks.source import LONGEST_READ, Content, Descriptor, Unreadable
from agentmaker.tasks.sources.identity import checked_id, digest_of
from agentmaker.tasks.sources.listing import ListedSource, Listing
from agentmaker.tasks.sources.texts import LONGEST_SUMMARY, part_of, readable, revision_of
from agentmaker.tasks.sources.threads import in_thread


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One exchange; *start* is the turn of the session it begins with."""

    start: int
    said: datetime
    text: str
    descriptor: Descriptor

    def continues(self, earlier: _Exchange) -> bool:
        return self.said == earlier.said and self.text.startswith(earlier.text)


class SessionSource(ListedSource):
    """The exchanges of *session*: each item the user said, with all that answers it.

    Refs are numbers from 1 on. The text is ``role: content``, message by message. Of a session
    that only grew, no more is read than its last known exchange and what follows.

    Args:
        id: by default a digest of the session's scope.

    Raises:
        ConfigError: *session* is no `Session`.
    """

    kind = "session"

    def __init__(self, session: Session, *, id: str | None = None) -> None:
        if not isinstance(session, Session):
            raise ConfigError(
                f"SessionSource needs a Session, not {type(session).__name__}: "
                "give Session(id, store=...)"
            )
        scope = session.scope
        self.session = session
        self.id = checked_id(id) or digest_of(
            "session", scope.base, scope.user, scope.agent, scope.session, scope.app
        )
        self._known: tuple[_Exchange, ...] = ()

    def __repr__(self) -> str:
        return f"SessionSource({self.session.id!r})"

    async def listing(self, known: Mapping[str, Descriptor]) -> Listing:
        now = await self._exchanges()
        return Listing({each.descriptor.ref: each.descriptor for each in now})

    async def read(self, ref: str, *, start: int = 0, limit: int = LONGEST_READ) -> Content:
        """At most *limit* characters of one exchange as it is now.

        Raises:
            Unreadable: there is no exchange of that number.
        """
        for each in await self._exchanges():
            if each.descriptor.ref == ref:
                return part_of(each.text, each.descriptor.revision, start, limit)
        raise Unreadable("gone: the session has no exchange of that number")

    async def _exchanges(self) -> tuple[_Exchange, ...]:
        """All of them; those that are known and complete are not read again."""
        known = self._known
        if known:
            last = known[-1]
            turns = await self.session.store.turns(self.session.scope, last.start)
            newer = await in_thread(_read, turns, last.start, len(known))
            if newer and newer[0].continues(last):
                self._known = (*known[:-1], *newer)
                return self._known
        self._known = await in_thread(_read, await self.session.turns(), 0, 1)
        return self._known


def _read(turns: Sequence[Message], start: int, number: int) -> tuple[_Exchange, ...]:
    return tuple(
        _exchange(turns[each.start : each.stop], start + each.start, number + at)
        for at, each in enumerate(exchanges(turns))
    )


def _exchange(messages: Sequence[Message], start: int, number: int) -> _Exchange:
    entries = [*filter(None, map(entry_of, messages))]
    text = readable("\n".join(entries))
    descriptor = Descriptor(
        ref=str(number),
        revision=revision_of(text.encode()),
        role="turn",
        title=one_line(readable(messages[0].text), LONGEST_TITLE) or str(number),
        summary=one_line(readable(entries[-1]), LONGEST_SUMMARY) if entries else "",
        size=len(text),
    )
    return _Exchange(start, messages[0].timestamp, text, descriptor)
