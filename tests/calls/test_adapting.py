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
BESIDE_CALLS = (
    "After the optional system message, conversation roles must alternate user and assistant "
    "roles except for tool calls and results."
)
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


async def test_the_first_answer_that_changes_what_is_sent_is_tried():
    line = Line(refusal(BESIDE_CALLS))
    await line(asked(*TALK))
    assert line.sent[1] == ["system", "user"]
    line = Line(refusal(BESIDE_CALLS))
    await line(asked(system(), system(), user(), calls("c"), result("c")))
    assert line.sent[1] == ["system", "user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("messages", "leave"),
    [
        ([system(), user(), calls("c"), result("c")], ["user", "assistant", "user"]),
        ([user(), calls("c"), result("c"), user()], ["user", "assistant"] * 2 + ["user"]),
        ([user(), calls("c"), result("c")], ["user", "assistant", "user"]),
        ([system(), user(), user()], ["user"]),
        ([system(), assistant(), user()], ["user", "assistant", "user"]),
    ],
)
async def test_a_template_that_only_counts_turns_gets_nothing_but_turns(messages, leave):
    line = Line(refusal(ALTERNATE))
    await line(asked(*messages))
    assert line.sent[1] == leave


@pytest.mark.parametrize(
    ("words", "role", "said"),
    [
        ("Only user and assistant roles are supported!", "system", "system='user'"),
        ("Only user and assistant roles are supported!", "developer", "system='user'"),
        ("Only user, system and assistant roles are supported!", "developer", "developer='system'"),
        ("Unknown role: developer", "developer", "developer='system'"),
        ("Unexpected message role.", "developer", "developer='system'"),
    ],
)
async def test_an_answer_has_no_more_than_the_conversation_needs(words, role, said):
    line = Line(refusal(words))
    await line(asked({"role": role, "content": "r"}, user()))
    (repair,) = line.server.calls[1].repairs
    assert repair.endswith(f"said again as {said}")


async def test_a_role_that_is_refused_leaves_with_all_that_such_templates_refuse():
    line = Line(refusal("Only user and assistant roles are supported!"))
    await line(asked(system(), user(), calls("c"), result("c")))
    assert line.sent[1] == ["user", "assistant", "user"]
    line = Line(refusal("Only user, system and assistant roles are supported!"))
    await line(asked(system(), user(), calls("c"), result("c")))
    assert line.sent[1] == ["system", "user", "assistant", "user"]


async def test_words_of_several_meanings_are_answered_for_the_first_that_fits_the_messages():
    line = Line(refusal("Only user, assistant and tool roles are supported, got system."))
    await line(asked(system(), system(), user(), calls("c"), result("c")))
    assert line.sent[1] == ["user", "assistant", "tool"]
    line = Line(refusal("Unexpected message role: tool messages, system messages not supported"))
    await line(asked(system(), user()))
    assert line.sent[1] == ["user"]


async def test_an_answer_does_not_undo_an_earlier_one():
    line = Line(refusal(NO_SYSTEM), refusal(BESIDE_CALLS), settled())
    await line(asked(system(), system(), user(), assistant(), assistant(), user()))
    assert line.sent[2] == ["user", "assistant", "user"]


@pytest.mark.parametrize("words", [ALTERNATE, NO_SYSTEM, "Only user and assistant roles!"])
async def test_a_server_that_always_refuses_sees_one_more_request(words):
    line = Line(*[refusal(words)] * 9)
    with pytest.raises(openai.BadRequestError):
        await line(asked(system(), system(), *TALK, calls("c"), result("c"), user("3")))
    assert len(line.sent) == 2


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
