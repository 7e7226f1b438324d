"""What an index finds, and that nobody's query can do it any harm."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from agentmaker.memory.index import Index, Indexed, Kept, lexical
from tests.memory.index.made import item, keys

pytestmark = pytest.mark.anyio

EVERYTHING = {"p": None}


@pytest.fixture(params=["memory", "file"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Index]:
    index = Index(tmp_path / "index.db" if request.param == "file" else None)
    yield index
    await index.aclose()


async def found(index: Index, query: str, limit: int = 10) -> list[str]:
    return keys(await index.search(query, EVERYTHING, limit=limit))


async def test_words_are_found_in_one_case_and_number_and_without_accents(index: Index) -> None:
    await index.put("p", [item("a", "Two CAFÉS by the river"), item("b", "a bank")])
    assert await found(index, "cafe") == ["a"]
    assert await found(index, "Rivers") == ["a"]


async def test_chinese_is_found_by_words_and_by_single_characters(index: Index) -> None:
    await index.put("p", [item("a", "项目的预算已经批准"), item("b", "会议室在三楼")])
    assert await found(index, "预算是多少？") == ["a"]
    assert await found(index, "楼") == ["b"]
    assert await found(index, "议") == ["b"]


async def test_parts_of_a_path_and_of_an_identifier_are_found(index: Index) -> None:
    await index.put("p", [item("a", "x", label="src/user_profile.py"), item("b", "y")])
    assert await found(index, "user") == await found(index, "profile") == ["a"]
    assert await found(index, "user_profile.py") == ["a"]


async def test_the_label_counts_more_than_the_text(index: Index) -> None:
    text = item("a", "invoice of may", label="paper")
    label = item("b", "paper of may", label="invoice")
    await index.put("p", [text, label])
    assert await found(index, "invoice") == ["b", "a"]


async def test_an_item_without_passages_is_found_by_its_label(index: Index) -> None:
    await index.put("p", [Indexed(key="a", revision="1", label="Harbour dues")])
    hit = (await index.search("harbour", EVERYTHING, limit=1)).hits[0]
    assert (hit.key, hit.revision, hit.start, hit.end) == ("a", "1", 0, 0)


async def test_each_item_is_found_once_by_its_best_passage(index: Index) -> None:
    await index.put(
        "p", [item("a", "an apple and a pear", "apple pie, apple juice", "a pear", "an apple")]
    )
    (hit,) = (await index.search("apple", EVERYTHING, limit=5)).hits
    assert (hit.start, hit.end) == (19, 41)


async def test_an_item_of_very_many_passages_does_not_hide_the_others(index: Index) -> None:
    book = item("book", *["whale ahoy"] * 1_500)
    others = [item(f"{n}", "a whale among many other things that were said") for n in range(5)]
    await index.put("p", [book, *others])
    assert sorted(await found(index, "whale", 6)) == ["0", "1", "2", "3", "4", "book"]


async def test_a_word_that_most_items_hold_still_finds_them(index: Index) -> None:
    await index.put("p", [item(f"{n}", "cat", *["dog"] * n) for n in range(4)])
    assert len(await found(index, "cat")) == 4


async def test_common_words_of_very_many_items_are_not_looked_for(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    await index.put("p", [item("a", "the tea"), item("b", "the milk of it")])
    assert await found(index, "the of") == ["b", "a"]
    monkeypatch.setattr(lexical, "_MANY", 1)
    assert await found(index, "the of") == ["b"]
    assert await found(index, "the tea") == ["a"]


async def test_what_was_put_again_is_found_by_its_new_words_alone(index: Index) -> None:
    await index.put("p", [item("a", "old words"), item("b", "other")])
    await index.put("p", [item("a", "new text", revision="2", data="{}")], gone=["b", "nobody"])
    assert await found(index, "old other") == []
    assert await found(index, "new") == ["a"]
    assert await index.known("p") == {"a": Kept("2", "{}")}


async def test_the_last_of_two_items_with_one_key_stays(index: Index) -> None:
    await index.put("p", [item("a", "first"), item("a", "second", revision="2")])
    assert (await found(index, "first"), await found(index, "second")) == ([], ["a"])


async def test_partitions_know_nothing_of_each_other(index: Index) -> None:
    """Case 97: what belongs to another scope is neither found nor felt."""
    await index.put("p", [item(f"{n}", f"cat {'dog ' * n}") for n in range(5)])
    before = (await index.search("cat dog", EVERYTHING, limit=5)).hits
    await index.put("q", [item(f"q{n}", "dog dog secret") for n in range(50)])
    assert (await index.search("cat dog", EVERYTHING, limit=5)).hits == before
    assert await found(index, "secret") == []
    assert keys(await index.search("secret", {"p": None, "q": ["q7"]}, limit=5)) == ["q7"]
    await index.drop("q")
    assert await index.known("q") == {}
    assert keys(await index.search("secret", {"p": None, "q": None}, limit=5)) == []


@pytest.mark.parametrize("number", [0, 1, 3, 400, 900])
async def test_only_allowed_keys_are_found(index: Index, number: int) -> None:
    await index.put("p", [item(f"{n:04}", f"apple {n}") for n in range(1_000)])
    allowed = [f"{n:04}" for n in range(1_000 - number, 1_000)]
    hits = await index.search("apple", {"p": [*allowed, "nobody"]}, limit=1_000)
    assert sorted(keys(hits)) == allowed


@pytest.mark.parametrize("query", ["", "  ", "?!", "\x00", "\ud800", "。，", "*", "absent"])
async def test_what_holds_no_known_word_finds_nothing(index: Index, query: str) -> None:
    await index.put("p", [item("a", "apple")])
    assert await found(index, query) == []


@pytest.mark.parametrize(
    "query",
    [
        '"apple',
        "apple AND",
        "NEAR(apple pear, 2)",
        "label:apple",
        "apple*",
        "-apple ^apple {label}: apple",
        "apple\x00",
        "apple \ud800",
        "apple'; DROP TABLE words; --",
        "1_apple apple",
        "apple " * 20_000,
        " ".join(map(str, range(20_000))),
    ],
)
async def test_no_query_is_read_as_anything_but_words(index: Index, query: str) -> None:
    await index.put("p", [item("a", "apple 3"), item("b", "pear near and label")])
    await index.put("q", [item("c", "apple")])
    assert "a" in await found(index, query)
    assert "c" not in await found(index, query)


async def test_names_may_hold_what_is_no_character(index: Index) -> None:
    odd = item("\ud800/\x00", "apple", revision="\udfff", data="\x00\ud800")
    await index.put("\ud801", [odd])
    found = await index.search("apple", {"\ud801": ["\ud800/\x00"]}, limit=1)
    assert keys(found) == ["\ud800/\x00"]
    assert await index.known("\ud801") == {odd.key: Kept("\udfff", "\x00\ud800")}


async def test_the_structural_strategy_finds_nothing_and_fails_never(index: Index) -> None:
    await index.put("p", [item("a", "apple")])
    assert (await index.search("apple", EVERYTHING, limit=1, strategy="structural")).hits == ()


async def test_no_more_is_found_than_is_asked_for(index: Index) -> None:
    await index.put("p", [item(f"{n}", "apple") for n in range(9)])
    assert await found(index, "apple", 3) == ["0", "1", "2"]
    assert await found(index, "apple", 0) == []


async def test_many_tasks_put_and_search_at_once(index: Index) -> None:
    async def work(name: str) -> None:
        await index.put(name, [item(name, f"apple {name}")])
        assert keys(await index.search("apple", {name: None}, limit=5)) == [name]

    async with anyio.create_task_group() as group:
        for n in range(30):
            group.start_soon(work, f"task{n}")
    every = {f"task{n}": None for n in range(30)}
    assert len((await index.search("apple", every, limit=50)).hits) == 30


async def test_a_put_that_is_cancelled_is_done_or_not(index: Index) -> None:
    some = [item(f"{n}", "apple") for n in range(200)]
    for turns in range(6):
        async with anyio.create_task_group() as group:
            group.start_soon(index.put, "p", some)
            for _ in range(turns):
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        known = await index.known("p")
        assert len(known) in (0, 200)
        assert len(await found(index, "apple", 300)) == len(known)
        await index.drop("p")
