from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from agentmaker.errors import ConfigError
from agentmaker.memory.index import Index
from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.selection import SelectionRequest
from agentmaker.tasks.sources.records import RecordsSource
from tests.tasks.shelf import Shelf

pytestmark = pytest.mark.anyio

FELINE, CANINE = ("cat", "feline", "kitten"), ("dog", "canine", "puppy")


class Meaning:
    """Knows two kinds of animal by any of their names."""

    name = "meaning"

    def __init__(self, *, broken: bool = False) -> None:
        self.broken = broken
        self.calls: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls.append(list(texts))
        if self.broken:
            raise ConnectionError
        return [[_has(text, FELINE), _has(text, CANINE), 0.1] for text in texts]


def _has(text: str, names: Sequence[str]) -> float:
    return float(any(name in text for name in names))


TEXTS = {"a": "a canine barks", "b": "a feline purrs", "c": "stones are quiet", "d": "trees grow"}


def task_with(meaning: Meaning, texts: dict[str, str]) -> TaskContext:
    task = TaskContext()
    task.configure_index(strategy="hybrid", embedding_provider=meaning)
    task.attach(Shelf(texts))
    return task


async def test_meaning_finds_what_shares_no_word_with_the_query() -> None:
    package = await task_with(Meaning(), TEXTS).reader(consumer="w", max_blocks=1).read("kitten")
    assert [ref.ref for ref in package.refs] == ["b"]


async def test_meaning_never_widens_the_window() -> None:
    asked: list[SelectionRequest] = []

    def choose(request: SelectionRequest) -> list[str]:
        asked.append(request)
        return []

    task = task_with(Meaning(), {f"n{place}": f"cat {place}" for place in range(40)})
    await task.reader(consumer="w", max_blocks=4, semantic_selector=choose).read("kitten")
    assert len(asked[0].candidates) == 4


@pytest.mark.parametrize("paths", [["b"], ["b*"]])
async def test_one_candidate_is_read_without_embedding_the_query(paths: list[str]) -> None:
    meaning = Meaning()
    task = task_with(meaning, TEXTS)
    await task.refresh()
    before = len(meaning.calls)
    package = await task.reader(consumer="w").read("kitten", paths=paths)
    assert [ref.ref for ref in package.refs] == ["b"]
    assert ["kitten"] not in meaning.calls[before:]


async def test_what_embedding_took_is_told_apart_and_is_no_part_of_the_package() -> None:
    reader = task_with(Meaning(), TEXTS).reader(consumer="w")
    first, second = await reader.read("kitten"), await reader.read("kitten")
    assert first.embedding.texts >= 1
    assert second.embedding.texts < first.embedding.texts
    assert json.dumps(first.to_dict()) == json.dumps(second.to_dict())


async def test_a_provider_that_fails_leaves_words_and_says_so() -> None:
    package = await task_with(Meaning(broken=True), TEXTS).reader(consumer="w").read("feline")
    assert package.refs[0].ref == "b"
    assert "hybrid_unavailable" in [each.code for each in package.diagnostics]


async def test_a_given_index_brings_its_own_provider() -> None:
    task = TaskContext(index=Index(embedder=Meaning()))
    task.configure_index(strategy="hybrid")
    task.attach(Shelf(TEXTS))
    package = await task.reader(consumer="w", max_blocks=1).read("kitten")
    assert [ref.ref for ref in package.refs] == ["b"]


@pytest.mark.parametrize(
    ("task", "options", "why"),
    [
        (TaskContext(), {"strategy": "vector"}, "no strategy 'vector'"),
        (TaskContext(), {"strategy": "hybrid"}, "needs an embedding_provider"),
        (TaskContext(), {"embedding_provider": Meaning()}, "needs strategy='hybrid'"),
        (TaskContext(), {"strategy": "hybrid", "embedding_provider": "ada"}, "a function of texts"),
        (
            TaskContext(index=Index()),
            {"strategy": "hybrid", "embedding_provider": Meaning()},
            "the index was given",
        ),
    ],
)
async def test_settings_that_cannot_work_are_refused(
    task: TaskContext, options: dict[str, object], why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        task.configure_index(**options)  # type: ignore[arg-type]


async def test_an_index_that_somebody_emptied_is_made_again() -> None:
    index = Index()
    task = TaskContext(index=index)
    rows = [{"id": str(each), "text": f"tea {each}"} for each in range(20)]
    task.attach(RecordsSource(rows, name="tea"))
    before = await task.reader(consumer="me", max_blocks=1).read("7")
    await index.aclose()
    after = await task.reader(consumer="me", max_blocks=1).read("7")
    assert [each.text for each in after.blocks] == [each.text for each in before.blocks] != []
