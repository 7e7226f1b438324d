from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentmaker.agents.agent import Agent
from agentmaker.clients.using import using
from agentmaker.context.allocation import ContextConfig
from agentmaker.context.builder import ContextBuilder
from agentmaker.context.sources import Grant
from agentmaker.errors import ConfigError, SourceError
from agentmaker.scope import Scope
from agentmaker.tasks.context import TaskContext
from agentmaker.testing import ScriptedLLM
from agentmaker.tokens import count_tokens
from tests.tasks.shelf import Shelf

TEXTS = {f"n{number}": f"cats number {number}" for number in range(20)}


def task(**options: Any) -> TaskContext:
    task = TaskContext(**options)
    task.attach(Shelf(TEXTS))
    return task


def test_a_builder_takes_a_task_as_a_source() -> None:
    text = ContextBuilder().build_block("cats number 7", sources=[task()], budget=2_000)
    assert "cats number 7" in text


@pytest.mark.anyio
@pytest.mark.parametrize("budget", range(600, 2_600, 50))
async def test_all_that_a_grant_pays_for_is_kept_by_the_builder(budget: int) -> None:
    config = ContextConfig(max_tokens=10_000, source_ratios={"rag": 1.0})
    exact = ContextBuilder(config, token_counter=len)
    block = await exact.agather("cats", sources=[task()], budget=budget)
    (outcome,) = block.outcomes
    assert outcome.outcome == "ok"
    assert outcome.found == outcome.kept > 0


@pytest.mark.anyio
async def test_results_carry_their_reference_and_come_best_first() -> None:
    results = await task().afetch("cats number 7", grant=Grant(300, None, count_tokens))
    assert all(each.metadata["reference_id"] in each.content for each in results)
    assert results[0].metadata["ref"].ref == "n7"
    scores = [each.score for each in results]
    assert scores == sorted(scores, reverse=True)
    assert sum(count_tokens(each.content) for each in results) <= 300


def test_a_task_is_fetched_from_without_an_event_loop() -> None:
    assert task().fetch("cats number 7")[0].metadata["ref"].ref == "n7"


@pytest.mark.anyio
async def test_two_readers_of_one_task_are_sources_of_one_builder_each_with_its_share() -> None:
    config = ContextConfig(max_tokens=10_000, source_ratios={"rag": 0.5, "review": 0.5})
    cats = task()
    readers = [
        cats.reader(consumer="writer", max_blocks=1),
        cats.reader(consumer="writer", phase="review", max_blocks=2, name="review"),
    ]
    block = await ContextBuilder(config).agather("cats", sources=readers, budget=5_000)
    assert {each.name: each.found for each in block.outcomes} == {"rag": 1, "review": 2}


@pytest.mark.parametrize("name", ["", 7])
def test_a_reader_is_named_by_words(name: Any) -> None:
    with pytest.raises(ConfigError, match="a reader's name is a key of source_ratios"):
        task().reader(consumer="writer", name=name)


@pytest.mark.anyio
async def test_the_agent_of_the_run_is_the_consumer() -> None:
    closed = TaskContext()
    closed.attach(Shelf(TEXTS), consumers=["auditor"])
    assert await closed.afetch("cats", Scope(agent="auditor"))
    assert not await closed.afetch("cats", Scope(agent="writer"))
    assert not await closed.afetch("cats")


@pytest.mark.anyio
async def test_a_reader_is_a_source_for_its_own_consumer() -> None:
    closed = TaskContext(required=True)
    closed.attach(Shelf(TEXTS), consumers=["writer"])
    reader = closed.reader(consumer="writer", max_blocks=2)
    llm = ScriptedLLM(["Meow."], context_window=16_000)
    agent = Agent("clerk", llm, "You know cats.", sources=[reader])
    with using(scope=Scope(agent="auditor")):
        await agent.arun("cats number 7")
    sent = llm.calls[0]["messages"][-1]["content"]
    assert sent.count("all of shelf: ") == 2
    assert (reader.name, reader.required) == ("rag", True)


@pytest.mark.anyio
@pytest.mark.parametrize(("budget", "granted"), [(150, 4_000), (4_000, 250)])
async def test_a_reader_as_a_source_shows_what_its_budget_and_its_grant_allow(
    budget: int, granted: int
) -> None:
    reader = task().reader(consumer="writer", budget_tokens=budget)
    results = await reader.afetch("cats", grant=Grant(granted, None, count_tokens))
    assert 100 < sum(count_tokens(each.content) for each in results) <= min(budget, granted)


def test_a_reader_of_another_users_task_gives_a_run_nothing_case_97() -> None:
    reader = task(scope=Scope(user="ann")).reader(consumer="writer")
    assert reader.fetch("cats", Scope(user="ann"))
    with pytest.raises(ConfigError, match="of another user"):
        reader.fetch("cats", Scope(user="ben"))


@pytest.mark.anyio
async def test_another_users_run_gets_nothing_of_a_task_case_97() -> None:
    private = task(scope=Scope(user="ann"))
    assert await private.afetch("cats", Scope(user="ann", session="s", agent="a"))
    for other in (Scope(user="ben"), Scope(agent="a")):
        with pytest.raises(ConfigError, match="of another user"):
            await private.afetch("cats", other)


def test_a_required_task_that_fails_stops_the_turn() -> None:
    broken = TaskContext(required=True)
    shelf = Shelf({})
    shelf.pages = lambda: 1 / 0  # type: ignore[method-assign,assignment,return-value]
    broken.attach(shelf, required=True)
    with pytest.raises(SourceError, match="'rag' failed"):
        ContextBuilder().build_block("cats", sources=[broken], budget=2_000)


