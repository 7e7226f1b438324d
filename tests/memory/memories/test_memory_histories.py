"""Random histories: two memories on one store find exactly what is there, whoever changed it."""

from __future__ import annotations

from typing import TypeAlias

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.index import Index
from agentmaker.memory.memories import Memory
from agentmaker.scope import Scope

WORDS = ("tea", "wine", "cat", "猫咪")
USERS = ("ann", "bob")

Step: TypeAlias = tuple[int, str, tuple[str, ...], int]
STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from(USERS),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True).map(tuple),
        st.integers(0, 8),
    ),
    max_size=12,
)

Known: TypeAlias = dict[str, dict[str, str]]
"""The content of each memory by user and id."""


@settings(max_examples=60, deadline=None)
@given(STEPS, st.booleans())
def test_a_search_finds_what_the_store_has_by_then(steps: list[Step], shared: bool) -> None:
    anyio.run(follow, steps, shared)


async def follow(steps: list[Step], shared: bool) -> None:
    store, index = MemoryStore(), Index() if shared else None
    memories = [Memory(store=store, index=index) for _ in range(2)]
    known: Known = {user: {} for user in USERS}
    for who, user, words, number in steps:
        await change(memories[who], user, words, number, known[user])
        for memory in memories:
            await check(memory, user, words[0], known[user])
    for memory in memories:
        await memory.aclose()
    if index:
        await index.aclose()


async def change(
    memory: Memory, user: str, words: tuple[str, ...], number: int, known: dict[str, str]
) -> None:
    scope, content = Scope(user=user), " ".join(words)
    ids = sorted(known)
    if not ids or number < 4:
        known[await memory.add(content, scope=scope)] = content
    elif number < 7:
        id = ids[number % len(ids)]
        assert await memory.update(id, content=content, scope=scope)
        known[id] = content
    else:
        id = ids[number % len(ids)]
        assert await memory.forget(id, scope=scope)
        del known[id]


async def check(memory: Memory, user: str, word: str, known: dict[str, str]) -> None:
    scope = Scope(user=user)
    found = await memory.search(word, top_k=50, scope=scope)
    contents = {each.content for each in found}
    assert contents == {content for content in known.values() if word in content.split()}
    assert len(contents) == len(found)
    assert {each.id: each.content for each in await memory.all(scope=scope)} == known
