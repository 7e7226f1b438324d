"""A long selection on the async path."""

from __future__ import annotations

import math
import sys
import threading

import anyio
import pytest
from anyio.lowlevel import checkpoint

from agentmaker import CallableSource, ContextBuilder, mmr_select
from agentmaker.context import turns as clock
from agentmaker.context.mmr import ammr_select, select
from tests.context.mmr.naive import FORMS, contents, form_of, result

pytestmark = pytest.mark.anyio

COUNT = 60


@pytest.fixture
def candidates():
    """They resemble each other a little, and all are as relevant as the others."""
    return [result(f"text {i}", 1, [math.cos(i), math.sin(i), 2.0, i % 3]) for i in range(COUNT)]


@pytest.fixture
def impatient(monkeypatch):
    """The event loop runs after each piece of work, however short it was."""
    monkeypatch.setattr(clock, "LONGEST", 0.0)


class Turns:
    """Counts how often another task has its turn."""

    def __init__(self):
        self.taken = 0

    async def count(self):
        while True:
            await checkpoint()
            self.taken += 1


async def with_turns(work):
    turns = Turns()
    async with anyio.create_task_group() as group:
        group.start_soon(turns.count)
        await checkpoint()
        found = await work
        group.cancel_scope.cancel()
    return found, turns.taken


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("form", FORMS)
async def test_the_event_loop_runs_from_pick_to_pick(monkeypatch, candidates, form):
    monkeypatch.setattr(select, "form_for", lambda contest: form_of(form))
    work = ammr_select(candidates, lambda_=0.7, dedup_threshold=2)
    found, turns = await with_turns(work)
    assert contents(found) == contents(mmr_select(candidates, dedup_threshold=2))
    assert len(found) == COUNT <= turns + 2


async def test_the_event_loop_runs_while_a_builder_selects(candidates, monkeypatch):
    async def fetch(query):
        return candidates

    async def turns():
        sources = [CallableSource("rag", fetch)]
        work = ContextBuilder().abuild_block("question", sources=sources, budget=4_000)
        block, taken = await with_turns(work)
        assert block.count("text") == len(mmr_select(candidates))
        return taken

    monkeypatch.setattr(clock, "LONGEST", math.inf)
    at_rest = await turns()
    monkeypatch.setattr(clock, "LONGEST", 0.0)
    assert await turns() - at_rest >= len(mmr_select(candidates)) - 1


async def test_a_selection_that_is_soon_done_is_not_interrupted(candidates, monkeypatch):
    monkeypatch.setattr(clock, "LONGEST", math.inf)
    _, turns = await with_turns(ammr_select(candidates, lambda_=0.7, dedup_threshold=0.95))
    assert turns <= 1


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("form", FORMS)
async def test_a_selection_can_be_cancelled(monkeypatch, candidates, form):
    monkeypatch.setattr(select, "form_for", lambda contest: form_of(form))
    with anyio.CancelScope() as scope:
        scope.cancel()
        await ammr_select(candidates, lambda_=0.7, dedup_threshold=2)
    assert scope.cancelled_caught


async def test_numpy_is_imported_beside_the_event_loop(monkeypatch, candidates):
    threads = []
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    monkeypatch.setattr(select, "_pays", lambda contest: True)

    def imported():
        threads.append(threading.current_thread())
        return False

    monkeypatch.setattr(select, "_numpy_is_there", imported)
    await ammr_select(candidates, lambda_=0.7, dedup_threshold=0.95)
    assert threads[0] is not threading.current_thread()
