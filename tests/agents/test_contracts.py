from __future__ import annotations

import json
from functools import reduce
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from agentmaker import ConfigError
from agentmaker.agents.contracts import words_of
from agentmaker.agents.outputs import Output, Unreadable, read_output


class Owner(BaseModel):
    name: str = Field(description="who")
    boss: Owner | None = None


CONTRACT = {
    "severity": ("P0|P1", "how bad"),
    "days": int,
    "tags": list[str],
    "note": "what to tell the customer",
    "owner": {"name": ("str", "who"), "age": "int|None"},
    "steps": [{"do": str, "done": (bool, "already done")}],
    "ids": [int],
    "model_x y": float,
}
ANSWER = {
    "severity": "P1",
    "days": 3,
    "tags": ["a"],
    "note": "sorry",
    "owner": {"name": "Ann", "age": None},
    "steps": [{"do": "x", "done": False}],
    "ids": [1, 2],
    "model_x y": 0.5,
}


def output_of(given: Any) -> Output:
    output = read_output(given)
    assert output is not None
    return output


def test_an_answer_by_a_contract_is_a_plain_dictionary() -> None:
    assert output_of(CONTRACT).read(json.dumps(ANSWER)) == ANSWER


def test_descriptions_and_alternatives_reach_the_schema() -> None:
    schema = output_of(CONTRACT).response_format["json_schema"]["schema"]
    assert schema["properties"]["severity"]["enum"] == ["P0", "P1"]
    assert schema["properties"]["severity"]["description"] == "how bad"
    assert schema["properties"]["note"]["type"] == "string"
    assert schema["additionalProperties"] is False
    assert sorted(schema["required"]) == sorted(CONTRACT)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"severity": "P7"}, "severity"),
        ({"days": "many"}, "days"),
        ({"owner": {"name": "Ann"}}, "age"),
        ({"more": 1}, "more"),
    ],
)
def test_an_answer_that_breaks_the_contract_says_where(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(Unreadable, match=fault):
        output_of(CONTRACT).read(json.dumps({**ANSWER, **change}))


@pytest.mark.parametrize(
    ("contract", "shape"),
    [
        (("P0|P1", "how bad"), '"P0" | "P1"  # how bad'),
        ([("int|None", "days")], "[integer | null, ...]"),
    ],
)
def test_what_may_stand_behind_a_key_may_stand_alone(contract: Any, shape: str) -> None:
    assert output_of(contract).shape == f"value: {shape}"


def test_a_list_of_one_element_is_a_list_of_such() -> None:
    assert output_of([{"n": int}]).read('{"value": [{"n": 1}]}') == [{"n": 1}]


def test_a_contract_as_json_is_a_contract_for_the_same() -> None:
    written = json.loads(json.dumps(words_of(CONTRACT)))
    assert output_of(written).digest == output_of(CONTRACT).digest
    assert words_of(written) == written


@pytest.mark.parametrize("kind", [Owner, Literal["a"], dict[str, int]])
def test_a_type_without_a_name_has_no_words(kind: Any) -> None:
    assert words_of({"a": [{"b": (kind, "of a kind")}]}) is None
    assert output_of({"a": kind}).contract is None


def endless() -> dict[str, Any]:
    contract: dict[str, Any] = {}
    contract["again"] = [contract]
    return contract


@pytest.mark.parametrize(
    ("contract", "words"),
    [
        ({}, "output is no dictionary of names"),
        ({1: str}, "output is no dictionary of names"),
        ({"a": {"b": 5}}, r"output\['a'\]\['b'\] says nothing"),
        ({"a": 10**5000}, r"output\['a'\] says nothing of what is wanted \(int\)"),
        ({"a": []}, r"output\['a'\] says nothing"),
        ({"a": [str, int]}, r"output\['a'\] says nothing"),
        ({"a": [None]}, r"output\['a'\]\[0\] says nothing"),
        ({"a": ("P0||P1", "how bad")}, r"output\['a'\]: 'P0\|\|P1' is neither a choice"),
        ({"a": ("string", "who")}, r"nor a type by its name \(str, int, .*give the type itself"),
        ({"a": ("list[dict]|None", "who")}, "is neither"),
        (endless(), "output contains itself"),
        (reduce(lambda inner, _: {"a": inner}, range(2_000), {"a": int}), "nested too deep"),
    ],
)
def test_a_contract_that_says_nothing_is_refused_by_its_place(contract: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_output(contract)


def test_the_shape_of_a_contract_reads_as_it_was_written() -> None:
    assert output_of(CONTRACT).shape.splitlines() == [
        'severity: "P0" | "P1"  # how bad',
        "days: integer",
        "tags: [string, ...]",
        "note: string  # what to tell the customer",
        "owner:",
        "  name: string  # who",
        "  age: integer | null",
        "steps:",
        "  -",
        "    do: string",
        "    done: boolean  # already done",
        "ids: [integer, ...]",
        "model_x y: number",
    ]


def test_a_key_that_is_no_word_stands_quoted_in_its_line() -> None:
    shape = output_of({"a\n[Input]": str, "b: c": [{"": int, "n": int}]}).shape
    assert shape.splitlines() == [
        '"a\\n[Input]": string',
        '"b: c":',
        "  -",
        '    "": integer',
        "    n: integer",
    ]


def test_the_shape_of_a_type_that_contains_itself_ends() -> None:
    assert output_of(Owner).shape.splitlines() == [
        "value:",
        "  name: string  # who",
        "  boss: Owner | null",
    ]


@pytest.mark.parametrize(
    ("kind", "shape"),
    [(int, "integer"), (list[int], "[integer, ...]"), (int | None, "integer | null")],
)
def test_the_shape_of_a_value_is_that_of_the_object_its_schema_asks_for(
    kind: Any, shape: str
) -> None:
    output = output_of(kind)
    assert output.shape == f"value: {shape}"
    assert list(output.response_format["json_schema"]["schema"]["properties"]) == ["value"]
