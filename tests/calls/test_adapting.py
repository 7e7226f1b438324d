from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import openai
import pytest

from agentmaker import ContextWindowExceeded
from agentmaker.calls.adapting import Adapting
from agentmaker.calls.call import Call
from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.memory.learnt import LearntDialects
from agentmaker.calls.said import adapted
from agentmaker.calls.setting import Setting
from agentmaker.calls.wire import to_wire
from tests.calls.refusing import refusal
from tests.calls.talk import Server, assistant, call_of, calls, result, roles, settled, system, user

pytestmark = pytest.mark.anyio

ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."
NO_SYSTEM = "System role not supported"
TALK = [system(), user("1"), user("2")]


async def prepare(call: Call) -> Call:
    """The call as it would be sent, nothing of it cut."""
    call = adapted(call)
    wire = to_wire(call.window, call.setting.dialect, call.setting.prompts)
    return replace(call, messages=tuple(wire.messages))


class Line:
    """An `Adapting` before a server that gives *answers*."""

    def __init__(self, *answers: Any, prepare: Any = prepare) -> None:
        self.server = Server(*answers)
        self.adapting = Adapting(prepare, LearntDialects())

    async def __call__(self, call: Call) -> Any:
        return await self.adapting(call, self.server)

    @property
    def sent(self) -> list[list[str]]:
        return [roles(call.messages) for call in self.server.calls]


def asked(*messages: Any, dialect: Dialect | None = None, **given: Any) -> Call:
    setting = Setting(window=8_000, dialect=dialect or Dialect())
    return call_of(*messages, setting=setting, model="m", **given)


async def test_a_refused_form_is_sent_once_more_as_the_server_wants_it():
    line = Line(refusal(NO_SYSTEM), settled("ok"))
    assert (await line(asked(*TALK))).content == "ok"
    assert line.sent == [["system", "user", "user"], ["user", "user"]]
    assert line.server.calls[1].repairs == (
        "refused for the system role, said again as system='user'",
    )


async def test_the_mildest_answer_that_changes_what_is_sent_is_tried():
    line = Line(refusal(ALTERNATE))
    await line(asked(system(), user(), calls("c"), result("c")))
    assert line.sent[1] == ["user", "assistant", "tool"]
    line = Line(refusal(ALTERNATE))
    await line(asked(user(), calls("c"), result("c")))
    assert line.sent[1] == ["user", "assistant", "user"]


async def test_it_is_sent_once_more_for_each_thing_that_the_server_names():
    line = Line(refusal(NO_SYSTEM), refusal(ALTERNATE), settled("ok"))
    assert (await line(asked(*TALK))).content == "ok"
    assert line.sent == [["system", "user", "user"], ["user", "user"], ["user"]]
    assert len(line.server.calls[2].repairs) == 2


async def test_the_second_refusal_for_one_thing_is_the_last():
    line = Line(refusal(ALTERNATE), refusal(ALTERNATE), settled())
    with pytest.raises(openai.BadRequestError, match="alternate"):
        await line(asked(*TALK, calls("c"), result("c"), user("3")))
    assert len(line.sent) == 2


@pytest.mark.parametrize(
    "words", ["Missing parameter: 'model'.", NO_SYSTEM, "role `developer` is not supported"]
)
async def test_what_would_be_sent_unchanged_is_not_and_the_error_passes(words):
    error = refusal(words)
    line = Line(error, settled())
    with pytest.raises(openai.BadRequestError) as raised:
        await line(asked(user(), assistant(), user()))
    assert raised.value is error
    assert len(line.sent) == 1


async def test_an_answer_that_finds_no_room_leaves_the_error_as_it_is():
    async def crowded(call: Call) -> Call:
        if call.setting.dialect.system == "user":
            raise ContextWindowExceeded("the question", 2, 1)
        return await prepare(call)

    line = Line(refusal(NO_SYSTEM), settled(), prepare=crowded)
    with pytest.raises(openai.BadRequestError, match="System role"):
        await line(asked(*TALK))


async def test_a_cap_leaves_under_the_name_that_the_server_takes():
    words = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens'."
    line = Line(refusal(words))
    await line(asked(user(), params={"max_tokens": 9, "n": 1}))
    assert line.server.calls[1].params == {"max_completion_tokens": 9, "n": 1}
    line = Line(error := refusal(words))
    with pytest.raises(openai.BadRequestError) as raised:
        await line(asked(user()))
    assert raised.value is error


@pytest.mark.parametrize(
    ("given", "leaves"),
    [
        ({}, {}),
        ({"max_tokens": 5}, {"max_tokens": 5}),
        ({"max_completion_tokens": 5}, {"max_tokens": 5}),
        ({"max_completion_tokens": 5, "max_tokens": 7}, {"max_tokens": 7}),
        ({"max_completion_tokens": 5, "max_tokens": None}, {"max_tokens": 5}),
    ],
)
async def test_a_cap_is_renamed_never_added_and_never_sent_twice(given, leaves):
    said = adapted(asked(user(), params=given, dialect=Dialect(cap="max_tokens")))
    assert said.params == leaves


async def test_nothing_is_remembered_for_the_next_call_of_a_dialect_that_does_not_learn():
    line = Line(refusal(NO_SYSTEM), settled(), refusal(NO_SYSTEM), settled())
    await line(asked(*TALK))
    await line(asked(*TALK))
    assert len(line.sent) == 4


async def test_one_that_learns_says_the_next_call_as_the_server_wanted_the_last(caplog):
    line = Line(refusal(NO_SYSTEM), settled(), settled(), refusal(ALTERNATE), settled(), settled())
    learning = Dialect(learns=True)
    with caplog.at_level(logging.WARNING, "agentmaker"):
        for _ in range(4):
            await line(asked(*TALK, dialect=learning))
    assert line.sent[2:] == [["user", "user"], ["user", "user"], ["user"], ["user"]]
    assert [record.args[2] for record in caplog.records] == [
        "system='user'", "roles='alternate'",
    ]  # fmt: skip


async def test_what_was_learnt_holds_for_its_model_alone():
    line = Line(refusal(NO_SYSTEM), settled(), settled())
    call = asked(*TALK, dialect=Dialect(learns=True))
    await line(call)
    await line(replace(call, model="another", request_id="2"))
    assert line.sent[2] == ["system", "user", "user"]


async def test_what_did_not_help_is_not_learnt():
    line = Line(refusal(NO_SYSTEM), refusal(NO_SYSTEM), settled())
    with pytest.raises(openai.BadRequestError):
        await line(asked(*TALK, dialect=Dialect(learns=True)))
    await line(asked(*TALK, dialect=Dialect(learns=True)))
    assert line.sent[2] == ["system", "user", "user"]


async def test_a_request_that_is_sent_again_for_another_reason_begins_where_it_was():
    line = Line(refusal(NO_SYSTEM), ConnectionError(), settled())
    call = asked(*TALK)
    with pytest.raises(ConnectionError):
        await line(call)
    await line(call)
    assert line.sent[2] == ["user", "user"]


async def test_it_is_said_once_for_a_model_what_its_server_asked_for(caplog):
    line = Line(*[refusal(NO_SYSTEM), settled()] * 2)
    call = asked(*TALK)
    with caplog.at_level(logging.WARNING, "agentmaker"):
        await line(call)
        await line(replace(call, request_id="2"))
    (record,) = caplog.records
    assert "the server of 'm' refused a request for the system role" in record.getMessage()
    assert "system='user'" in record.getMessage()
