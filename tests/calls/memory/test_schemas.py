from __future__ import annotations

import copy
from typing import Any

from agentmaker.calls.memory.schemas import Schemas
from agentmaker.plain import dumps
from agentmaker.tokens import count_tokens
from tests.clients.asking import TOOL

NAMED = {**TOOL, "function": {**TOOL["function"], "name": "named"}}


class Reading:
    """Reads schemas, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, given: list[Any]) -> list[Any]:
        self.times += 1
        return given


def test_schemas_that_say_the_same_are_read_once_and_the_same_objects() -> None:
    schemas, read = Schemas(), Reading()
    first = schemas.read([TOOL, NAMED], read)
    again = schemas.read(copy.deepcopy([TOOL, NAMED]), read)
    assert (first, again is first, read.times) == ((TOOL, NAMED), True, 1)


def test_one_that_was_changed_in_place_is_read_anew() -> None:
    schemas, read, given = Schemas(), Reading(), copy.deepcopy([TOOL, NAMED])
    before = schemas.read(given, read)
    given[0]["function"]["description"] = "new"
    assert schemas.read(given, read) == tuple(given) != before
    assert before == (TOOL, NAMED)


def test_tokens_are_counted_once_by_each_counter() -> None:
    schemas, counted = Schemas(), list[str]()

    def counter(text: str) -> int:
        counted.append(text)
        return 7

    tools = schemas.read([TOOL], Reading())
    assert [schemas.tokens(tools, counter) for _ in range(3)] == [7, 7, 7]
    assert schemas.tokens(tools, count_tokens) == count_tokens(dumps([TOOL]))
    assert counted == [dumps([TOOL])]


def test_their_json_is_that_of_the_sdk_or_none() -> None:
    schemas = Schemas()
    assert schemas.json((TOOL,)) == (
        b'[{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}]'
    )
    assert schemas.json(({"type": object()},)) is None


def test_what_is_no_mapping_is_known_by_its_value_too() -> None:
    schemas, read = Schemas(), Reading()
    assert [schemas.read([given], read) for given in ("a", "a", "b")] == [("a",), ("a",), ("b",)]
    assert read.times == 2


def test_what_cannot_be_copied_is_read_each_time() -> None:
    class Odd(dict[str, Any]):
        def __deepcopy__(self, memo: Any) -> Any:
            raise RuntimeError("not me")

    schemas, read = Schemas(), Reading()
    assert [schemas.read([Odd(TOOL)], read) for _ in range(2)] == [(TOOL,), (TOOL,)]
    assert read.times == 2


def test_the_memory_is_bounded() -> None:
    schemas = Schemas(maximum=2)
    for number in range(9):
        schemas.tokens(schemas.read([{"type": "x", "x": {"name": number}}], Reading()), len)
    assert (len(schemas._known), len(schemas._written)) == (2, 4)
