from __future__ import annotations

from agentmaker.calls.memory.by_message import ByMessage, characters_in
from agentmaker.messages import Message, ToolCall


def counting(characters: int = 1_000) -> tuple[ByMessage[str], list[str]]:
    made: list[str] = []

    def make(message: Message, ending: str = "") -> str:
        made.append(message.text)
        return message.text.upper() + ending

    return ByMessage(make, characters), made


def test_the_same_object_is_made_once_in_each_way() -> None:
    memory, made = counting()
    message = Message("a")
    assert [memory.of(message), memory.of(message), memory.of(message, "!")] == ["A", "A", "A!"]
    assert made == ["a", "a"]


def test_another_object_is_made_by_itself() -> None:
    memory, made = counting()
    assert [memory.of(Message(text)) for text in "abcab"] == ["A", "B", "C", "A", "B"]
    assert made == [*"abcab"]


def test_so_many_characters_are_kept_of_late_and_as_many_of_those_before() -> None:
    memory, made = counting(characters=10)
    messages = [Message(f"{number} text") for number in range(9)]
    for message in messages:
        memory.of(message)
    assert len(memory) == 2
    made.clear()
    assert memory.of(messages[-1]) == "8 TEXT"
    assert memory.of(messages[0]) == "0 TEXT"
    assert made == ["0 text"]


def test_what_is_used_goes_on_to_be_kept() -> None:
    memory, made = counting(characters=10)
    kept = Message("kept")
    for number in range(9):
        memory.of(kept)
        memory.of(Message(f"{number} text"))
    assert made.count("kept") == 1


def test_a_message_is_as_large_as_its_content_and_arguments() -> None:
    call = ToolCall(id="c", name="f", arguments="1234")
    assert characters_in(Message("ab", "assistant", tool_calls=(call,))) == 6
    assert characters_in(Message([{"type": "text", "text": "x" * 100}])) > 100
