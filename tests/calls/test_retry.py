from __future__ import annotations

import math
import time
from email.utils import formatdate
from types import SimpleNamespace
from typing import Any

import anyio
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import ContextWindowExceeded
from agentmaker.calls.refusals.overflow import Overflow, PromptRefused
from agentmaker.calls.retry import Retry, may_pass, wait_after
from tests.calls.talk import Server, call_of, user

pytestmark = pytest.mark.anyio
CALL = call_of(user())


class Refused(Exception):
    def __init__(self, status: Any, headers: dict[str, str] | None = None) -> None:
        super().__init__(status)
        self.status_code = status
        self.response = SimpleNamespace(headers=headers or {})


class Clock:
    """Sleeps without time passing, and remembers for how long."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


def unconnected() -> openai.APIConnectionError:
    return openai.APIConnectionError(request=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_a_failure_that_may_pass_is_tried_again(status):
    server, clock = Server(Refused(status), Refused(status)), Clock()
    assert (await Retry(2, clock)(CALL, server)).content == "ok"
    assert len(server.calls) == 3


async def test_so_is_a_connection_that_was_not_made():
    assert (await Retry(1, Clock())(CALL, Server(unconnected()))).content == "ok"


@pytest.mark.parametrize(
    "error",
    [
        Refused(400),
        Refused(401),
        Refused(422),
        Refused("500"),
        ValueError("no"),
        ContextWindowExceeded("the tools", 9, 5),
        PromptRefused(Overflow(message="too long"), None, ValueError()),
    ],
)
async def test_what_will_not_pass_is_raised_at_once(error):
    server = Server(error)
    with pytest.raises(type(error)):
        await Retry(5, Clock())(CALL, server)
    assert len(server.calls) == 1


async def test_a_client_that_retries_nothing_tries_once():
    server, clock = Server(Refused(503)), Clock()
    with pytest.raises(Refused):
        await Retry(0, clock)(CALL, server)
    assert (len(server.calls), clock.slept) == (1, [])


async def test_after_the_last_attempt_its_own_error_is_raised():
    last = Refused(503)
    with pytest.raises(Refused) as raised:
        await Retry(1, Clock())(CALL, Server(Refused(500), last))
    assert raised.value is last


async def test_a_client_may_retry_without_end():
    server = Server(*[Refused(503)] * 2_000)
    assert (await Retry(math.inf, Clock())(CALL, server)).content == "ok"


@pytest.mark.parametrize(("status", "told", "passes"), [(500, "false", False), (400, "true", True)])
async def test_the_server_s_word_on_retrying_is_the_last(status, told, passes):
    assert may_pass(Refused(status, {"x-should-retry": told})) is passes


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
    ],
)
async def test_the_wait_that_the_server_names_is_kept(headers, seconds):
    clock = Clock()
    await Retry(1, clock)(CALL, Server(Refused(429, headers)))
    assert clock.slept == [seconds]


async def test_a_date_to_wait_for_is_read():
    headers = {"retry-after": formatdate(time.time() + 30, usegmt=True)}
    assert 27 < wait_after(Refused(429, headers), 0) <= 30


@pytest.mark.parametrize("named", ["600", "-1", "0", "soon", "nan", "inf", ""])
async def test_a_wait_that_makes_no_sense_is_not(named):
    assert 0 < wait_after(Refused(429, {"retry-after": named}), 0) <= 0.5


@given(st.integers(0, 5_000))
def test_waits_double_up_to_eight_seconds_less_a_quarter_at_most(attempt):
    longest = min(0.5 * 2.0 ** min(attempt, 50), 8)
    assert 0.75 * longest <= wait_after(Refused(503), attempt) <= longest


async def test_a_cancelled_wait_ends_at_once():
    server = Server(Refused(503))
    with anyio.move_on_after(0.01) as scope:
        await Retry(3)(CALL, server)
    assert scope.cancelled_caught
    assert len(server.calls) == 1