@pytest.mark.anyio
async def test_evidence_is_found_like_everything_else() -> None:
    task = TaskContext()
    name = task.put("The meeting is on Friday.", title="Calendar", consumers=["writer"])
    package = await task.reader(consumer="writer").read("when is the meeting")
    assert (package.refs[0].binding_id, package.blocks[0].label) == (name, "evidence: Calendar")
    assert not (await task.reader(consumer="other").read("meeting")).blocks
    task.remove(name)
    assert not (await task.reader(consumer="writer").read("meeting")).blocks


@pytest.mark.anyio
async def test_required_evidence_is_always_there() -> None:
    task = TaskContext()
    task.attach(Shelf(TEXTS))
    task.put("Never say never.", required=True)
    package = await task.reader(consumer="writer", max_blocks=2).read("cats number 7")
    assert package.blocks[0].text == "Never say never."


@pytest.mark.anyio
async def test_a_path_stands_for_its_folder_and_a_list_for_its_records(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("How cats are fed.")
    task = TaskContext()
    task.attach(tmp_path)
    task.attach([{"id": "1", "name": "Tom"}, {"id": "2", "name": "Kit"}])
    kinds = [each.kind for each in task.source_catalog()]
    assert kinds == ["folder", "records"]
    package = await task.reader(consumer="writer").read("how are cats fed", paths="*.md")
    assert package.blocks[0].text == "How cats are fed."


@pytest.mark.anyio
async def test_the_catalogue_lists_what_a_consumer_may_see() -> None:
    task = TaskContext()
    task.attach(Shelf(TEXTS, id="open"), metadata={"team": "a"})
    task.attach(Shelf({}, id="closed"), consumers=["auditor"], required=True)
    assert [each.failed for each in task.source_catalog()] == ["not asked yet"] * 2
    await task.refresh()
    (entry,) = task.source_catalog("writer")
    assert (entry.binding_id, entry.count, entry.failed) == ("open", 20, "")
    assert [each.required for each in task.source_catalog("auditor")] == [False, True]


@pytest.mark.anyio
async def test_bindings_are_part_of_the_revision() -> None:
    def revision(**options: Any) -> str:
        task = TaskContext()
        task.attach(Shelf({}), **options)
        return task.revision

    assert revision() == revision(binding_id="shelf")
    others = [
        revision(binding_id="x"),
        revision(consumers=["a"]),
        revision(required=True),
        revision(priority=1),
        revision(metadata={"a": 1}),
    ]
    assert len({revision(), *others}) == 6


@pytest.mark.anyio
async def test_a_snapshot_stays_as_it_is() -> None:
    shelf = Shelf({"a": "one"})
    task = TaskContext()
    task.attach(shelf)
    await task.refresh()
    before = task.snapshot()
    assert task.snapshot() is before
    shelf.texts["b"] = "two"
    await task.refresh()
    assert list(before.bound[0].descriptors) == ["a"]
    assert task.snapshot().revision != before.revision


def test_a_binding_has_a_name_of_its_own() -> None:
    task = TaskContext()
    task.attach(Shelf({}), binding_id="x")
    with pytest.raises(ConfigError, match="'x' exists: remove"):
        task.attach(Shelf({}, id="other"), binding_id="x")
    with pytest.raises(ConfigError, match="another source has the id 'shelf'"):
        task.attach(Shelf({}))
    with pytest.raises(ConfigError, match="no binding 'y'"):
        task.remove("y")


@pytest.mark.anyio
async def test_a_source_is_known_by_the_id_it_was_bound_with() -> None:
    shelf = Shelf({"a": "cats"}, id="first")
    task = TaskContext()
    name = task.attach(shelf)
    shelf.id = "second"
    package = await task.reader(consumer="writer").read("cats")
    assert [ref.source_id for ref in package.refs] == ["first"]
    task.remove(name)
    assert not task.source_catalog()


@pytest.mark.parametrize(
    ("source", "options", "why"),
    [
        (7, {}, "int is no source"),
        (Shelf({}), {"binding_id": ""}, "binding_id must be a string"),
        (Shelf({}, id=""), {"binding_id": "x"}, "a source's id must be a string"),
        (Shelf({}), {"consumers": [1]}, "consumers are strings"),
        (Shelf({}), {"priority": "high"}, "priority must be"),
        (Shelf({}), {"metadata": {"a": object()}}, "metadata must be JSON"),
    ],
)
def test_what_cannot_be_attached_is_refused(source: Any, options: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        TaskContext().attach(source, **options)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"name": ""}, "name"),
        ({"index": 7}, "index is an Index"),
        ({"source_timeout": 0}, "source_timeout"),
    ],
)
def test_a_task_that_cannot_work_is_refused(options: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        TaskContext(**options)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"max_blocks": 0}, "max_blocks"),
        ({"budget_tokens": -1}, "budget_tokens"),
        ({"consumer": None}, "consumer"),
        ({"phase": 1}, "phase"),
    ],
)
def test_a_reader_that_cannot_work_is_refused(options: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        TaskContext().reader(**{"consumer": "writer", **options})


def test_evidence_is_text() -> None:
    with pytest.raises(TypeError, match="evidence is text, not bytes"):
        TaskContext().put(b"bytes")  # type: ignore[arg-type]
