"""Search by meaning, and embedders that do not do what they should."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event

import anyio
import pytest

from agentmaker.errors import ConfigError, EmbeddingError
from agentmaker.memory.index import (
    Embedded,
    EmbeddingUsage,
    Found,
    Index,
    Indexed,
    Kept,
    read_embedder,
    remembered,
)
from agentmaker.memory.index import vectors as searching
from tests.memory.index.made import Embedder, item, keys

pytestmark = pytest.mark.anyio

PETS = [item("a", "the cat sleeps"), item("b", "the car is old"), item("c", "rain again")]


async def search(index: Index, query: str, *, limit: int = 3) -> Found:
    return await index.search(query, {"p": None}, limit=limit, strategy="hybrid")


async def test_meaning_finds_what_shares_no_word_with_the_query() -> None:
    index = Index(embedder=Embedder())
    await index.put("p", PETS)
    assert keys(await search(index, "feline"))[0] == "a"
    assert keys(await search(index, "vehicle"))[0] == "b"


async def test_words_count_beside_meaning() -> None:
    index = Index(embedder=Embedder())
    await index.put("p", [*PETS, item("d", "kitten A-4711")])
    assert keys(await search(index, "kitten A-4711"))[0] == "d"


async def test_a_hit_of_either_search_brings_the_embedding_of_its_passage() -> None:
    index = Index(embedder=Embedder())
    await index.put("p", PETS)
    both = await search(index, "cat", limit=1)
    words = await index.search("cat", {"p": None}, limit=1)
    for hit in (*both.hits, *words.hits):
        assert isinstance(hit.embedding, bytes)
        assert math.hypot(*array("f", hit.embedding)) == pytest.approx(1)


async def test_hybrid_finds_no_more_than_is_allowed_and_asked_for() -> None:
    index = Index(embedder=Embedder())
    await index.put("p", [item(f"{n}", "cat") for n in range(20)])
    await index.put("q", [item("other", "cat")])
    found = await index.search("cat", {"p": ["1", "2", "3"]}, limit=2, strategy="hybrid")
    assert keys(found) == ["1", "2"]


async def test_a_text_is_embedded_once_whatever_becomes_of_its_item(tmp_path: Path) -> None:
    embedder = Embedder()
    index = Index(tmp_path / "index", embedder=embedder)
    await index.put("p", PETS)
    await index.aclose()
    index = Index(tmp_path / "index", embedder=embedder)
    await index.put("p", [item("z", "the cat sleeps", "new"), item("b", "the car is old")])
    assert [sorted(texts) for texts in embedder.asked] == [
        ["rain again", "the car is old", "the cat sleeps"],
        ["new"],
    ]
    found = await index.search("", {"p": None}, limit=1)
    assert found.usage == EmbeddingUsage(calls=1, texts=1, cached=2, tokens=1)
    await index.aclose()


async def test_the_usage_of_what_was_put_is_reported_once_by_the_next_search() -> None:
    index = Index(embedder=Embedder())
    await index.put("p", PETS)
    assert (await search(index, "cat")).usage == EmbeddingUsage(calls=2, texts=4, tokens=4)
    assert (await search(index, "cat")).usage == EmbeddingUsage(cached=1)
    assert (await index.search("cat", {"p": None}, limit=1)).usage == EmbeddingUsage()


@pytest.mark.parametrize("allowed", [["a"], [], ["a", "nobody"]])
async def test_no_query_is_embedded_where_there_is_no_choice(allowed: list[str]) -> None:
    embedder = Embedder()
    index = Index(embedder=embedder)
    await index.put("p", PETS)
    embedder.asked.clear()
    found = await index.search("cat", {"p": allowed}, limit=3, strategy="hybrid")
    assert keys(found) == allowed[:1]
    assert (await search(index, " ")).hits == ()
    assert (await index.search("cat", {}, limit=3, strategy="hybrid")).problem == ""
    assert embedder.asked == []


async def test_texts_are_embedded_in_batches_and_blank_ones_never() -> None:
    embedder = Embedder()
    index = Index(embedder=embedder)
    await index.put("p", [item(f"{n}", f"text {n}", " \n") for n in range(150)])
    assert [len(texts) for texts in embedder.asked] == [64, 64, 22]
    assert all(text.strip() for texts in embedder.asked for text in texts)


async def test_what_was_put_without_this_embedder_is_to_be_put_again(tmp_path: Path) -> None:
    path = tmp_path / "index"
    for embedder in (None, Embedder("one"), Embedder("two", width=2)):
        index = Index(path, embedder=embedder)
        await index.put("q", [item("blank", " ")])
        assert await index.known("p") == {key: Kept("") for key in "abc" if embedder}
        await index.put("p", PETS)
        assert {each.revision for each in (await index.known("p")).values()} == {"1"}
        assert (await index.known("q"))["blank"].revision == "1"
        await index.aclose()


WRONG = {
    "fails": ValueError("the text was: secret"),
    "too few": lambda texts: [[1.0, 2.0]] * (len(texts) - 1),
    "too many": lambda texts: [[1.0, 2.0]] * (len(texts) + 1),
    "of several widths": lambda texts: [[1.0] * (1 + at) for at in range(len(texts))],
    "not a number": lambda texts: [[1.0, math.nan]] * len(texts),
    "infinite": lambda texts: [[1.0, math.inf]] * len(texts),
    "empty": lambda texts: [[]] * len(texts),
    "no vectors": lambda texts: None,
    "words": lambda texts: ["no", "numbers"],
    "exits": SystemError("gone"),
}


def wrong(name: str):
    does = WRONG[name]

    def embed(texts: Sequence[str]):
        if isinstance(does, Exception):
            raise does
        return does(texts)

    return embed


@pytest.mark.parametrize("name", WRONG)
async def test_words_are_found_whatever_the_embedder_does(name: str) -> None:
    index = Index(embedder=wrong(name))
    await index.put("p", PETS)
    found = await search(index, "cat")
    assert keys(found) == ["a"]
    assert "the embedder" in found.problem or name == "of several widths"
    assert "secret" not in found.problem
    assert found.usage.calls >= 1


@pytest.mark.parametrize("name", WRONG)
async def test_an_embedding_error_says_what_to_do(name: str) -> None:
    with pytest.raises(EmbeddingError, match=r"[:,] (have|mend|an embedder)"):
        await read_embedder(wrong(name))(["one", "two", "three"])


async def test_vectors_left_out_while_the_embedder_failed_are_made_up_for() -> None:
    embedder = Embedder()
    index = Index(embedder=embedder)
    embedder.fails = ConnectionError()
    await index.put("p", PETS)
    failed = await search(index, "feline")
    assert (keys(failed), failed.problem != "") == ([], True)
    embedder.fails = None
    found = await search(index, "feline")
    assert (keys(found)[0], found.problem) == ("a", "")


async def test_one_text_that_always_fails_does_not_keep_the_others_from_being_embedded() -> None:
    embedder = Embedder()

    def picky(texts: Sequence[str]):
        if "poison" in texts:
            raise ValueError
        return embedder(texts)

    index = Index(embedder=picky)
    await index.put("p", [item(f"{n}", f"cat {n}") for n in range(100)] + [item("x", "poison")])
    for n in range(40):
        assert (await search(index, f"feline {n}")).problem == ""
    assert len((await search(index, "feline", limit=200)).hits) == 100
    embedder.asked.clear()
    await search(index, "feline again")
    assert len(embedder.asked) == 1


@pytest.mark.parametrize("hanging", ["async", "sync"])
async def test_an_embedder_that_hangs_is_given_up(hanging: str) -> None:
    never = Event()

    async def hangs(texts: Sequence[str]):
        await anyio.sleep_forever()

    def blocks(texts: Sequence[str]):
        never.wait(30)
        return []

    index = Index(embedder=hangs if hanging == "async" else blocks, timeout=0.01)
    await index.put("p", PETS)
    found = await search(index, "cat")
    never.set()
    assert keys(found) == ["a"]
    assert "longer timeout" in found.problem


async def test_a_width_that_changes_under_one_name_is_refused(tmp_path: Path) -> None:
    for width, problem in ((3, ""), (2, "needs another name")):
        index = Index(tmp_path / "index", embedder=Embedder(width=width))
        await index.put("p", [*PETS, item(f"{width}", f"cat {width}")])
        found = await search(index, "cat")
        assert problem in found.problem
        assert "a" in keys(found)
        await index.aclose()


async def test_vectors_remembered_from_the_last_search_are_those_of_now(tmp_path: Path) -> None:
    for path in (None, tmp_path / "index"):
        index = Index(path, embedder=Embedder())
        other = index if path is None else Index(path, embedder=Embedder())
        await index.put("p", PETS)
        assert keys(await search(index, "feline", limit=1)) == ["a"]
        await other.put("p", [item("0", "a kitten")], gone=["a"])
        assert keys(await search(index, "feline", limit=1)) == ["0"]
        await other.drop("p")
        assert keys(await search(index, "feline", limit=1)) == []
        await other.put("p", [item("x", "my motor"), item("y", "kitten")])
        assert keys(await search(index, "feline", limit=1)) == ["y"]
        await other.aclose()
        await index.aclose()


async def test_no_more_vectors_are_remembered_than_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remembered, "MOST", 300)
    index = Index(embedder=Embedder())
    for name, number in (("p", 3), ("q", 4), ("large", 20)):
        await index.put(name, [item(f"{n}", f"cat {n}") for n in range(number)])
    for name in ("p", "q", "large", "p"):
        found = await index.search("feline", {name: None}, limit=1, strategy="hybrid")
        assert keys(found) == ["0"]
    kept = index._remembered._kept
    assert sum(piece.size for pieces in kept.values() for piece in pieces) <= 300
    assert len(kept) == 1


async def test_without_an_embedder_hybrid_says_so() -> None:
    index = Index()
    await index.put("p", PETS)
    found = await search(index, "cat")
    assert (keys(found), found.problem) == (["a"], "no embedder is set: give the index one")


async def test_a_forgotten_text_leaves_no_vector(tmp_path: Path) -> None:
    embedder = Embedder()
    index = Index(tmp_path / "index", embedder=embedder)
    await index.put("p", [*PETS, item("copy", "the cat sleeps")])
    await index.put("p", [], gone=["a", "b"])
    embedder.asked.clear()
    await index.put("p", PETS)
    assert embedder.asked == [["the car is old"]]
    await index.aclose()


async def test_an_embedder_of_any_kind_will_do() -> None:
    class Async:
        name = "async"

        async def __call__(self, texts: Sequence[str]) -> list[list[int]]:
            return [[1, 2] for _ in texts]

    def named(texts: Sequence[str], size: int) -> list[bytes]:
        return [array("f", [1.0] * size).tobytes() for _ in texts]

    assert read_embedder(Async()).name == "async"
    assert read_embedder(partial(named, size=2)).name.endswith("named")
    for embedder in (Async(), partial(named, size=2)):
        assert len((await read_embedder(embedder)(["a", "b"])).vectors[0]) == 8
    with pytest.raises(ConfigError, match="a function"):
        read_embedder("text-embedding-3")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="timeout"):
        Index(embedder=Async(), timeout=-1)


async def test_numbers_of_any_size_have_a_direction() -> None:
    def huge(texts: Sequence[str]) -> list[list[float]]:
        return [[1e300, 1e300], [1e-300, 0.0], [0.0, 0.0]]

    batch = await read_embedder(huge)(["a", "b", "c"])
    vectors = [[*array("f", vector)] for vector in batch.vectors]
    assert vectors == [pytest.approx([0.5**0.5] * 2), [1.0, 0.0], [0.0, 0.0]]


async def test_numpy_and_python_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    index = Index(embedder=lambda texts: [[hash(c) % 7 - 3.0 for c in f"{t:8}"] for t in texts])
    await index.put("p", [Indexed(key=f"{n}", revision="1", label=f"n{n}") for n in range(100)])
    found = await search(index, "n5", limit=50)
    monkeypatch.setattr(searching, "_has_numpy", lambda: False)
    assert await search(index, "n5", limit=50) == Found(
        hits=found.hits, usage=EmbeddingUsage(cached=1)
    )


async def test_a_put_cancelled_while_the_embedder_works_keeps_the_words() -> None:
    asked = anyio.Event()

    async def slow(texts: Sequence[str]):
        asked.set()
        await anyio.sleep_forever()

    index = Index(embedder=slow, timeout=None)
    async with anyio.create_task_group() as group:
        group.start_soon(index.put, "p", PETS)
        await asked.wait()
        group.cancel_scope.cancel()
    assert keys(await index.search("cat", {"p": None}, limit=3)) == ["a"]


async def test_what_one_partition_took_is_told_to_nobody_else() -> None:
    index = Index(embedder=Embedder())
    await index.put("ann", PETS)
    both = {"bob": None, "eve": None}
    assert (await index.search("cat", both, limit=3, strategy="hybrid")).usage == EmbeddingUsage()
    await index.put("bob", PETS)
    found = await index.search("cat", {"bob": None}, limit=3, strategy="hybrid")
    assert found.usage == EmbeddingUsage(calls=2, texts=4, tokens=4)
    assert (await index.search("cat", {"ann": None}, limit=3, strategy="hybrid")).usage == (
        EmbeddingUsage(calls=2, texts=4, tokens=4)
    )


async def test_a_partition_that_is_dropped_takes_only_its_own_vectors() -> None:
    index = Index(embedder=Embedder())
    await index.put("ann", PETS)
    await index.put("bob", PETS)
    await index.drop("ann")
    found = await index.search("feline", {"ann": None, "bob": None}, limit=3, strategy="hybrid")
    assert keys(found)[0] == "a"
    assert [await index.holds(each) for each in ("ann", "bob")] == [False, True]


async def test_nobody_waits_for_the_texts_of_another_partition() -> None:
    begun, go_on = anyio.Event(), anyio.Event()

    async def embedder(texts: Sequence[str]) -> list[list[float]]:
        if "slow" in texts:
            begun.set()
            await go_on.wait()
        return [[1.0, float(len(text))] for text in texts]

    index = Index(embedder=embedder)
    async with anyio.create_task_group() as group:
        group.start_soon(index.put, "ann", [item("a", "slow")])
        await begun.wait()
        await index.put("bob", PETS)
        go_on.set()


@pytest.mark.parametrize("tokens", ["five", math.nan, -1, [1]])
async def test_tokens_that_are_no_number_are_not_counted(tokens: object) -> None:
    async def embedder(texts: Sequence[str]) -> Embedded:
        return Embedded([[1.0, float(len(text))] for text in texts], tokens)  # type: ignore[arg-type]

    index = Index(embedder=embedder)
    await index.put("p", PETS)
    assert (await search(index, "cat")).usage == EmbeddingUsage(calls=2, texts=4)


async def test_an_embedder_that_cancels_itself_cancels_nobody_else() -> None:
    async def embedder(texts: Sequence[str]) -> list[list[float]]:
        raise anyio.get_cancelled_exc_class()

    index = Index(embedder=embedder)
    await index.put("p", PETS)
    found = await search(index, "cat")
    assert keys(found) == ["a"]
    assert found.problem.startswith("the embedder ")
