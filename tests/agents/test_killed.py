"""Runs that end in the middle, by a kill, a cancellation or a full disk, and are resumed."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy import Engine, event

import agentmaker
from agentmaker import (
    Agent,
    MemoryStore,
    Message,
    PlanAgent,
    ReflectionAgent,
    Scope,
    Session,
    SessionStore,
    StoreError,
    tool,
)
from agentmaker.agents.base import BaseAgent
from agentmaker.agents.work import Work
from agentmaker.memory.store import Store
from agentmaker.testing import ScriptedLLM, violations

pytestmark = pytest.mark.anyio

ORDERS = 3
ANSWER = "Paid 3 orders."
QUESTION = "Pay every order."
BEFORE = (Message("Hello."), Message("Hello.", "assistant"))
_ids = count()


class Killed(BaseException):
    """Nothing that a program catches."""


class Dying:
    """A store that is gone from its *last* commit on, *after* having made that or without."""

    def __init__(self, store: Store, last: int, *, after: bool) -> None:
        self._store = store
        self._last = last
        self._after = after
        self.commits = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        return partial(self._commit, method) if name in ("begin", "commit") else method

    async def _commit(self, method: Callable[..., Awaitable[Any]], *given: Any, **more: Any) -> Any:
        self.commits += 1
        if self.commits > self._last or (self.commits == self._last and not self._after):
            raise Killed
        done = await method(*given, **more)
        if self.commits == self._last:
            raise Killed
        return done


def say(messages: Sequence[Any]) -> Any:
    """What comes next follows from what was sent: an order more, a look, or the answer."""
    asked = max((at for at, each in enumerate(messages) if each.get("tool_calls")), default=None)
    results = [] if asked is None else [each["content"] for each in messages[asked + 1 :]]
    if any("not known" in each for each in results):
        return calls(look={})
    paid = max((int(each.split()[1]) for each in results), default=0)
    if paid == ORDERS:
        return ANSWER
    return calls(price={"order": paid + 1}, pay={"order": paid + 1})


def calls(**wanted: Any) -> Any:
    made = [
        {
            "id": f"c{next(_ids)}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for name, arguments in wanted.items()
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


class Payments:
    """The world outside: what was paid, and how often somebody looked at a price."""

    def __init__(self, form: str = "") -> None:
        self.form = form
        self.paid: list[int] = []
        self.prices: list[int] = []

    def tools(self) -> list[agentmaker.Tool]:
        @tool(idempotent=True)
        async def price(order: int) -> str:
            self.prices.append(order)
            return f"Order {order} costs 5. {self.form}".strip()

        @tool
        async def pay(order: int) -> str:
            self.paid.append(order)
            return f"Order {order} is paid."

        @tool(idempotent=True)
        async def look() -> str:
            return f"Order {max(self.paid, default=0)} was paid last."

        return [price, pay, look]


def payer(store: Store, scope: Scope, payments: Payments, **options: Any) -> Agent:
    session = Session(store=store, scope=scope)
    return Agent("payer", ScriptedLLM(say), tools=payments.tools(), session=session, **options)


async def attend(agent: BaseAgent) -> None:
    """Begin the run of the agent's session, or go on with it."""
    kept = await agent.store.runs(agent.session.scope)
    await (agent.resume(kept[0].id) if kept else agent.arun(QUESTION))


async def survived(agent: BaseAgent) -> bool:
    """Whether it could attend to its run without being killed."""
    done = False
    try:
        await attend(agent)
        done = True
    except* Killed:
        pass
    return done


async def check(store: Store, scope: Scope, payments: Payments) -> None:
    """The run is done as if nothing had happened."""
    (run,) = await store.runs(scope)
    turns = await store.turns(scope)
    wire = [each.to_wire() for each in turns]
    work = Work().after(await store.entries(run.id))
    told = [*BEFORE, Message(QUESTION), *work.messages]
    assert run.status == "done"
    assert wire == [each.to_wire() for each in told]
    assert violations({"model": "m", "messages": wire}) == []
    assert wire[-1]["content"] == ANSWER
    assert payments.paid == [1, 2, 3]
    ids = [call.id for each in turns for call in each.tool_calls]
    assert len(ids) == len(set(ids))


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    kept = MemoryStore() if request.param == "memory" else SessionStore(tmp_path / "store.db")
    yield kept
    await kept.aclose()


@pytest.mark.parametrize("after", [False, True], ids=["without it", "after it"])
async def test_a_run_that_ends_at_any_commit_goes_on_as_if_nothing_had_happened(
    store: Store, after: bool
) -> None:
    for last in count(1):
        scope, payments = Scope(session=f"s{last}"), Payments()
        await store.append(scope, BEFORE)
        dying = Dying(store, last, after=after)
        if not await survived(payer(dying, scope, payments)):
            await attend(payer(store, scope, payments))
        await check(store, scope, payments)
        if dying.commits < last:
            break
    assert last > 3 * ORDERS


