"""Whatever is put and forgotten in whatever order, an index finds what a plain BM25 would."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker.memory.index import Hit, Index, Indexed
from tests.memory.index.made import item

WORDS = ["ant", "bee", "cat", "doe", "eel", "fox"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
keyed = st.tuples(st.sampled_from("abcdefgh"), texts, st.sampled_from(["", *WORDS]))
steps = st.lists(st.tuples(st.lists(keyed, max_size=4), st.sets(st.sampled_from("abcdefgh"))))

Model = dict[str, tuple[str, str]]
"""The text and the label of each key."""


def plain(model: Model, query: str, allowed: Iterable[str]) -> dict[str, float]:
    """BM25, written down once more: a word of the label is worth three."""
    held = {
        key: Counter([*text.split(), *label.split() * 3]) for key, (text, label) in model.items()
    }
    average = sum(each.total() for each in held.values()) / max(1, len(held))
    scores = {key: 0.0 for key in allowed if key in model}
    for word in set(query.split()):
        number = sum(word in each for each in held.values())
        weight = math.log(1 + (len(held) - number + 0.5) / (number + 0.5))
        for key in scores:
            count, length = held[key][word], held[key].total()
            scores[key] += weight * 2.5 * count / (count + 1.5 * (0.25 + 0.75 * length / average))
    return {key: score for key, score in scores.items() if score}


@settings(max_examples=60)
@given(steps, texts, st.sets(st.sampled_from("abcdefgh")) | st.none())
def test_a_history_leaves_what_plain_bm25_finds(history, query, allowed) -> None:
    async def run() -> None:
        index, model = Index(), Model()
        for put, gone in history:
            await index.put(
                "p", [item(key, text, label=label) for key, text, label in put], gone=gone
            )
            for key in gone:
                model.pop(key, None)
            model |= {key: (text, label) for key, text, label in put}
        hits = (await index.search(query, {"p": allowed}, limit=99)).hits
        expected = plain(model, query, model if allowed is None else allowed)
        assert {hit.key: hit.score for hit in hits} == pytest.approx(expected)
        assert [*hits] == sorted(hits, key=lambda hit: -hit.score)
        assert set(await index.known("p")) == set(model)
        await index.aclose()

    anyio.run(run)


@settings(max_examples=40)
@given(st.dictionaries(st.text("abc", min_size=1), texts, max_size=30), st.randoms(), texts)
def test_the_order_of_building_changes_nothing(kept: Mapping[str, str], random, query) -> None:
    async def hits(items: list[Indexed], pieces: int) -> tuple[Hit, ...]:
        index = Index()
        for at in range(0, len(items), pieces):
            await index.put("p", items[at : at + pieces])
        found = (await index.search(query, {"p": None}, limit=5)).hits
        await index.aclose()
        return found

    items = [item(key, text) for key, text in kept.items()]
    first = anyio.run(hits, items, 100)
    random.shuffle(items)
    assert anyio.run(hits, items, 3) == first
    assert [(-hit.score, hit.key) for hit in first] == sorted(
        (-hit.score, hit.key) for hit in first
    )
