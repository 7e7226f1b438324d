"""Many agents at once on one event loop, each with a model of its own that answers at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from agentmaker import Agent, Message, Reply, Scope, Session, SessionStore
from agentmaker.memory.store import Store
from agentmaker.testing import ScriptedLLM
from agentmaker.testing.completions import completion_of, reply_of

STEPS = 20
SHARED = 5
"""Of as many agents, one has a partner that goes on with the same session."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Agents by their numbers, and where they meet other crews before they begin."""

    name: str
    agents: Sequence[int]
    store: str
    folder: Path
    crews: int = 1

    async def meet(self) -> None:
        """Wait until every crew is there."""
        (self.folder / f"{self.name}.ready").touch()
        while len([*self.folder.glob("*.ready")]) < self.crews:  # noqa: ASYNC110
            await anyio.sleep(0.02)


@dataclass(frozen=True, slots=True)
class Shift:
    """What a crew came to: seconds since the epoch, commits, and errors by their type."""

    began: float
    ended: float
    commits: int
    errors: Counter[str]


class Counted:
    """A store that counts what it commits."""

    def __init__(self, store: Store) -> None:
        self.commits = 0
        self._store = store

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        return partial(self._commit, method) if name in ("begin", "commit") else method

    async def _commit(
        self, method: Callable[..., Awaitable[None]], *given: Any, **more: Any
    ) -> None:
        await method(*given, **more)
        self.commits += 1


def session_of(agent: int) -> Scope:
    """Its own, or that of the agent whose partner it is: of another crew, where there are some."""
    first = agent - 1 if agent % SHARED == 1 else agent
    return Scope(session=f"session {first}")


def question(agent: int) -> str:
    return f"What does agent {agent} find?"


def texts(agent: int) -> list[str]:
    """What the session of an agent must hold of it, text by text."""
    steps = [text for step in range(STEPS) for text in ("", f"agent {agent} found {step}")]
    return [question(agent), *steps, f"Agent {agent} is done."]


def is_kept(agent: int, turns: Sequence[Message]) -> bool:
    """Whether all that the agent said stands together in *turns*, once."""
    said, mine = [turn.text for turn in turns], texts(agent)
    if said.count(question(agent)) != 1:
        return False
    first = said.index(question(agent))
    return said[first : first + len(mine)] == mine


class Finder:
    """A model that finds something as often as it may, and keeps nothing of what it is sent."""

    model = "finder"
    context_window = 128_000

    def __init__(self, agent: int) -> None:
        self.agent = agent
        self.steps = iter(range(STEPS))

    async def chat(self, messages: Sequence[object], **params: object) -> Reply:
        step = next(self.steps, None)
        if step is None:
            return reply_of(completion_of(f"Agent {self.agent} is done."))
        return ScriptedLLM.tool_call("find", {"at": step}, call_id=f"{self.agent}-{step}")


def made(agent: int, store: Store) -> Agent:
    def find(at: int) -> str:
        return f"agent {agent} found {at}"

    session = Session(store=store, scope=session_of(agent))
    return Agent(f"agent {agent}", Finder(agent), tools=[find], session=session)


async def work(crew: Crew) -> Shift:
    """Let all agents of a crew answer at once."""
    opened = SessionStore(crew.store)
    store, errors = Counted(opened), Counter[str]()
    agents = [made(number, store) for number in crew.agents]

    async def answer(agent: Agent, number: int) -> None:
        try:
            await agent.arun(question(number))
        except Exception as error:
            errors[f"{type(error).__name__}: {error}"] += 1

    await crew.meet()
    began = time.time()
    async with anyio.create_task_group() as group:
        for agent, number in zip(agents, crew.agents, strict=True):
            group.start_soon(answer, agent, number)
    ended = time.time()
    await opened.aclose()
    return Shift(began, ended, store.commits, errors)


def work_alone(crew: Crew) -> Shift:
    return anyio.run(work, crew)
