from __future__ import annotations

from agentmaker.context.transcript import Entries, entry_of
from agentmaker.messages import Message, read_messages


def test_a_message_is_its_role_and_text():
    assert entry_of(Message("hello ")) == "user: hello"


def test_calls_and_results_are_written_out_without_ids():
    call = {"id": "call_77", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    loop = read_messages(
        [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_77", "name": "f", "content": "done"},
        ]
    )
    assert list(map(entry_of, loop)) == ['assistant: f({"a":1})', "tool f: done"]


def test_arguments_that_are_no_text_are_written_as_json():
    call = {"id": "c", "function": {"name": "f", "arguments": {"a": 1}}}
    message = Message.from_wire({"role": "assistant", "content": "so", "tool_calls": [call]})
    assert entry_of(message) == 'assistant: so f({"a": 1})'


def test_parts_that_are_no_text_are_named():
    parts = [{"type": "text", "text": "look"}, {"type": "image_url"}, "here", None, {}]
    assert entry_of(Message(parts)) == "user: look\n[image_url]\nhere\n[attachment]"


def test_a_message_that_says_nothing_has_no_entry():
    silent = [Message(""), Message(None, role="assistant"), Message([])]
    assert set(map(entry_of, silent)) == {""}


def test_thoughts_are_not_part_of_what_was_said():
    message = Message("x", role="assistant", extra={"reasoning_content": "hmm"})
    assert entry_of(message) == "assistant: x"


def test_the_newest_entries_are_written_once_and_the_older_ones_not_at_all():
    written: list[int] = []

    def write(number: int) -> str:
        written.append(number)
        return str(number) if number else ""

    entries = Entries([1, 2, 3, 0, 4], write)
    first, second = iter(reversed(entries)), iter(reversed(entries))
    assert [next(first), next(second), next(first), next(second)] == ["4", "4", "3", "3"]
    assert written == [4, 0, 3]
    assert [list(reversed(entries)), list(entries)] == [["4", "3", "2", "1"], ["1", "2", "3", "4"]]
