from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from agentmaker.prompts import DEFAULT_PROMPTS, PROMPT_PACKS
from agentmaker.tools.text import text_of_result


def text(value: object) -> str:
    return text_of_result(value, DEFAULT_PROMPTS)


class Found(BaseModel):
    name: str
    size: Decimal


@dataclass
class Row:
    when: datetime
    path: Path


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("as it is\n", "as it is\n"),
        ("", ""),
        (None, "Done."),
        (True, "true"),
        (1.5, "1.5"),
        ({"城市": "北京", "n": [1, None]}, '{"城市":"北京","n":[1,null]}'),
        ([], "[]"),
        (("a", 1), '["a",1]'),
        ({1: 2}, '{"1":2}'),
        ({datetime(2026, 1, 2, tzinfo=UTC): {3}}, '{"2026-01-02T00:00:00Z":[3]}'),
        (Found(name="a", size=Decimal("1.10")), '{"name":"a","size":"1.10"}'),
        ([Found(name="a", size=Decimal(1))], '[{"name":"a","size":"1"}]'),
        (
            Row(datetime(2026, 1, 2, tzinfo=UTC), Path("a.txt")),
            '{"when":"2026-01-02T00:00:00Z","path":"a.txt"}',
        ),
        ("é".encode(), "é"),
        (bytearray(b"abc"), "abc"),
        (memoryview(b"abc"), "abc"),
        (b"\x89PNG\xff", "(5 bytes that are no text)"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ({"a": "\ud800"}, '{"a":"\ufffd"}'),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo"),
        (
            [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}],
            "(image_url, not shown)",
        ),
        ([{"type": "text"}], '[{"type":"text"}]'),
        ([{"type": "text", "text": {"value": 1}}], '[{"type":"text","text":{"value":1}}]'),
        ([{"type": "file", "name": "a.py"}], '[{"type":"file","name":"a.py"}]'),
        ([{"type": ["string", "null"], "title": "a"}], '[{"type":["string","null"],"title":"a"}]'),
        ([{"type": "house", "rooms": 3}], '[{"type":"house","rooms":3}]'),
    ],
)
def test_results_become_text(value, expected):
    assert text(value) == expected


class Mood(str, Enum):  # noqa: UP042 (of a StrEnum the text is written anyway)
    GOOD = "good"


def test_a_text_of_an_enumeration_is_that_text_wherever_it_is_written_into():
    assert f"{text(Mood.GOOD)}!" == "good!"


def test_nothing_is_done_in_the_language_of_the_prompts():
    assert text_of_result(None, PROMPT_PACKS["zh"]) == "已完成。"


def endless() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize("value", [object(), {"a": object()}, print, endless(), [b"\xff"]])
def test_what_has_no_text_is_a_value_error(value):
    with pytest.raises(ValueError, match=r"\w"):
        text(value)


texts = st.text('a"\n中\ud800\udc00', max_size=5)
leaves = st.none() | st.booleans() | st.integers() | texts
values = st.dictionaries(texts, leaves | st.lists(leaves, max_size=3), max_size=3)


@settings(max_examples=50)
@given(values)
def test_any_json_becomes_encodable_text_that_can_be_read_back(value):
    written = text(value)
    assert written.encode()
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert written == plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
