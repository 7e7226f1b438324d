from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field

from agentmaker import Agent, ConfigError, wrap
from agentmaker.agents.outputs import Output, Unreadable, read_output
from agentmaker.testing import ModelServer, ScriptedLLM, violations


class Price(BaseModel):
    amount: int = Field(gt=0)
    city: str


@dataclass
class Pair:
    left: int
    right: int


class Tree(BaseModel):
    trees: list[Tree] = []


class Boxed(BaseModel):
    value: int


BARE = [
    (list[int], [1, 2]),
    (int, 3),
    (Literal["yes", "no"], "no"),
    (int | None, None),
    (Price | Pair, Pair(1, 2)),
    (Tree, Tree(trees=[Tree()])),
    (list[Pair], [Pair(1, 2)]),
]


def written(output: Output, value: Any) -> str:
    return output._adapter.dump_json(value).decode()


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


@pytest.mark.parametrize("given", [object(), "Price", "how bad", ""])
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


def raising(error: Exception) -> Any:
    def check(value: Any) -> Any:
        raise error

    return Annotated[int, AfterValidator(check)]


@pytest.mark.parametrize("form", ["3", '{"value": 3}'])
@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (KeyError("lisbon"), "KeyError: 'lisbon'"),
        (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
        (RuntimeError("x" * 10_000), "RuntimeError: x+$"),
    ],
)
def test_whatever_a_validator_raises_is_said_in_short(form, error, fault):
    with pytest.raises(Unreadable, match=fault) as caught:
        Output(raising(error)).read(form)

    assert len(str(caught.value)) <= 200


@pytest.mark.anyio
async def test_a_model_is_told_what_a_validator_raised_and_answers_again():
    known = {"Porto": 4}
    city = Annotated[str, AfterValidator(lambda name: known[name] and name)]
    llm = ScriptedLLM(['{"value": "Lisbon"}', '{"value": "Porto"}'])

    assert (await Agent("clerk", llm, output=city).arun("?")).output == "Porto"

    assert "KeyError: 'Lisbon'" in llm.calls[1]["messages"][-1]["content"]


def test_only_the_first_of_many_faults_are_said():
    with pytest.raises(Unreadable) as caught:
        Output(list[int]).read(str(["x"] * 1_000).replace("'", '"'))

    assert str(caught.value).count("valid integer") == 5


def test_faults_do_not_repeat_what_was_written():
    with pytest.raises(Unreadable) as caught:
        Output(Price).read('{"amount": "secret-42", "city": "Porto"}')

    assert "secret-42" not in str(caught.value)


@pytest.mark.parametrize("type_", [Price, Pair, dict[str, int], *(each for each, _ in BARE)])
def test_every_type_is_asked_for_as_an_object(type_):
    asked = Output(type_).response_format

    body = {"messages": [{"role": "user", "content": "q"}], "response_format": asked}
    assert violations(body) == []


@pytest.mark.parametrize(("type_", "value"), BARE)
def test_a_value_that_is_no_object_is_read_with_and_without_the_object_asked_for(type_, value):
    output = Output(type_)
    text = written(output, value)

    assert output.read(text) == value
    assert output.read(f'{{"value": {text}}}') == value
    assert output.read(f'```json\n{{"value": {text}}}\n```') == value


def test_an_object_with_a_value_of_its_own_stays_what_it_is():
    assert Output(Boxed).read('{"value": 3}') == Boxed(value=3)
    assert Output(Boxed | Price).read('{"value": 3}') == Boxed(value=3)
    assert Output(Boxed | Price).read('{"value": {"value": 3}}') == Boxed(value=3)
    with pytest.raises(Unreadable, match="value: Input should be a valid integer"):
        Output(Boxed).read('{"value": {"value": 3}}')


def test_faults_are_those_of_the_form_that_was_written():
    with pytest.raises(Unreadable, match=r"^value\.0: Input should be a valid integer"):
        Output(list[int]).read('{"value": ["x"]}')
    with pytest.raises(Unreadable, match=r"^0: Input should be a valid integer"):
        Output(list[int]).read('["x"]')
    with pytest.raises(Unreadable, match=r"^Input should be a valid (list|array)"):
        Output(list[int]).read('{"values": [1]}')


@pytest.mark.anyio
async def test_a_strict_server_takes_a_request_for_a_list():
    server = ModelServer([json.dumps({"value": [1, 2]})])
    client = wrap(server.client(), window=4_000, output_tokens=512)
    result = await Agent("counter", client, model="test-model", output=list[int]).arun("Count")

    assert result.output == [1, 2]
    assert [received.status for received in server.requests] == [200]
