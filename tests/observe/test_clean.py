from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.observe.clean import clean, to_line

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None, categories=None))
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


def strict(line: str):
    def refuse(name: str):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(line.encode("utf-8"), parse_constant=refuse)


@given(st.dictionaries(st.text(st.characters(codec=None, categories=None)), VALUES))
def test_every_line_is_strict_json_in_utf_8(fields):
    assert isinstance(strict(to_line(fields)), dict)


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
