"""Send what a server calls malformed once more, in the dialect that it asks for."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.forms.dialects import Dialect, changes
from agentmaker.calls.memory.remembered import Remembered
from agentmaker.calls.middleware import Next
from agentmaker.calls.refusals.complaints import Complaint, answers, complaint_in
from agentmaker.calls.room import OUTPUT_CAPS
from agentmaker.calls.wire import to_wire
from agentmaker.errors import ContextWindowExceeded

Prepare = Callable[[Call], Awaitable[Call]]

MOST = 1_000
"""So many dialects are remembered."""


class LearntDialects:
    """The dialects that servers asked for: for the request itself, and for a model that learns.

    A request that is sent again for another reason is said at once as its server wants it.
    """

    def __init__(self) -> None:
        self._requests: Remembered[str, Dialect] = Remembered(MOST)
        self._models: Remembered[tuple[str, Dialect], Dialect] = Remembered(MOST)

    def of(self, call: Call) -> Dialect:
        """The dialect to say *call* in."""
        dialect = call.setting.dialect
        asked_for = self._requests.get(call.request_id)
        return asked_for or self._models.get((call.model, dialect)) or dialect

    def try_out(self, call: Call, dialect: Dialect) -> None:
        """Say *call* in *dialect* from now on."""
        self._requests.put(call.request_id, dialect)

    def learn(self, call: Call, dialect: Dialect) -> None:
        """Say every call like *call* in *dialect*, where its own one learns."""
        if call.setting.dialect.learns:
            self._models.put((call.model, call.setting.dialect), dialect)


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
        sent = await self.prepare(said)
        answered: set[str] = set()
        while True:
            try:
                reply = await next(sent)
            except Exception as error:
                again = await self._again(said, sent, complaint_in(error), answered)
                if again is None:
                    raise
            else:
                if answered:
                    self.learnt.learn(call, said.setting.dialect)
                return reply
            said, sent = again
            self.learnt.try_out(call, said.setting.dialect)

    async def _again(
        self, said: Call, sent: Call, complaint: Complaint | None, answered: set[str]
    ) -> tuple[Call, Call] | None:
        """The call as the server may take it, and as it is sent then.

        None where it finds no room, or would be sent as it was.
        """
        if complaint is None or complaint.name in answered:
            return None
        answered.add(complaint.name)
        again = _said_otherwise(said, sent, complaint)
        if again is None:
            return None
        try:
            prepared = await self.prepare(again)
        except ContextWindowExceeded:
            return None
        return (again, prepared) if _form(prepared) != _form(sent) else None


def _said_otherwise(call: Call, sent: Call, complaint: Complaint) -> Call | None:
    """The call as the server may take it, None where no dialect would change it."""
    dialect = _answer(complaint, sent)
    if dialect is None:
        return None
    _say(call, complaint, dialect)
    repair = f"refused for {complaint.name}, said again as {_named(call, dialect)}"
    return replace(in_dialect(call, dialect), repairs=(*call.repairs, repair))


def in_dialect(call: Call, dialect: Dialect) -> Call:
    if dialect == call.setting.dialect:
        return call
    return replace(call, setting=replace(call.setting, dialect=dialect))


def adapted(call: Call) -> Call:
    """The call said in its dialect, and its output cap under the name that this has for it."""
    setting = call.setting
    window = setting.adaptations.of(call.window, setting.dialect, setting.prompts)
    params = _with_cap_named(call.params, setting.dialect.cap)
    if window is call.window and params is call.params:
        return call
    return replace(call, window=window, params=params)


def _with_cap_named(params: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    sent = {each: params[each] for each in OUTPUT_CAPS if params.get(each) is not None}
    if name == "keep" or not sent or sent.keys() == {name}:
        return params
    kept = {key: value for key, value in params.items() if key not in OUTPUT_CAPS}
    return {**kept, name: sent.get(name, next(iter(sent.values())))}


def _answer(complaint: Complaint, sent: Call) -> Dialect | None:
    """The first dialect in which *sent* would have been another request."""
    for dialect in answers(complaint, sent.setting.dialect):
        again = adapted(in_dialect(sent, dialect))
        messages = to_wire(again.window, dialect, again.setting.prompts).messages
        if (messages, again.params) != _form(sent):
            return dialect
    return None


def _form(call: Call) -> tuple[list[Any], Mapping[str, Any]]:
    return list(call.messages), call.params


def _named(call: Call, dialect: Dialect) -> str:
    """How *dialect* differs from that of *call*, as its fields are written."""
    before = changes(call.setting.dialect)
    changed = {key: value for key, value in changes(dialect).items() if before.get(key) != value}
    return ", ".join(f"{key}={value!r}" for key, value in changed.items())


def _say(call: Call, complaint: Complaint, dialect: Dialect) -> None:
    """Say once for a model what its server asked for."""
    named, learns = _named(call, dialect), call.setting.dialect.learns
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