async def test_a_run_that_ends_at_every_commit_comes_to_its_end_all_the_same(store: Store) -> None:
    scope, payments, attempts = Scope(session="s"), Payments(), 0
    await store.append(scope, BEFORE)
    while not await survived(payer(Dying(store, 2, after=False), scope, payments)):
        attempts += 1
        assert attempts < 50
    await check(store, scope, payments)
    assert attempts > 3 * ORDERS


async def test_a_run_that_is_cancelled_at_any_commit_is_stopped_and_goes_on(store: Store) -> None:
    class Cancelling(Dying):
        async def _commit(self, method: Any, *given: Any, **more: Any) -> Any:
            self.commits += 1
            if self.commits == self._last:
                cancelled.cancel()
            return await method(*given, **more)

    for last in count(2):
        scope, payments = Scope(session=f"s{last}"), Payments()
        await store.append(scope, BEFORE)
        cancelling = Cancelling(store, last, after=True)
        with anyio.CancelScope() as cancelled:
            await attend(payer(cancelling, scope, payments))
        (run,) = await store.runs(scope)
        assert run.status == ("stopped" if cancelled.cancelled_caught else "done")
        await attend(payer(store, scope, payments))
        await check(store, scope, payments)
        if cancelling.commits < last:
            break


async def test_what_is_idempotent_runs_again_and_what_is_not_is_reported_as_unknown(
    store: Store,
) -> None:
    scope, payments = Scope(session="s"), Payments()
    await store.append(scope, BEFORE)
    # The begin, then the first batch with its marks: both calls are at work now.
    assert not await survived(payer(Dying(store, 3, after=False), scope, payments))
    assert (payments.prices, payments.paid) == ([1], [1])
    await attend(payer(store, scope, payments))
    assert payments.prices == [1, 1, 2, 3]
    results = [turn.text for turn in await store.turns(scope) if turn.role == "tool"]
    assert results[0] == "Order 1 costs 5."
    assert "not known whether this call was carried out" in results[1]
    await check(store, scope, payments)


async def test_who_had_the_run_before_can_commit_nothing_more(store: Store) -> None:
    scope, payments = Scope(session="s"), Payments()
    await store.append(scope, BEFORE)
    late = payer(store, scope, payments)
    async with late.stream(QUESTION) as events:
        await anext(events)
        # Elsewhere: another session object, so that it does not wait for this one.
        await attend(payer(Dying(store, 10**6, after=True), scope, payments))
        with pytest.raises(agentmaker.SessionError, match="resumed somewhere else") as caught:
            async for _ in events:
                pass
    # It is not told to go on with what is another's.
    assert not hasattr(caught.value, "__notes__")
    turns = [turn.text for turn in await store.turns(scope)]
    assert (turns.count(QUESTION), turns.count(ANSWER)) == (1, 1)


KILLED = """
import os, signal, sys
from pathlib import Path
import anyio
from agentmaker import Scope, SessionStore
from tests.agents.test_killed import *

path, side, moment = sys.argv[1:]

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

class Noting(Payments):
    def tools(self):
        price, pay, look = super().tools()

        @tool
        async def pay(order: int) -> str:
            if moment == "before the deed" and order == 2:
                kill()
            with open(side, "a") as file:
                file.write(f"{order}\\n")
            if moment == "after the deed" and order == 2:
                kill()
            return f"Order {order} is paid."

        return [price, pay, look]

class Deadly(Dying):
    async def _commit(self, method, *given, **more):
        self.commits += 1
        if self.commits == 5 and moment == "before a commit":
            kill()
        await method(*given, **more)
        if self.commits == 5 and moment == "after a commit":
            kill()

async def main():
    kept = SessionStore(path)
    await kept.append(Scope(session="s"), BEFORE)
    store = Deadly(kept, 0, after=True)
    await attend(payer(store, Scope(session="s"), Noting()))

anyio.run(main)
"""


