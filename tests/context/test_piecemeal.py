from __future__ import annotations

from collections.abc import Generator

import pytest

from agentmaker.context.piecemeal import at_once, attentively

pytestmark = pytest.mark.anyio


def added(numbers: list[int], done: list[int]) -> Generator[None, None, int]:
    for number in numbers:
        done.append(10 // number)
        yield
    return sum(done)


@pytest.mark.parametrize("numbers", [[], [1, 2, 5]])
async def test_both_ways_come_to_what_the_pieces_return(numbers: list[int]) -> None:
    expected = sum(10 // number for number in numbers)
    assert at_once(added(numbers, [])) == expected
    assert await attentively(added(numbers, [])) == expected


async def test_an_error_in_a_piece_passes_and_no_further_one_is_done() -> None:
    done: list[int] = []
    with pytest.raises(ZeroDivisionError):
        at_once(added([1, 0, 2], done))
    with pytest.raises(ZeroDivisionError):
        await attentively(added([1, 0, 2], done))
    assert done == [10, 10]
