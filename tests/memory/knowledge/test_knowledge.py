"""A knowledge base: what is found, for whom, and that nothing is done twice."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker import (
    CallableSource,
    ContextBuilder,
    ContextConfig,
    Grant,
    RetrievalResult,
    Scope,
    count_tokens,
)
from agentmaker.errors import ConfigError, StoreError
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.index import Index
from agentmaker.memory.knowledge import Citation, KnowledgeBase, cite
from agentmaker.memory.knowledge.kept import document_of
from agentmaker.memory.sql.store import SessionStore
from agentmaker.memory.store import Store
from agentmaker.testing import FakeEmbedder

each_loop = pytest.mark.anyio

ANN, BOB = Scope(user="ann"), Scope(user="bob")
CHAT = Scope(user="ann", session="chat")

MEALS = "Meals are capped at 80 per day, no receipt needed."
HOTELS = "Hotels are capped at 500 per night, receipt required."

GUIDE = """# Travel guide

## Expenses

### Meals

Meals are capped at 80 per day.

### Hotels

Hotels are capped at 500 per night.

## Trains

Trains are booked by the office.
"""


class CountingCounter:
    """Counts characters, and how many it counted."""

    name = "counting"

    def __init__(self) -> None:
        self.counted = 0

    def __call__(self, text: str) -> int:
        self.counted += len(text)
        return len(text)


async def texts(base: KnowledgeBase, query: str, **given: object) -> list[str]:
    return [each.content for each in await base.retrieve(query, **given)]


@pytest.fixture
async def rag() -> KnowledgeBase:
    base = KnowledgeBase()
    await base.add(MEALS, name="meals")
    await base.add(HOTELS, name="hotels")
    return base


SEED = [
    lambda rag: CallableSource("rag", rag.retrieve),
    lambda rag: CallableSource("rag", rag.retrieve, pass_scope=True),
    lambda rag: CallableSource("rag", lambda q: rag.retrieve(q, top_k=8)),
]


@each_loop
@pytest.mark.parametrize("source", SEED)
async def test_retrieve_is_a_source_of_the_builder_in_each_of_the_seeds_ways(rag, source):
    builder = ContextBuilder(ContextConfig.for_window(None, fallback_window=8000))
    block = await builder.abuild_block("how much for meals?", sources=[source(rag)], scope=Scope())
    assert MEALS in block
    assert MEALS in await builder.abuild("how much for meals?", sources=[source(rag)])


@pytest.mark.parametrize("source", SEED)
def test_retrieve_is_a_source_of_a_builder_that_is_not_awaited(source):
    rag = KnowledgeBase()
    anyio.run(lambda: rag.add(MEALS, name="meals"))
    builder = ContextBuilder(ContextConfig.for_window(None, fallback_window=8000))
    text = builder.build("how much can I spend on meals?", sources=[source(rag)])
    assert text == (f"[Knowledge]\n- {MEALS}\n\n[Current question]\nhow much can I spend on meals?")


@each_loop
async def test_a_source_that_passes_the_scope_finds_what_is_that_scopes():
    rag = KnowledgeBase()
    await rag.add(MEALS, name="meals", scope=ANN)
    builder = ContextBuilder(ContextConfig.for_window(None, fallback_window=8000))
    bound = [CallableSource("rag", rag.retrieve, pass_scope=True)]
    assert MEALS in await builder.abuild_block("meals", sources=bound, scope=CHAT)
    assert await builder.abuild_block("meals", sources=bound, scope=BOB) == ""


@each_loop
async def test_a_result_is_the_text_below_its_headings_with_where_it_is_from():
    base = KnowledgeBase(chunk_tokens=12)
    await base.add(GUIDE, name="guide.md", title="Travel guide", metadata={"year": 2026})
    narrow = Grant(20, None, count_tokens)
    (found,) = await base.retrieve("what may hotels cost?", top_k=1, grant=narrow)
    assert found.content == (
        "Travel guide › Expenses\n### Hotels\n\nHotels are capped at 500 per night."
    )
    start = GUIDE.index("### Hotels")
    assert found.metadata == {
        "year": 2026,
        "document": "guide.md",
        "title": "Travel guide",
        "headings": ["Travel guide", "Expenses", "Hotels"],
        "page": None,
        "start": start,
        "end": GUIDE.index("\n\n## Trains"),
        "uri": "",
    }
    assert found.source == "rag"
    assert found.id == f"guide.md#{start}-{found.metadata['end']}"
    assert str(cite(found)) == "Travel guide › Expenses › Hotels (guide.md)"


def test_a_citation_is_short_and_names_the_page():
    assert str(Citation(document="a.pdf", title="Rules", page=3)) == "Rules, p. 3 (a.pdf)"
    assert str(Citation(document="notes")) == "notes"


def test_a_result_of_something_else_has_no_citation():
    with pytest.raises(KeyError):
        cite(RetrievalResult("text", 1.0, "other"))


@each_loop
async def test_two_chunks_that_follow_each_other_in_text_and_rank_are_one_result():
    base = KnowledgeBase(chunk_tokens=12)
    await base.add("Tea is harvested in spring.\n\nTea is dried in summer.", name="tea")
    await base.add("Coffee is roasted.", name="coffee")
    assert await texts(base, "tea") == ["Tea is harvested in spring.\n\nTea is dried in summer."]


@each_loop
async def test_a_builder_without_room_for_two_chunks_is_given_single_ones():
    base = KnowledgeBase(chunk_tokens=12)
    await base.add("Tea is harvested in spring.\n\nTea is dried in summer.", name="tea")
    narrow, wide = (Grant(tokens, None, count_tokens) for tokens in (23, 24))
    assert len(await base.retrieve("tea", grant=narrow)) == 2
    assert len(await base.retrieve("tea", grant=wide)) == 1


@each_loop
async def test_a_source_that_asks_for_more_texts_is_told_its_room_as_well():
    base = KnowledgeBase(chunk_tokens=12)
    await base.add("Tea is harvested in spring.\n\nTea is dried in summer.", name="tea")
    source = CallableSource("rag", partial(base.retrieve, top_k=8))
    narrow, wide = (Grant(tokens, None, count_tokens) for tokens in (23, 24))
    assert len(await source.afetch("tea", grant=narrow)) == 2
    assert len(await source.afetch("tea", grant=wide)) == 1


@each_loop
async def test_what_stands_beside_a_hit_is_found_with_it():
    base = KnowledgeBase(chunk_tokens=12)
    await base.add("The kiln is hot.\n\nIt reaches 900 degrees.", name="kiln")
    assert "900" in (await texts(base, "kiln", top_k=1))[0]


@each_loop
async def test_what_one_scope_has_no_other_finds(store: Store) -> None:
    base = KnowledgeBase(store=store)
    await base.add(MEALS, name="meals", scope=ANN)
    await base.add(HOTELS, name="hotels", scope=BOB)
    assert await texts(base, "capped", scope=ANN) == [MEALS]
    assert await texts(base, "capped", scope=BOB) == [HOTELS]
    assert await texts(base, "capped") == []
    assert await base.names(ANN) == ("meals",)
    assert not await base.remove("meals", BOB)


@each_loop
async def test_what_a_scope_has_its_sessions_find_and_what_a_session_has_no_other():
    base = KnowledgeBase(scope=ANN)
    await base.add(MEALS, name="meals")
    await base.add(HOTELS, name="hotels", scope=CHAT)
    assert {*await texts(base, "capped", scope=CHAT)} == {MEALS, HOTELS}
    other = Scope(user="ann", session="other")
    assert await texts(base, "capped", scope=other) == await texts(base, "capped") == [MEALS]


@each_loop
async def test_bases_on_one_index_and_store_keep_scopes_apart():
    store, index = MemoryStore(), Index()
    ann = KnowledgeBase(store=store, index=index, scope=ANN)
    bob = KnowledgeBase(store=store, index=index, scope=BOB)
    await ann.add(MEALS, name="same")
    await bob.add(HOTELS, name="same")
    assert await texts(ann, "capped") == [MEALS]
    assert await texts(bob, "capped") == [HOTELS]


@each_loop
async def test_a_document_of_the_same_name_takes_the_place_of_the_old_one(store: Store) -> None:
    base = KnowledgeBase(store=store)
    await base.add(MEALS, name="rules")
    assert await texts(base, "meals") == [MEALS]
    await base.add(HOTELS, name="rules")
    assert await texts(base, "meals") == []
    assert await texts(base, "hotels") == [HOTELS]
    assert await base.names() == ("rules",)


@each_loop
async def test_what_was_removed_is_not_found(store: Store) -> None:
    base = KnowledgeBase(store=store)
    await base.add(MEALS, name="meals")
    assert await texts(base, "meals")
    assert await base.remove("meals")
    assert await texts(base, "meals") == []
    assert not await base.remove("meals")


@each_loop
async def test_another_process_finds_what_was_added_and_removed_since(tmp_path: Path) -> None:
    here = KnowledgeBase(store=SessionStore(tmp_path / "k.db"), index=Index(tmp_path / "i.db"))
    there = KnowledgeBase(store=SessionStore(tmp_path / "k.db"), index=Index(tmp_path / "i.db"))
    apart = KnowledgeBase(store=SessionStore(tmp_path / "k.db"))
    assert await texts(there, "capped") == await texts(apart, "capped") == []
    await here.add(MEALS, name="rules")
    assert await texts(there, "capped") == await texts(apart, "capped") == [MEALS]
    await there.add(HOTELS, name="rules")
    assert await texts(here, "capped") == await texts(apart, "capped") == [HOTELS]
    await apart.remove("rules")
    assert await texts(here, "capped") == await texts(there, "capped") == []
    for base in (here, there, apart):
        await base.aclose()


@each_loop
async def test_an_index_opened_again_chunks_and_embeds_nothing(tmp_path: Path) -> None:
    async def asked() -> tuple[int, int]:
        counter, embedder = CountingCounter(), FakeEmbedder()
        base = KnowledgeBase(
            store=SessionStore(tmp_path / "k.db"),
            index=Index(tmp_path / "i.db", embedder=embedder),
            counter=counter,
        )
        await base.add(MEALS, name="meals")
        await base.add(HOTELS, name="hotels")
        assert len(await base.retrieve("capped")) == 2
        await base.aclose()
        return counter.counted, sum(map(len, embedder.calls))

    counted, embedded = await asked()
    assert counted
    assert embedded == 3
    assert await asked() == (0, 1)


@each_loop
async def test_only_what_changed_is_chunked_and_embedded_again():
    counter, embedder = CountingCounter(), FakeEmbedder()
    base = KnowledgeBase(embedder=embedder, counter=counter)
    await base.add(MEALS, name="meals")
    await base.add(HOTELS, name="hotels")
    await base.retrieve("capped")
    counter.counted = 0
    embedder.calls.clear()
    await base.add(MEALS, name="meals")
    await base.add(HOTELS, name="hotels", metadata={"year": 2026})
    await base.add("Trains are fast.", name="trains")
    await base.retrieve("trains")
    assert counter.counted == len("Trains are fast.")
    assert sorted(text for call in embedder.calls for text in call) == [
        "Trains are fast.",
        "trains",
    ]


@each_loop
async def test_changed_metadata_are_told_though_nothing_is_indexed_again():
    base = KnowledgeBase()
    await base.add(MEALS, name="meals")
    await base.retrieve("meals")
    await base.add(MEALS, name="meals", metadata={"year": 2026})
    assert (await base.retrieve("meals"))[0].metadata["year"] == 2026


@each_loop
async def test_results_carry_embeddings_where_there_is_an_embedder():
    with_one, without = KnowledgeBase(embedder=FakeEmbedder()), KnowledgeBase()
    for base in (with_one, without):
        await base.add(MEALS, name="meals")
        await base.add(HOTELS, name="hotels")
    assert all(each.embedding is not None for each in await with_one.retrieve("meals"))
    assert all(each.embedding is None for each in await without.retrieve("meals"))


@each_loop
async def test_an_embedder_that_fails_leaves_the_words_and_is_told_once(caplog):
    base = KnowledgeBase(embedder=FakeEmbedder(OSError("gone")))
    await base.add(MEALS, name="meals")
    await base.add(HOTELS, name="hotels")
    with caplog.at_level("WARNING", "agentmaker"):
        assert await texts(base, "meals") == [MEALS]
        assert await texts(base, "hotels") == [HOTELS]
    assert caplog.text.count("documents are searched by their words alone") == 1
    assert "OSError" in caplog.text
    assert "meals" not in caplog.text


@each_loop
async def test_a_base_without_an_embedder_has_nothing_to_warn_of(rag, caplog):
    await rag.retrieve("meals")
    assert not caplog.records


@each_loop
async def test_common_words_fill_up_below_what_telling_words_find(rag):
    await rag.add("The moon is made of rock.", name="moon")
    await rag.add("月亮是岩石做的。", name="月亮")
    assert (await texts(rag, "Which of the meals?", top_k=1)) == [MEALS]
    found = await rag.retrieve("Is the receipt the usual one? 是吗")
    assert [each.content for each in found[:2]] in ([MEALS, HOTELS], [HOTELS, MEALS])
    assert {each.content for each in found[2:]} == {"The moon is made of rock.", "月亮是岩石做的。"}
    assert found[2].score < found[1].score
    assert await texts(rag, "What is cheese?") == ["The moon is made of rock."]


@each_loop
async def test_chinese_is_found_by_its_words():
    base = KnowledgeBase(chunk_tokens=20)
    await base.add("餐费每天最多八十元，不需要收据。住宿每晚最多五百元，需要收据。", name="规定")
    await base.add("火车票由办公室预订。", name="火车")
    assert "住宿每晚" in (await texts(base, "住宿最多多少钱？", top_k=1))[0]
    assert await texts(base, "火车票") == ["火车票由办公室预订。"]


@each_loop
@pytest.mark.parametrize("query", ["", "  ", "?!", "nothingofthekind"])
async def test_a_query_without_an_answer_has_no_results(rag, query):
    assert await rag.retrieve(query) == []


@each_loop
async def test_at_most_top_k_results_come_the_best_first(rag):
    assert len(await rag.retrieve("capped", top_k=1)) == 1
    found = await rag.retrieve("capped meals")
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert found[0].content == MEALS
    with pytest.raises(ConfigError, match="top_k"):
        await rag.retrieve("meals", top_k=0)


@each_loop
async def test_a_document_without_name_or_text_or_with_metadata_that_are_no_json_is_refused():
    base = KnowledgeBase()
    with pytest.raises(ConfigError, match="name"):
        await base.add(MEALS, name=" ")
    with pytest.raises(ConfigError, match=r"remove\(name\)"):
        await base.add(" \n", name="meals")
    with pytest.raises(ConfigError, match="JSON"):
        await base.add(MEALS, name="meals", metadata={"at": object()})
    assert await base.names() == ()


def test_settings_that_cannot_work_are_refused():
    with pytest.raises(ConfigError, match="chunk_tokens"):
        KnowledgeBase(chunk_tokens=0)
    with pytest.raises(ConfigError, match=r"Index\(path, embedder"):
        KnowledgeBase(index=Index(), embedder=FakeEmbedder())


@pytest.mark.parametrize(
    ("given", "helps"),
    [
        ({"store": "app.db"}, "give a SessionStore"),
        ({"index": "index.db"}, r"give Index\(path\)"),
        ({"scope": "ann"}, r"give Scope\(user="),
    ],
)
def test_a_path_or_a_name_in_the_place_of_an_object_is_refused_with_what_to_give(given, helps):
    with pytest.raises(TypeError, match=helps):
        KnowledgeBase(**given)


@each_loop
async def test_a_text_or_a_query_that_is_no_string_is_refused():
    base = KnowledgeBase()
    with pytest.raises(TypeError, match="text must be a string, not bytes"):
        await base.add(b"tea", name="tea")
    with pytest.raises(TypeError, match="query must be a string, not int"):
        await base.retrieve(7)
    with pytest.raises(TypeError, match="scope must be a Scope, not str"):
        await base.retrieve("tea", scope="ann")


class ChangingStore(MemoryStore):
    """Replaces the document while it is being looked for, so many times."""

    times = 0

    async def read(self, scope, kind, names):
        if self.times:
            self.times -= 1
            text = f"{MEALS} {self.times}"
            await self.put(scope, document_of("meals", text, title="", metadata={}))
        return await super().read(scope, kind, names)


@each_loop
async def test_a_document_replaced_while_it_is_looked_for_is_looked_for_again():
    store = ChangingStore()
    base = KnowledgeBase(store=store)
    await base.add(MEALS, name="meals")
    await base.retrieve("meals")
    store.times = 1
    assert await texts(base, "meals") == [f"{MEALS} 0"]


@each_loop
async def test_a_document_replaced_again_and_again_is_left_out_and_others_are_found():
    store = ChangingStore()
    base = KnowledgeBase(store=store)
    await base.add(MEALS, name="meals")
    await base.add(HOTELS, name="hotels")
    await base.retrieve("capped")
    store.times = 100
    assert await texts(base, "capped") == [HOTELS]


@each_loop
async def test_a_title_is_one_short_line():
    base = KnowledgeBase()
    await base.add(MEALS, name="meals", title="Rules\n# of" + " meals" * 100)
    (found,) = await base.retrieve("capped")
    title = found.metadata["title"]
    assert title.startswith("Rules # of meals")
    assert len(title) <= 200
    assert found.content == f"{title}\n{MEALS}"


@each_loop
async def test_many_at_once_see_whole_documents():
    base = KnowledgeBase(chunk_tokens=12)
    versions = [f"Rule {at} is about meals.\n\nMeals of rule {at} are small." for at in range(8)]

    async def replace() -> None:
        for text in versions:
            await base.add(text, name="rules")

    async def look() -> None:
        for _ in range(8):
            for each in await base.retrieve("meals rule"):
                assert any(each.content in text for text in versions)

    async with anyio.create_task_group() as group:
        group.start_soon(replace)
        for _ in range(4):
            group.start_soon(look)
    assert await texts(base, "meals rule") == [versions[-1]]


class FailingStore(MemoryStore):
    fails = False

    async def read(self, scope, kind, names):
        if self.fails:
            raise StoreError("gone")
        return await super().read(scope, kind, names)


@each_loop
async def test_a_store_that_fails_while_it_is_indexed_is_indexed_by_the_next_search():
    store = FailingStore()
    base = KnowledgeBase(store=store)
    await base.add(MEALS, name="meals")
    store.fails = True
    with pytest.raises(StoreError):
        await base.retrieve("meals")
    store.fails = False
    assert await texts(base, "meals") == [MEALS]


@each_loop
async def test_chunks_that_another_process_left_behind_are_forgotten(tmp_path: Path) -> None:
    index = Index(tmp_path / "i.db")
    store = MemoryStore()
    here, there = (KnowledgeBase(store=store, index=index, chunk_tokens=12) for _ in range(2))
    await here.add("Tea is dried.", name="tea")
    await here.retrieve("tea")
    await there.add(
        "Milk is warm in the evening.\n\nMilk is fresh in May.\n\nMilk is white as snow.",
        name="tea",
    )
    await there.retrieve("milk")
    await there.add("Coffee is roasted.", name="tea")
    partition = (await here._indexing.view(Scope())).partition
    assert len(await index.known(partition)) > 1
    assert await texts(here, "milk") == []
    assert await texts(here, "coffee") == ["Coffee is roasted."]
    assert [*await index.known(partition)] == ["tea\n0"]


class CountingStore(MemoryStore):
    """Counts how many are put at once, and *fails* where so many were."""

    most = writing = 0
    fails = 1_000

    async def put(self, scope, document):
        self.fails -= 1
        if not self.fails:
            raise StoreError("gone")
        self.writing += 1
        self.most = max(self.most, self.writing)
        await anyio.lowlevel.checkpoint()
        await super().put(scope, document)
        self.writing -= 1


@each_loop
async def test_files_are_kept_together_and_a_failure_is_raised_as_it_is(tmp_path: Path) -> None:
    for number in range(70):
        (tmp_path / f"{number}.txt").write_text(f"Number {number}.")
    store = CountingStore()
    loaded = await KnowledgeBase(store=store).load(tmp_path)
    assert len(loaded.documents) == 70
    assert store.most == 64
    failing = CountingStore()
    failing.fails = 40
    with pytest.raises(StoreError, match="gone"):
        await KnowledgeBase(store=failing).load(tmp_path)


NAMES = st.sampled_from(["a", "b", "c\nd"])
SCOPES = st.sampled_from([Scope(), ANN, BOB])
WORDS = st.sampled_from(["tea", "coffee", "cake", "茶水"])


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "remove", "look"]), NAMES, SCOPES, WORDS), max_size=12
    )
)
def test_whatever_happened_what_is_found_is_what_the_store_has(history):
    async def happen() -> None:
        base, kept = KnowledgeBase(chunk_tokens=4), {}
        for what, name, scope, word in history:
            if what == "add":
                await base.add(f"{word} {name}", name=name, scope=scope)
                kept[scope, name] = word
            elif what == "remove":
                assert await base.remove(name, scope) == (kept.pop((scope, name), None) is not None)
            else:
                found = await base.retrieve(word, scope=scope)
                having = {n for (s, n), w in kept.items() if s == scope and w == word}
                assert {each.metadata["document"] for each in found} == having

    anyio.run(happen)


@each_loop
async def test_a_base_that_was_closed_finds_what_it_found():
    base = KnowledgeBase(scope=CHAT)
    await base.add(MEALS, name="meals")
    before = await base.retrieve("meals")
    await base.aclose()
    assert await base.retrieve("meals") == before != []


@each_loop
async def test_what_embedding_took_is_told(caplog):
    base = KnowledgeBase(embedder=FakeEmbedder([None, None, OSError("down"), OSError("down")]))
    await base.add(MEALS, name="meals")
    await base.add(HOTELS, name="hotels")
    await base.retrieve("meals")
    assert (base.usage.calls, base.usage.texts) == (2, 3)
    assert caplog.text == ""
    await base.retrieve("hotels")
    await base.retrieve("nights")
    assert (base.usage.calls, base.usage.texts) == (4, 5)
    assert caplog.text.count("documents are searched by their words alone") == 1


@each_loop
@pytest.mark.parametrize(
    "call",
    [
        lambda base: base.retrieve(None),
        lambda base: base.retrieve("x", scope="ann"),
        lambda base: base.add("x", name="x", scope="ann"),
        lambda base: base.add("x", name=5),
        lambda base: base.add(5, name="x"),
        lambda base: base.add("x", name="x", title=5),
        lambda base: base.remove("x", "ann"),
    ],
)
async def test_what_is_of_another_type_is_refused_by_its_name(call):
    with pytest.raises(TypeError, match="must be a"):
        await call(KnowledgeBase())


@each_loop
async def test_who_indexed_an_older_state_mends_it_at_once():
    class Meddled(MemoryStore):
        meddle = None

        async def read(self, *given):
            found = await super().read(*given)
            meddle, self.meddle = self.meddle, None
            if meddle:
                await meddle()
            return found

    store, index = Meddled(), Index()
    base, other = (KnowledgeBase(store=store, index=index) for _ in range(2))
    await other.add(MEALS, name="costs")

    async def change():
        await other.add(HOTELS, name="costs")
        await other._indexing._caught_up(Scope())  # as another process, which waits for nobody

    store.meddle = change
    await base.retrieve("trains")
    assert [each.content for each in await other.retrieve("hotels")] == [HOTELS]