@pytest.mark.parametrize(
    "moment", ["before the deed", "after the deed", "before a commit", "after a commit"]
)
def test_a_process_that_was_killed_leaves_a_run_that_another_one_ends(
    tmp_path: Path, moment: str
) -> None:
    path, side = tmp_path / "store.db", tmp_path / "side"
    died = subprocess.run(
        [sys.executable, "-W", "error", "-c", KILLED, path, side, moment],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stderr=subprocess.PIPE,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    anyio.run(end, SessionStore(path), [int(line) for line in side.read_text().split()])


async def end(store: Store, paid: list[int]) -> None:
    payments = Payments()
    payments.paid = paid
    await attend(payer(store, Scope(session="s"), payments))
    await check(store, Scope(session="s"), payments)
    await store.aclose()


async def test_a_full_disk_is_a_store_error_and_the_run_goes_on_once_there_is_room(
    tmp_path: Path,
) -> None:
    path, scope, payments = tmp_path / "store.db", Scope(session="s"), Payments("word " * 2_000)
    store = SessionStore(path)
    await store.append(scope, BEFORE)
    await store.aclose()
    with closing(sqlite3.connect(path)) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    said: list[str] = []
    done = False

    def limit(connection: sqlite3.Connection, record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(Engine, "connect", limit)
    try:
        while not done:
            try:
                await attend(payer(store, scope, payments))
                done = True
            except StoreError as error:
                said.append(str(error))
                await store.aclose()
                pages += 1
    finally:
        event.remove(Engine, "connect", limit)
    await check(store, scope, payments)
    await store.aclose()
    assert len(said) > 3 * ORDERS
    assert all("make room" in each for each in said)


async def test_a_run_that_is_refused_stays_with_who_has_it(store: Store) -> None:
    scope, payments = Scope(session="s"), Payments()
    await store.append(scope, BEFORE)
    async with payer(store, scope, payments).stream(QUESTION) as events:
        await anext(events)
        (run,) = await store.runs(scope)
        with pytest.raises(agentmaker.SessionError, match="resume it with that agent"):
            await Agent("another", ScriptedLLM(say), store=store).resume(run.id)
        async for _ in events:
            pass
    await check(store, scope, payments)


async def test_a_run_is_not_resumed_with_another_session_or_none(store: Store) -> None:
    scope, payments = Scope(session="s"), Payments()
    await store.append(scope, BEFORE)
    assert not await survived(payer(Dying(store, 2, after=False), scope, payments))
    (run,) = await store.runs(scope)
    other = payer(store, Scope(session="other"), payments)
    plain = Agent("payer", ScriptedLLM(say), tools=payments.tools(), store=store)
    for agent in (other, plain):
        with pytest.raises(agentmaker.SessionError, match="session 's'"):
            await agent.resume(run.id)
    await attend(payer(store, scope, payments))
    await check(store, scope, payments)


def plans(messages: Sequence[Any]) -> Any:
    """Two steps that pay an order each."""
    asked = max(at for at, each in enumerate(messages) if each["role"] == "user")
    wanted, since = messages[asked]["content"], messages[asked + 1 :]
    if "Make a plan first" in wanted:
        return json.dumps({"steps": ["Pay order 1.", "Pay order 2."]})
    if "All steps are over" in wanted:
        return "Paid 2 orders."
    order = int(re.findall(r"Carry out step (\d+)", wanted)[0])
    return paying(order, since) or f"Order {order} is paid, as it should be."


def reflects(messages: Sequence[Any]) -> Any:
    """A draft that pays an order, a point of critique, and an answer that meets it."""
    asked = max(at for at, each in enumerate(messages) if each["role"] == "user")
    wanted, since = messages[asked]["content"], messages[asked + 1 :]
    refined = "It cost 5." in str(messages)
    if "Criticise" in wanted:
        return "GOOD ENOUGH" if refined else "What did it cost?"
    if "What did it cost?" in str(messages):
        return "Paid order 1. It cost 5."
    return paying(1, since) or "Paid order 1."


def paying(order: int, since: Sequence[Any]) -> Any:
    """The calls that pay an order, None once it is paid."""
    told = [each["content"] for each in since if each["role"] == "tool"]
    if told and "not known" in told[-1]:
        return calls(look={})
    paid = any(f"Order {order} " in each for each in told)
    return None if paid else calls(pay={"order": order})


@pytest.mark.parametrize("after", [False, True], ids=["without it", "after it"])
@pytest.mark.parametrize(
    ("kind", "model", "answer", "paid"),
    [
        (PlanAgent, plans, "Paid 2 orders.", [1, 2]),
        (ReflectionAgent, reflects, "Paid order 1. It cost 5.", [1]),
    ],
)
async def test_a_plan_or_a_reflection_that_ends_at_any_commit_goes_on(
    kind: type[BaseAgent], model: Any, answer: str, paid: list[int], after: bool
) -> None:
    store = MemoryStore()

    def agent(kept: Store, payments: Payments) -> BaseAgent:
        session = Session(store=kept, scope=scope)
        return kind("payer", ScriptedLLM(model), tools=payments.tools(), session=session)

    for last in count(1):
        scope, payments = Scope(session=f"s{last}"), Payments()
        dying = Dying(store, last, after=after)
        if not await survived(agent(dying, payments)):
            await attend(agent(store, payments))
        assert payments.paid == paid
        turns = [turn.text for turn in await store.turns(scope)]
        assert (turns[0], turns[-1]) == (QUESTION, answer)
        assert (turns.count(QUESTION), turns.count(answer)) == (1, 1)
        if dying.commits < last:
            break
    assert last > 5
