from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Iterator

import pytest

from agentmaker.context.mmr.embeddings import floats, unit, width
from tests.context.mmr.naive import FORMS, picked, result

every_form = pytest.mark.parametrize("form", FORMS)


class Closed:
    """Numbers that can no longer be read."""

    def __len__(self) -> int:
        raise RuntimeError("closed")


class HalfClosed(Closed):
    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[float]:
        raise RuntimeError("closed")


RELEASED = memoryview(array("f", [1.0, 0.0]))
RELEASED.release()


@pytest.mark.parametrize(
    "bad",
    [
        [math.nan, 1.0],
        [math.inf, 0.0],
        [0.0, 0.0],
        [],
        [1.0],
        ["x", "y"],
        ["1", "0"],
        "10",
        [[1.0, 0.0]],
        b"abc",
        b"",
        5,
        1j,
        [1j, 0],
        [None, 1.0],
        [10**400, 1],
        object(),
        None,
        Closed(),
        HalfClosed(),
        RELEASED,
    ],
    ids=repr,
)
@every_form
def test_an_embedding_that_cannot_be_compared_is_like_no_other(form, bad):
    candidates = [result("a", 1, [1.0, 0.0]), result("b", 0.9, bad), result("c", 0.8, [1.0, 0.0])]
    assert picked(form, candidates) == ["a", "b"]


@pytest.mark.parametrize("bad", [(), "", b"abc", [[1.0]], Closed(), RELEASED], ids=repr)
@every_form
def test_the_first_embedding_may_be_the_one_that_cannot_be_compared(form, bad):
    candidates = [result("a", 1, bad), result("b", 0.9, [1.0, 0.0]), result("c", 0.8, [1.0, 0.0])]
    assert picked(form, candidates) == ["a", "b"]


@every_form
def test_an_iterator_is_not_read_for_a_second_reading_would_differ(form):
    numbers = [iter([1.0, 0.0]), iter([1.0, 0.0])]
    assert picked(form, [result("a", 1, numbers[0]), result("b", 0.9, numbers[1])]) == ["a", "b"]
    assert list(numbers[0]) == [1.0, 0.0]


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "longdouble", "int8", "uint8", "int64", ">f8", "O"]
)
@every_form
def test_numpy_arrays_of_any_numbers_are_read(form, dtype):
    numpy = pytest.importorskip("numpy")
    vectors = numpy.array([[3, 0, 0], [1, 0, 0], [0, 2, 0]], dtype=dtype)
    candidates = [result(str(i), 1 - i / 10, vector) for i, vector in enumerate(vectors)]
    assert picked(form, candidates) == ["0", "2"]


@pytest.mark.parametrize("shape", [(), (1, 2), (2, 1)])
@every_form
def test_a_numpy_array_that_is_no_row_is_like_no_other(form, shape):
    bad = pytest.importorskip("numpy").ones(shape)
    candidates = [result("a", 1, [1.0, 1.0]), result("b", 0.9, bad), result("c", 0.8, [1.0, 1.0])]
    assert picked(form, candidates) == ["a", "b"]


@every_form
def test_other_iterables_with_a_length_are_read(form):
    candidates = [result("a", 1, deque([1.0, 0.0])), result("b", 0.9, range(1, -1, -1))]
    assert picked(form, candidates) == ["a"]


@pytest.mark.parametrize("factor", [1e-320, 1e-200, 1e-30, 1, 1e30, 1e300])
@every_form
def test_the_length_of_a_vector_does_not_matter(form, factor):
    vectors = [[3.0, 4.0], [3.0 * factor, 4.0 * factor], [4.0 * factor, -3.0 * factor]]
    candidates = [result(str(i), 1 - i / 10, vector) for i, vector in enumerate(vectors)]
    assert picked(form, candidates, threshold=0.999) == ["0", "2"]


def test_buffers_of_floats_are_not_copied():
    for code in "fd":
        numbers = array(code, [1, 2])
        assert floats(numbers).obj is numbers
    packed = array("f", [1, 2]).tobytes()
    assert floats(packed).obj is packed
    assert floats(packed).tolist() == floats(memoryview(packed)).tolist() == [1, 2]


def test_a_unit_has_the_length_one():
    assert unit([3, 4]) == (0.6, 0.8)
    assert unit([0, 0]) is None


def test_the_width_is_known_without_reading():
    assert width([1, 2, 3]) == width(array("f", [1, 2, 3])) == width(bytes(12)) == 3
    assert width(memoryview(bytes(12))) == 3
    assert width(None) == width(5) == 0
