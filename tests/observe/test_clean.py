from __future__ import annotations

import json
import math
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.observe.clean import clean, clean_fields, to_line

TEXTS = st.text(st.characters(codec=None, categories=None))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


class Model(StrEnum):
    SMALL = "small"


def strict(line: str):
    def refuse(name: str):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(line.encode("utf-8"), parse_constant=refuse)


@given(st.dictionaries(TEXTS, VALUES))
def test_every_line_is_strict_json_in_utf_8(fields):
    assert isinstance(strict(to_line(fields)), dict)


@given(st.dictionaries(TEXTS, VALUES))
def test_flat_fields_are_cleaned_as_every_value_is(fields):
    assert clean_fields(fields) == clean(fields)
    assert list(clean_fields(fields)) == list(clean(fields))


@given(st.dictionaries(TEXTS, VALUES))
def test_a_line_holds_the_cleaned_fields(fields):
    assert strict(to_line(fields)) == clean(fields)


def test_a_member_of_an_enumeration_of_texts_becomes_a_plain_text():
    cleaned = clean_fields({"model": Model.SMALL, "all": [Model.SMALL]})
    assert [type(text) for text in (cleaned["model"], *cleaned["all"])] == [str, str]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_becomes_null(value):
    assert strict(to_line({"ratio": value, "all": [value, 1.5]})) == {
        "ratio": None,
        "all": [None, 1.5],
    }


def test_a_lone_surrogate_is_replaced_and_a_pair_is_joined():
    assert clean("a\ud83d") == "a\N{REPLACEMENT CHARACTER}"
    assert clean("\ud83d\ude00") == "\N{GRINNING FACE}"


def test_a_lone_surrogate_in_a_key_is_replaced():
    assert clean({"source_\ud83d": 1}) == {"source_\N{REPLACEMENT CHARACTER}": 1}


def test_an_unknown_object_shows_its_type_and_never_its_repr():
    class Client:
        def __repr__(self):
            return "Client(key='sk-CANARY0123456789')"

    assert to_line({"client": Client()}) == '{"client": "Client"}'
