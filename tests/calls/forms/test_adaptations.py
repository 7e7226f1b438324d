from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.forms.adaptations import Adaptations
from agentmaker.calls.forms.dialects import DEFAULT, DIALECTS, Dialect
from agentmaker.calls.memory.conversations import Conversations
from agentmaker.calls.window import Window
from agentmaker.context.measure import messages_tokens
from agentmaker.messages import Message, joined_units
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.tokens import count_tokens
from tests.calls.dialogue import sent, window_said
from tests.calls.talk import assistant, calls, result, roles, user, window_of

DEVELOPER = {"role": "developer", "content": "rules"}
THOUGHT = {**calls("c"), "reasoning_content": "r" * 400, "reasoning": "s"}
UNSAID = DEFAULT_PROMPTS.text("wire.unsaid")


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


def test_case_104_a_server_that_misses_thoughts_gets_those_there_are_and_blank_ones():
    messages = [user(), {**calls("c"), "reasoning_content": "r"}, result("c"), assistant(), user()]
    leave = sent(Dialect(reasoning="require"), *messages)
    assert [each.get("reasoning_content") for each in leave] == [None, "r", None, " ", None]


def test_case_71_what_is_stripped_is_not_counted():
    messages = [user(), THOUGHT, result("c"), assistant(), user()]

    def tokens(messages: tuple[Message, ...]) -> int:
        return messages_tokens(messages, count_tokens)

    stripped = window_said(Dialect(reasoning="strip"), messages)
    assert tokens(window_of(*messages).history) - tokens(stripped.history) >= 100


def test_parts_that_are_all_text_become_one_text_and_others_stay():
    text, image = {"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}
    first, second = sent(Dialect(content="text"), user([text, text]), user([text, image]))
    assert (first["content"], second["content"]) == ("a\na", [text, image])


def test_a_result_that_is_blank_says_so_where_a_server_wants_words():
    messages = [user(), calls("c"), result("c", "  ")]
    assert sent(DEFAULT, *messages) == messages
    leave = sent(Dialect(blank_results="text"), *messages)
    assert leave[-1] == result("c", DEFAULT_PROMPTS.text("wire.blank_result"))


def test_a_batch_becomes_calls_one_by_one_each_with_its_result():
    thought = {**calls("a", "b"), "content": "Look.", "reasoning_content": "r"}
    leave = sent(Dialect(calls="single"), user(), thought, result("b", "B"), result("a", "A"))
    first = {**calls("a"), "content": "Look.", "reasoning_content": "r"}
    assert leave == [user(), first, result("a", "A"), calls("b"), result("b", "B")]


def test_a_few_words_stand_between_a_result_and_the_user_where_roles_alternate():
    messages = [user(), calls("c"), result("c"), user("never mind")]
    leave = sent(Dialect(roles="alternate"), *messages)
    assert leave == [*messages[:3], assistant(UNSAID), messages[3]]


def test_those_words_stay_with_the_result_and_with_what_the_user_said():
    messages = [user(), calls("c"), result("c"), user("a picture"), calls("d"), result("d")]
    window = window_said(Dialect(roles="alternate"), messages)
    units = joined_units(window.trajectory.messages)
    assert [len(unit) for unit in units] == [4, 2]


def test_the_same_message_becomes_the_same_object_when_its_turn_is_over():
    window = window_of(user(), THOUGHT, result("c"))
    adaptations, dialect = Adaptations(), Dialect(reasoning="strip", roles="alternate")

    def said(window: Any) -> Any:
        return adaptations.of(window, dialect, DEFAULT_PROMPTS)

    later = Message("q")
    longer = type(window).from_messages([*window.conversation, Message("a", "assistant"), later])
    first, then = said(window).conversation, said(longer).conversation
    assert all(a is b for a, b in zip(first, then, strict=False))
    assert said(longer).question is later


def test_what_the_default_dialect_says_is_the_window_itself():
    window = window_of(DEVELOPER, user(), THOUGHT, result("c"))
    assert Adaptations().of(window, DEFAULT, DEFAULT_PROMPTS) is window


TURNS = st.one_of(
    st.just([user("q")]),
    st.just([assistant("done")]),
    st.just([{**assistant("done"), "reasoning_content": "hm"}]),
    st.just([calls("a", "b"), result("b"), result("a", ""), user("a picture")]),
    st.just([calls("c"), result("c", " ")]),
    st.just([user([{"type": "text", "text": "parts"}])]),
    st.just([DEVELOPER]),
)


@given(st.lists(TURNS, min_size=1, max_size=8), st.sampled_from(list(DIALECTS.values())))
def test_a_conversation_that_grows_is_said_as_it_would_be_at_once(
    turns: list[list[Any]], dialect: Dialect
) -> None:
    adaptations, conversations = Adaptations(), Conversations()
    given = [message for turn in turns for message in turn]
    for end in range(1, len(given) + 1):
        read = conversations.read(given[:end], DEFAULT_PROMPTS)
        window = Window.from_messages(read.messages)
        said = adaptations.of(window, dialect, DEFAULT_PROMPTS)
        assert said == Adaptations().of(window, dialect, DEFAULT_PROMPTS)
        again = adaptations.of(window, dialect, DEFAULT_PROMPTS)
        assert all(
            one is two for one, two in zip(said.conversation, again.conversation, strict=True)
        )
