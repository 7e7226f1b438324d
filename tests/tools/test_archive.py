from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.errors import ConfigError
from agentmaker.scope import Scope
from agentmaker.sync import run
from agentmaker.tools import MemoryArchive

ALICE, BOB = Scope(user="alice"), Scope(user="bob")


@pytest.mark.anyio
async def test_a_text_comes_back_by_its_name():
    archive = MemoryArchive()
    await archive.put(ALICE, "a", "one")
    await archive.put(ALICE, "b", "two")
    await archive.put(ALICE, "a", "three")
    assert await archive.get(ALICE, "a") == "three"
    assert await archive.names(ALICE) == ("a", "b")


@pytest.mark.anyio
async def test_case_97_one_scope_sees_nothing_of_another():
    archive = MemoryArchive()
    await archive.put(ALICE, "a", "one")
    assert await archive.get(BOB, "a") is None
    assert await archive.names(BOB) == ()


@pytest.mark.anyio
async def test_case_116_the_least_recently_used_texts_are_forgotten_first():
    archive = MemoryArchive(max_texts=2)
    for name in "ab":
        await archive.put(ALICE, name, name)
    assert await archive.get(ALICE, "a") == "a"
    await archive.put(ALICE, "c", "c")
    assert await archive.names(ALICE) == ("c", "a")
    assert await archive.get(ALICE, "b") is None


@pytest.mark.anyio
async def test_case_116_characters_are_bounded_for_each_scope_by_itself():
    archive = MemoryArchive(max_chars=10)
    for name in "abc":
        await archive.put(ALICE, name, name * 4)
        await archive.put(BOB, name, name * 3)
    assert await archive.names(ALICE) == ("c", "b")
    assert await archive.names(BOB) == ("c", "b", "a")


@pytest.mark.anyio
async def test_case_116_a_text_longer_than_all_the_room_pushes_out_no_other():
    archive = MemoryArchive(max_chars=10)
    await archive.put(ALICE, "a", "a" * 10)
    await archive.put(ALICE, "b", "b" * 11)
    assert await archive.names(ALICE) == ("a",)
    await archive.put(ALICE, "a", "a" * 11)
    assert await archive.names(ALICE) == ()


@pytest.mark.anyio
async def test_case_116_scopes_are_bounded_too():
    archive = MemoryArchive(max_scopes=2)
    for at in range(4):
        await archive.put(Scope(session=str(at)), "a", "one")
    kept = [at for at in range(4) if await archive.names(Scope(session=str(at)))]
    assert kept == [2, 3]


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 12))),
    st.integers(1, 4),
    st.integers(1, 20),
)
def test_case_116_whatever_is_put_stays_within_both_maxima(puts, max_texts, max_chars):
    async def check() -> None:
        archive = MemoryArchive(max_texts=max_texts, max_chars=max_chars)
        for name, size in puts:
            await archive.put(ALICE, name, "x" * size)
            names = await archive.names(ALICE)
            texts = [await archive.get(ALICE, each) for each in reversed(names)]
            assert len(texts) <= max_texts
            assert sum(map(len, texts)) <= max_chars
            assert (name in names) == (size <= max_chars)

    run(check)


@pytest.mark.parametrize("option", ["max_texts", "max_chars", "max_scopes"])
def test_a_maximum_below_one_is_refused(option):
    with pytest.raises(ConfigError, match=f"{option} must be a whole number of at least 1"):
        MemoryArchive(**{option: 0})
