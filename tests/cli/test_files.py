from __future__ import annotations

import json

import pytest

from agentmaker.cli.files import (
    FileError,
    read_conversations,
    read_text,
    read_tools,
    recognise,
)

TALK = [
    {"role": "user", "content": "hello"},
    {"role": "assistant", "content": "hi"},
    {"role": "user", "content": "and now?"},
    {"role": "assistant", "content": "bye"},
]
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


@pytest.fixture
def write(tmp_path):
    def to(name, *values, text=None):
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, values)) if text is None else text, "utf-8")
        return path

    return to


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([TALK], 1),
        ([[TALK, TALK]], 2),
        ([{"messages": TALK}], 1),
        ([{"traj": TALK, "reward": 1}], 1),
        ([[{"messages": TALK}, {"traj": TALK}]], 2),
    ],
)
@pytest.mark.parametrize("name", ["talk.json", "talk.jsonl", "talk"])
def test_every_way_to_keep_conversations_is_read(write, name, values, found):
    conversations = read_conversations(write(name, *values))
    assert [list(one.messages) for one in conversations] == [TALK] * found


@pytest.mark.parametrize("name", ["talk.json", "talk.jsonl"])
def test_lines_may_hold_any_of_these(write, name):
    path = write(name, TALK, {"messages": TALK}, [TALK, TALK])
    assert len(read_conversations(path)) == 4


def test_a_message_a_line_is_one_conversation(write):
    [one] = read_conversations(write("talk.jsonl", *TALK))
    assert list(one.messages) == TALK


def test_a_pretty_printed_document_is_read(write):
    assert len(read_conversations(write("talk.json", text=json.dumps([TALK, TALK], indent=2)))) == 2


def test_a_byte_order_mark_is_skipped(write):
    assert read_conversations(write("talk.json", text="\ufeff" + json.dumps(TALK)))


def test_a_conversation_brings_its_tools(write):
    [one] = read_conversations(write("talk.json", {"messages": TALK, "tools": [TOOL]}))
    assert one.tools == (TOOL,)


def test_unknown_keys_of_a_message_are_kept(write):
    odd = {"role": "user", "content": "x", "cache_control": {"type": "ephemeral"}}
    [one] = read_conversations(write("talk.json", [odd]))
    assert one.messages == (odd,)


def test_each_answer_becomes_a_call_with_the_messages_before_it(write):
    [one] = read_conversations(write("talk.json", TALK))
    assert [list(call) for call in one.calls()] == [TALK[:1], TALK[:3]]


def test_an_answer_with_nothing_before_it_is_no_call(write):
    [one] = read_conversations(write("talk.json", TALK[1:]))
    assert [list(call) for call in one.calls()] == [TALK[1:3]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"messages": []}\n{"messages": [}\n', r"a\.jsonl:2: not JSON: .*column 15"),
        ("a.json", '[\n {"role": "user",}\n]', r"a\.json:2: not JSON: "),
        ("a.json", "", r"a\.json:1: not JSON: "),
        ("a.json", "[" * 100_000, r"a\.json: nested too deeply"),
        ("a.jsonl", "[" * 100_000, r"a\.jsonl:1: nested too deeply"),
        ("a.json", "1" * 5_000, r"a\.json:1: not JSON: "),
        ("a.jsonl", "", r"a\.jsonl: holds no conversation"),
        ("a.json", '{"question": 1}', r"a\.json: expected .*'messages' or 'traj'.*another object"),
        ("a.json", "[1, 2]", r"a\.json: expected .*, not a mixed list"),
        ("a.json", "null", r"a\.json: expected .*, not null"),
        ("a.json", '{"messages": null}', r"a\.json: messages must be a list, not null: exp"),
        ("a.json", '{"messages": 7}', r"a\.json: messages must be a list, not a number: expected"),
        (
            "a.json",
            '{"messages": [], "tools": {}}',
            r"tools must be a list, not another.*: expected",
        ),
        ("a.json", '[[{"role": "robot"}]]', r"a\.json, conversation 1: messages\[0\]: role must"),
        ("a.jsonl", '{"messages": [{"role": "user"}, 7]}', r"a\.jsonl:1: messages\[1\]: expected"),
        ("a.jsonl", '{"messages": [], "tools": [{}]}', r"a\.jsonl:1, tool 1: expected an OpenAI"),
    ],
)
def test_a_broken_file_is_refused_with_the_place_and_what_was_expected(write, name, text, message):
    with pytest.raises(FileError, match=message):
        read_conversations(write(name, text=text))


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(FileError, match=str(path)):
            read_text(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "image.png"
    path.write_bytes(b"\x89PNG\xff")
    with pytest.raises(FileError, match="not UTF-8"):
        read_text(path)


@pytest.mark.parametrize("text", ["", "some words", "42", '{"a": 1}', "# A page\n\n{}\n"])
def test_any_other_text_is_recognised_as_no_conversation(tmp_path, text):
    assert recognise(tmp_path / "notes.md", text) == []


@pytest.mark.parametrize(
    "values", [[[TOOL, TOOL]], [TOOL, TOOL], [{"tools": [TOOL, TOOL]}], [{"tools": [TOOL]}, TOOL]]
)
def test_tools_are_read_from_a_list_or_from_lines(write, values):
    assert read_tools(write("tools.jsonl", *values)) == (TOOL, TOOL)


def test_a_tool_of_another_format_is_refused(write):
    with pytest.raises(FileError, match=r"tools\.jsonl:2, tool 1: expected an OpenAI tool"):
        read_tools(write("tools.jsonl", TOOL, {"name": "look", "inputSchema": {}}))
