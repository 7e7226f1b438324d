from __future__ import annotations

import json

from agentmaker.cli.count import count_file
from agentmaker.context.measure import FRAMING, REPLY_PRIMING


def test_text_is_counted_whole(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("# abc\n", "utf-8")
    found = count_file(path, len)
    assert (found.kind, found.tokens, found.characters, found.messages) == ("text", 6, 6, 0)


def test_a_conversation_is_counted_as_the_request_it_would_be(tmp_path):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([{"role": "user", "content": "abc"}] * 2))
    found = count_file(path, len)
    assert (found.kind, found.conversations, found.messages) == ("conversations", 1, 2)
    assert found.tokens == 2 * (3 + FRAMING) + REPLY_PRIMING


def test_tools_are_counted_as_the_json_that_is_sent(tmp_path):
    path = tmp_path / "talk.json"
    tools = [{"type": "function", "function": {"name": "look"}}]
    path.write_text(json.dumps({"messages": [{"role": "user", "content": ""}], "tools": tools}))
    assert count_file(path, len).tokens == FRAMING + REPLY_PRIMING + len(json.dumps(tools))


def test_json_that_is_no_conversation_is_text(tmp_path):
    path = tmp_path / "data.json"
    path.write_text('{"a": 1}')
    assert count_file(path, len).kind == "text"
