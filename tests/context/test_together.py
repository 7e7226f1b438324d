from __future__ import annotations

import anyio
import pytest

from agentmaker.context.together import Together

pytestmark = pytest.mark.anyio


class Fatal(BaseException):
    """No Exception."""


@pytest.mark.parametrize("error", [ValueError("x"), Fatal(), StopAsyncIteration()])
async def test_the_first_fault_ends_the_other_tasks_and_is_raised_as_it_is(error):
    ended = []

    async def fail():
        raise error

    async def wait():
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(True)

    async def together():
        async with Together() as tasks:
            tasks.start_soon(wait)
            await anyio.lowlevel.checkpoint()
            tasks.start_soon(fail)
            await anyio.sleep_forever()

    with pytest.raises(type(error)) as caught:
        await together()
    assert caught.value is error
    assert ended == [True]


async def test_an_error_for_an_answer_does_not_hide_the_cancellation():
    async def stubborn():
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("not now")

    went_on = False
    with anyio.CancelScope() as scope:
        async with Together() as tasks:
            tasks.start_soon(stubborn)
            await anyio.lowlevel.checkpoint()
            scope.cancel()
        went_on = True
    assert scope.cancelled_caught
    assert not went_on


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_cancellation_nobody_asked_for_is_a_fault_as_any_other():
    async def give_up():
        raise anyio.get_cancelled_exc_class()

    async def together():
        async with Together() as tasks:
            tasks.start_soon(give_up)

    with pytest.raises(anyio.get_cancelled_exc_class()):
        await together()
