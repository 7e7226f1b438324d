from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import BaseModel, Field

from agentmaker import ConfigError
from agentmaker.agents.outputs import Output, Unreadable, read_output


class Price(BaseModel):
    amount: int = Field(gt=0)
    city: str


@dataclass
class Pair:
    left: int
    right: int


@pytest.mark.parametrize("given", [None, str])
def test_plain_text_needs_no_output(given):
    assert read_output(given) is None


@pytest.mark.parametrize("given", [Price, Pair, list[int], dict[str, int], int])
def test_any_type_that_pydantic_knows_is_an_output(given):
    output = read_output(given)

    assert output is not None
    schema = output.response_format["json_schema"]
    assert schema["name"].replace("_", "").isalnum()
    assert isinstance(schema["schema"], dict)


@pytest.mark.parametrize("given", [object(), "Price"])
def test_a_type_without_a_schema_is_refused(given):
    with pytest.raises(ConfigError, match="pydantic"):
        read_output(given)


@pytest.mark.parametrize(
    "text",
    [
        '{"left": 1, "right": 2}',
        '\n {"left": 1,\n "right": 2} ',
        '```json\n{"left": 1, "right": 2}\n```',
        '```\n{"left": 1, "right": 2}\n```\n',
    ],
)
def test_json_is_read_with_or_without_a_code_fence(text):
    assert Output(Pair).read(text) == Pair(1, 2)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "^Invalid JSON"),
        ("It is 3.", "^Invalid JSON"),
        ('Sure: {"amount": 3, "city": "Porto"}', "^Invalid JSON"),
        ('{"amount": "x"}', "amount: Input should be a valid integer.*; city: Field required"),
        ('{"amount": 0, "city": "Porto"}', "amount: Input should be greater than 0"),
        ("```json\n```", "^Invalid JSON"),
    ],
)
def test_what_cannot_be_read_says_what_is_wrong_with_it(text, fault):
    with pytest.raises(Unreadable, match=fault):
        Output(Price).read(text)


def test_only_the_first_of_many_faults_are_said():
    with pytest.raises(Unreadable) as caught:
        Output(list[int]).read(str(["x"] * 1_000).replace("'", '"'))

    assert str(caught.value).count("valid integer") == 5


def test_faults_do_not_repeat_what_was_written():
    with pytest.raises(Unreadable) as caught:
        Output(Price).read('{"amount": "secret-42", "city": "Porto"}')

    assert "secret-42" not in str(caught.value)
