"""Random histories: a store in a file tells the same as the one in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker.errors import AgentmakerError
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.records import Document, Entry, RunRecord, SessionState
from agentmaker.memory.sql.store import SessionStore
from agentmaker.memory.store import Store
from agentmaker.messages import Message
from agentmaker.scope import Scope

Step = Callable[[Store, str], Any]

names = st.sampled_from("ab")
statuses = st.sampled_from(["running", "waiting", "done"])
turns = st.lists(st.sampled_from("xyz").map(Message), max_size=3)
entries = st.lists(st.sampled_from("xyz").map(lambda kind: Entry(kind, {})), max_size=3)
examples = count()


def scope(user: str, session: str) -> Scope:
    return Scope(user=user, session=session)


def a_run(user: str, name: str, owner: str, status: Any = "running") -> RunRecord:
    where = scope(user, name)
    return RunRecord(id=user + name, agent="a", scope=where, owner=owner, status=status)


def a_note(name: str, text: str) -> Document:
    return Document(kind="note", name=name, text=text)


steps: st.SearchStrategy[Step] = st.one_of(
    st.builds(lambda s, t: lambda store, u: store.append(scope(u, s), t), names, turns),
    st.builds(
        lambda s, v: lambda store, u: store.change(scope(u, s), SessionState(version=v, memo=v)),
        names,
        st.integers(0, 2),
    ),
    st.builds(lambda s: lambda store, u: store.forget(scope(u, s)), names),
    st.builds(lambda n, e: lambda store, u: store.begin(a_run(u, n, "a"), e), names, entries),
    st.builds(
        lambda n, o, s, e, t: lambda store, u: store.commit(a_run(u, n, o, s), e, turns=t),
        names,
        names,
        statuses,
        entries,
        turns,
    ),
    st.builds(
        lambda n, o, of: lambda store, u: store.claim(u + n, o, of=of),
        names,
        names,
        st.none() | names,
    ),
    st.builds(
        lambda n, t: lambda store, u: store.put(Scope(user=u), a_note(n, t)),
        names,
        names,
    ),
)


async def told(store: Store, user: str, history: list[Step]) -> list[object]:
    """All that can be seen of a history, times apart."""
    seen: list[object] = []
    for step in history:
        try:
            result = await step(store, user)
        except AgentmakerError as error:
            seen.append(str(error))
        else:
            seen.append(result if isinstance(result, int | SessionState) else None)
    seen.append(await store.sessions(Scope(user=user)))
    runs = await store.runs(Scope(user=user))
    seen.append([(run.id, run.owner, run.status) for run in runs])
    seen.append([one.name for one in await store.documents(Scope(user=user), "note")])
    for name in "ab":
        seen.append(await store.turns(scope(user, name)))
        seen.append(await store.state(scope(user, name)))
        seen.append(await store.entries(user + name))
        note = await store.document(Scope(user=user), "note", name)
        seen.append(note and note.text)
    return seen


@pytest.fixture(scope="module")
def in_a_file() -> Iterator[SessionStore]:
    with tempfile.TemporaryDirectory() as folder:
        store = SessionStore(Path(folder) / "store.db")
        yield store
        anyio.run(store.aclose)


@settings(max_examples=30)
@given(history=st.lists(steps, max_size=12))
def test_a_store_in_a_file_tells_the_same_as_one_in_memory(
    in_a_file: SessionStore, history: list[Step]
) -> None:
    user = str(next(examples))

    async def compare() -> None:
        assert await told(in_a_file, user, history) == await told(MemoryStore(), user, history)

    anyio.run(compare)
