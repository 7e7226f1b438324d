from __future__ import annotations

import pytest

from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.forms.spelling import with_content
from agentmaker.messages import Message
from tests.calls.dialogue import sent
from tests.calls.talk import assistant, calls, result, user


@pytest.mark.parametrize(("policy", "content"), [("null", None), ("empty", "")])
def test_case_103_calls_without_text_carry_what_the_server_wants(policy, content):
    messages = [user(), {**calls("c"), "content": ""}, result("c")]
    assert sent(Dialect(empty_content=policy), *messages)[1]["content"] == content


def test_a_message_that_has_content_is_the_same_object():
    message = Message("q")
    assert with_content(message) is message


def test_calls_and_results_are_written_out_for_a_server_without_tools():
    messages = [user(), {**calls("c", "d", arguments='{"x": 1}'), "content": "Let me look."},
                result("d", "two"), result("c", "one")]  # fmt: skip
    assert sent(Dialect(tools="text"), *messages) == [
        user(),
        assistant('Let me look.\n\n[Call of f] {"x": 1}\n[Call of f] {"x": 1}'),
        user("[Result of f]\ntwo"),
        user("[Result of f]\none"),
    ]


def test_case_37_what_is_written_out_has_no_trace_of_tools_and_keeps_turns():
    messages = [user(), calls("c", "d"), result("d"), result("c"), user("and?")]
    leave = sent(Dialect(tools="text", roles="alternate"), *messages)
    assert leave == [
        user(),
        assistant("[Call of f] {}\n[Call of f] {}"),
        user("[Result of f]\nok\n\n[Result of f]\nok"),
        assistant("(no reply)"),
        user("and?"),
    ]
