from __future__ import annotations

from typing import Any

import pytest

from agentmaker.calls.dialects import DEFAULT, DIALECTS, Dialect
from agentmaker.calls.wire import to_wire
from agentmaker.context.measure import messages_tokens
from agentmaker.messages import Message
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.tokens import count_tokens
from tests.calls.talk import assistant, calls, result, roles, user, window_of

DEVELOPER = {"role": "developer", "content": "rules"}
THOUGHT = {**calls("c"), "reasoning_content": "r" * 400, "reasoning": "s"}


def sent(dialect: Dialect, *messages: Any) -> list[dict[str, Any]]:
    return to_wire(dialect.adapt(window_of(*messages)), dialect, DEFAULT_PROMPTS).messages


def test_dialects_are_found_by_name():
    assert all(DIALECTS[name].name == name for name in ("default", "lenient"))


def test_case_101_the_developer_role_passes_unless_the_server_knows_only_system():
    messages = [DEVELOPER, user()]
    assert sent(DEFAULT, *messages) == messages
    assert roles(sent(Dialect(developer="system"), *messages)) == ["system", "user"]


def test_case_101_a_developer_message_in_mid_list_is_renamed_too():
    dialect = Dialect(developer="system", system="anywhere")
    assert roles(sent(dialect, user(), assistant(), DEVELOPER, user())) == [
        "user", "assistant", "system", "user",
    ]  # fmt: skip


def keys(message: dict[str, Any]) -> bool:
    return "reasoning_content" in message or "reasoning" in message


@pytest.mark.parametrize(
    ("policy", "kept"),
    [("keep", [True, True]), ("last_turn", [False, True]), ("strip", [False, False])],
)
def test_case_104_reasoning_is_kept_stripped_or_kept_for_the_open_turn(policy, kept):
    later = {**THOUGHT, "tool_calls": calls("d")["tool_calls"]}
    messages = [user(), THOUGHT, result("c"), assistant(), user(), later, result("d")]
    leave = sent(Dialect(reasoning=policy), *messages)
    assert [keys(each) for each in leave if "tool_calls" in each] == kept


def test_case_71_what_is_stripped_is_not_counted():
    window = window_of(user(), THOUGHT, result("c"), assistant(), user())

    def tokens(messages: tuple[Message, ...]) -> int:
        return messages_tokens(messages, count_tokens)

    stripped = Dialect(reasoning="strip").adapt(window)
    assert tokens(window.history) - tokens(stripped.history) >= 100
    assert DEFAULT.adapt(window) == window


@pytest.mark.parametrize(("policy", "content"), [("null", None), ("empty", "")])
def test_case_103_calls_without_text_carry_what_the_server_wants(policy, content):
    messages = [user(), {**calls("c"), "content": ""}, result("c")]
    assert sent(Dialect(empty_content=policy), *messages)[1]["content"] == content
