from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.memory.exactly import exactly, holds_numbers, is_exactly

ATOMS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3))
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
)


@given(VALUES)
def test_a_copy_is_exactly_what_was_copied(value):
    assert is_exactly(value, copy.deepcopy(value))


@pytest.mark.parametrize(
    ("value", "other"), [(True, 1), (1, 1.0), (0.0, -0.0), ({"a": [False]}, {"a": [0]})]
)
def test_what_python_calls_equal_is_told_apart(value, other):
    assert value == other
    assert not is_exactly(value, other)


def test_which_objects_are_the_same_does_not_matter():
    text = "".join(("a", "b"))
    assert is_exactly([text, text], ["".join(("a", "b")), "".join(("a", "b"))])


def test_numbers_are_found_at_any_depth():
    assert holds_numbers({"a": [{"b": [1]}]})
    assert holds_numbers({"a": False})
    assert holds_numbers({"a": (1,)})
    assert not holds_numbers({"a": ["1", None, {"b": []}]})


def test_what_is_no_plain_value_has_no_bytes():
    assert exactly([object()]) is None
