from __future__ import annotations

import copy
import json
from collections import OrderedDict

import openai
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.plain import exactly, is_absent, is_exactly, plain


class Part(pydantic.BaseModel):
    type: str
    text: str = "t"


class Parts(pydantic.RootModel[list[Part]]):
    pass


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_what_is_plain_is_the_same_object(value):
    assert plain(value) is value


@given(JSON)
def test_what_is_made_plain_is_json_of_the_same_value(value):
    wrapped = {"a": (value, Part(type="x")), "b": iter([value]), "c": openai.NOT_GIVEN}
    made = plain(wrapped)
    assert json.loads(json.dumps(made)) == {"a": [value, {"type": "x"}], "b": [value]}


def test_an_object_that_stands_for_a_list_is_that_list():
    assert plain({"content": Parts([Part(type="x")])}) == {"content": [{"type": "x"}]}


@pytest.mark.parametrize("value", [b"x", 1.5, object(), Part])
def test_what_has_no_json_is_left_to_whoever_sends_it(value):
    assert plain(value) is value


def test_what_was_not_given_is_absent_and_none_is_not():
    assert [is_absent(each) for each in (openai.NOT_GIVEN, openai.omit, None, "")] == [
        True,
        True,
        False,
        False,
    ]


ATOMS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3))
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner)
        | st.dictionaries(st.text(max_size=3), inner).map(OrderedDict)
    ),
)


@given(VALUES)
def test_a_copy_is_exactly_what_was_copied(value):
    assert is_exactly(value, copy.deepcopy(value))
    assert exactly(value) == exactly(copy.deepcopy(value))


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (True, 1),
        (1, 1.0),
        (0.0, -0.0),
        ({"a": [False]}, {"a": [0]}),
        ({"a": OrderedDict(b=False)}, {"a": OrderedDict(b=0)}),
    ],
)
def test_what_python_calls_equal_is_told_apart(value, other):
    assert value == other
    assert not is_exactly(value, other)


def test_which_objects_are_the_same_does_not_matter():
    text = "".join(("a", "b"))
    assert is_exactly([text, text], ["".join(("a", "b")), "".join(("a", "b"))])


def test_nor_does_the_class_of_a_dictionary():
    assert is_exactly([{"a": 1}], [OrderedDict(a=1)])
