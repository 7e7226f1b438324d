"""Send what a server calls malformed once more, in the dialect that it asks for."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.forms.dialects import Dialect, changes
from agentmaker.calls.memory.learnt import LearntDialects
from agentmaker.calls.middleware import Next
from agentmaker.calls.said import adapted, in_dialect
from agentmaker.calls.wire import to_wire
from agentmaker.errors import ContextWindowExceeded

if TYPE_CHECKING:
    from agentmaker.calls.refusals.complaints import Complaint

Prepare = Callable[[Call], Awaitable[Call]]
Form = tuple[list[Any], Mapping[str, Any]]
"""The messages of a request, and its parameters."""


class Adapting:
    """Prepare the call and send it; if the server refuses its form, once more in another dialect.

    It is sent again once for each thing that the server names, and only where that changes the
    messages or the output cap. Else, and where its words are about something else, the error
    passes.
    """

    def __init__(self, prepare: Prepare, learnt: LearntDialects) -> None:
        self.prepare = prepare
        self.learnt = learnt

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        said = in_dialect(call, self.learnt.of(call))
        attempt = Attempt(call=said, sent=await self.prepare(said))
        while True:
            try:
                reply = await next(attempt.sent)
            except Exception as error:
                from agentmaker.calls.refusals.complaints import complaints_in

                again = await self._again(attempt, complaints_in(error))
                if again is None:
                    raise
            else:
                if attempt.answered:
                    self.learnt.learn(call, attempt.dialect)
                return reply
            attempt = again
            self.learnt.try_out(call, attempt.dialect)

    async def _again(self, last: Attempt, complaints: Iterable[Complaint]) -> Attempt | None:
        """The next attempt, for the first of *complaints* that has an answer.

        Words that were answered before end the search: they are answered once.
        """
        answered = last.answered
        for complaint in takewhile(lambda each: each.name not in last.answered, complaints):
            answered |= {complaint.name}
            if (again := await self._answering(complaint, last)) is not None:
                return replace(again, answered=answered)
        return None

    async def _answering(self, complaint: Complaint, last: Attempt) -> Attempt | None:
        """The next attempt; None where it finds no room or would be sent as the *last*."""
        call = _said_otherwise(last.call, last.sent, complaint)
        if call is None:
            return None
        try:
            sent = await self.prepare(call)
        except ContextWindowExceeded:
            return None
        return Attempt(call=call, sent=sent) if _as_sent(sent) != _as_sent(last.sent) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A call in one dialect, as it is sent, and the complaints that led to it."""

    call: Call
    sent: Call
    answered: frozenset[str] = frozenset()

    @property
    def dialect(self) -> Dialect:
        return self.call.setting.dialect


def _said_otherwise(call: Call, sent: Call, complaint: Complaint) -> Call | None:
    """The call as the server may take it, None where no dialect would change it."""
    dialect = _first_that_changes(sent, complaint)
    if dialect is None:
        return None
    _warn_once(call, complaint, dialect)
    repair = f"refused for {complaint.name}, said again as {_difference(call, dialect)}"
    return replace(in_dialect(call, dialect), repairs=(*call.repairs, repair))


def _first_that_changes(sent: Call, complaint: Complaint) -> Dialect | None:
    """The first dialect in which *sent* would have been another request."""
    from agentmaker.calls.refusals.complaints import answers

    for dialect in answers(complaint, sent.setting.dialect):
        if _in(dialect, sent) != _as_sent(sent):
            return _no_more_than_needed(dialect, sent)
    return None


def _no_more_than_needed(dialect: Dialect, sent: Call) -> Dialect:
    """*dialect* without the new fields that change nothing of this call; turns are kept."""
    before, form = sent.setting.dialect, _in(dialect, sent)
    for name in reversed(changes(dialect)):
        less = replace(dialect, **{name: getattr(before, name)})
        if name != "roles" and _in(less, sent) == form:
            dialect = less
    return dialect


def _in(dialect: Dialect, sent: Call) -> Form:
    again = adapted(in_dialect(sent, dialect))
    return to_wire(again.window, dialect, again.setting.prompts).messages, again.params


def _as_sent(call: Call) -> Form:
    return list(call.messages), call.params


def _difference(call: Call, dialect: Dialect) -> str:
    """How *dialect* differs from that of *call*, as its fields are written."""
    before = changes(call.setting.dialect)
    changed = {key: value for key, value in changes(dialect).items() if before.get(key) != value}
    return ", ".join(f"{key}={value!r}" for key, value in changed.items())


def _warn_once(call: Call, complaint: Complaint, dialect: Dialect) -> None:
    """Say once for a model what its server asked for."""
    named, learns = _difference(call, dialect), call.setting.dialect.learns
    if not call.setting.views.first_time(("dialect", call.model, named)):
        return
    whole = ", ".join(f"{key}={value!r}" for key, value in changes(dialect).items())
    advice = "remembered" if learns else f'pass dialect=Dialect({whole}), or dialect="learning"'
    logging.getLogger("agentmaker").warning(
        "the server of %r refused a request for %s: said again with %s; %s",
        call.model,
        complaint.name,
        named,
        advice,
    )
