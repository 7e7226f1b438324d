"""What every store does, wherever it keeps things."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import anyio
import anyio.lowlevel
import pytest

from agentmaker import sync
from agentmaker.errors import ConfigError, SessionError
from agentmaker.memory.records import Document, Entry, RunRecord, SessionState
from agentmaker.memory.store import Store
from agentmaker.messages import Message
from agentmaker.scope import Scope

pytestmark = pytest.mark.anyio

ANN = Scope(user="ann")
CHAT = Scope(user="ann", session="chat")
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def said(*texts: str) -> list[Message]:
    return [Message(text) for text in texts]


def a_run(run_id: str = "r1", scope: Scope = CHAT, **fields: object) -> RunRecord:
    return replace(
        RunRecord(id=run_id, agent="helper", scope=scope, owner="first", data={"asked": "why?"}),
        **fields,
    )


async def texts(store: Store, session: Scope = CHAT, start: int = 0) -> list[str]:
    return [turn.text for turn in await store.turns(session, start)]


async def test_a_session_nobody_wrote_to_is_new_and_empty(store: Store) -> None:
    assert await store.state(CHAT) == SessionState()
    assert await store.turns(CHAT) == ()
    assert await store.sessions(ANN) == ()


async def test_turns_stand_in_the_order_they_were_added(store: Store) -> None:
    assert await store.append(CHAT, said("one", "two")) == 2
    assert await store.append(CHAT, said("three")) == 3
    assert await texts(store) == ["one", "two", "three"]
    assert await texts(store, start=1) == ["two", "three"]
    assert await texts(store, start=9) == []


async def test_a_session_needs_an_id(store: Store) -> None:
    with pytest.raises(ConfigError, match="session="):
        await store.append(ANN, said("to nobody"))
    await store.begin(a_run(scope=ANN))
    with pytest.raises(ConfigError, match="session="):
        await store.commit(a_run(scope=ANN), [Entry("step", {})], turns=said("to nobody"))
    assert await store.entries("r1") == ()


async def test_a_state_is_kept_with_a_new_version(store: Store) -> None:
    await store.append(CHAT, said("one", "two"))
    made = SessionState(upto=2, full=tuple(said("short")), window=(), memo={"name": "Ann"})
    kept = await store.change(CHAT, made)
    assert kept == replace(made, version=1)
    assert await store.state(CHAT) == kept
    assert await store.change(CHAT, replace(kept, memo=None, full=None)) == replace(
        kept, version=2, memo=None, full=None
    )


async def test_a_change_made_from_an_older_state_is_refused_as_case_80_asks(store: Store) -> None:
    old = await store.state(CHAT)
    new = await store.change(CHAT, replace(old, memo="first"))
    with pytest.raises(SessionError, match="changed by somebody else"):
        await store.change(CHAT, replace(old, upto=1, memo="stale"))
    assert await store.state(CHAT) == new


async def test_of_two_changes_at_once_one_is_made(store: Store) -> None:
    old = await store.state(CHAT)
    refused = []

    async def change(memo: str) -> None:
        try:
            await store.change(CHAT, replace(old, memo=memo))
        except SessionError:
            refused.append(memo)

    async with anyio.create_task_group() as group:
        for memo in ("a", "b", "c"):
            group.start_soon(change, memo)
    assert len(refused) == 2
    assert (await store.state(CHAT)).version == 1


async def test_more_turns_do_not_refuse_a_change(store: Store) -> None:
    old = await store.state(CHAT)
    await store.append(CHAT, said("meanwhile"))
    assert (await store.change(CHAT, replace(old, memo="kept"))).memo == "kept"


async def test_the_latest_used_session_comes_first(store: Store) -> None:
    for name in ("a", "b", "c"):
        await store.append(replace(ANN, session=name), said("hello"))
    await store.append(replace(ANN, session="a"), said("again"))
    await store.change(replace(ANN, session="b"), SessionState())
    assert await store.sessions(ANN) == ("b", "a", "c")
    assert await store.sessions(CHAT) == ("b", "a", "c")
    assert await store.sessions(Scope()) == ()


async def test_a_forgotten_session_is_new_again(store: Store) -> None:
    await store.append(CHAT, said("secret"))
    await store.change(CHAT, SessionState(memo="secret"))
    await store.forget(CHAT)
    await store.forget(CHAT)
    assert await store.sessions(ANN) == ()
    assert await store.state(CHAT) == SessionState()
    assert await store.append(CHAT, said("new")) == 1
    assert await texts(store) == ["new"]


async def test_a_run_is_kept_as_far_as_it_has_come(store: Store) -> None:
    run = a_run(created=NEW_YEAR, updated=NEW_YEAR)
    await store.begin(run, [Entry("asked", {"text": "why?"})])
    assert await store.runs() == (run,)
    await store.commit(
        replace(run, status="done", data={"answer": 42}),
        [Entry("model", {"n": 1}), Entry("tool", {"n": 2})],
        turns=said("why?", "because"),
    )
    (kept,) = await store.runs()
    assert kept == replace(run, status="done", data={"answer": 42}, updated=kept.updated)
    assert kept.updated > NEW_YEAR
    assert [entry.kind for entry in await store.entries("r1")] == ["asked", "model", "tool"]
    assert await texts(store) == ["why?", "because"]


async def test_a_change_of_a_session_that_was_deleted_meanwhile_is_refused(store: Store) -> None:
    await store.append(CHAT, said("one", "two"))
    late = replace(await store.state(CHAT), upto=2, window=())
    await store.forget(CHAT)
    await store.append(CHAT, said("new"))
    with pytest.raises(SessionError, match="changed by somebody else"):
        await store.change(CHAT, late)
    assert await texts(store) == ["new"]


async def test_a_run_begins_once(store: Store) -> None:
    await store.begin(a_run(), [Entry("asked", {})])
    with pytest.raises(SessionError, match="an id of its own"):
        await store.begin(a_run(), [Entry("asked", {})])
    assert len(await store.entries("r1")) == 1


async def test_a_run_that_was_claimed_by_another_cannot_be_committed_to(store: Store) -> None:
    run = a_run()
    await store.begin(run)
    assert await store.run("r1") == run
    claimed = await store.claim("r1", "second")
    assert claimed == replace(run, owner="second", updated=claimed.updated)
    with pytest.raises(SessionError, match="resumed somewhere else"):
        await store.commit(replace(run, status="done"), [Entry("late", {})], turns=said("late"))
    assert await store.entries("r1") == ()
    assert await texts(store) == []
    await store.commit(claimed, [Entry("on", {})])
    assert [entry.kind for entry in await store.entries("r1")] == ["on"]


async def test_a_run_is_claimed_of_the_one_who_has_it(store: Store) -> None:
    await store.begin(a_run())
    held = await store.run("r1")
    claimed = await store.claim("r1", "second", of=held.owner)
    assert claimed.owner == "second"
    with pytest.raises(SessionError, match="resumed somewhere else"):
        await store.claim("r1", "third", of=held.owner)
    with pytest.raises(SessionError, match="no run 'r2'"):
        await store.claim("r2", "third", of=held.owner)
    assert await store.run("r1") == claimed


async def test_a_run_that_is_done_stays_done(store: Store) -> None:
    run = a_run()
    await store.begin(run)
    await store.commit(replace(run, status="done"), turns=said("why?", "because"))
    for status in ("stopped", "running", "done"):
        with pytest.raises(SessionError, match="is done"):
            await store.commit(replace(run, status=status), [Entry("late", {})], turns=said("late"))
    assert (await store.run("r1")).status == "done"
    assert await store.entries("r1") == ()
    assert await texts(store) == ["why?", "because"]


async def test_an_unknown_run_can_be_neither_claimed_nor_committed_to(store: Store) -> None:
    with pytest.raises(SessionError, match="no run 'r1'"):
        await store.claim("r1", "me")
    with pytest.raises(SessionError, match="r1"):
        await store.run("r1")
    with pytest.raises(SessionError, match="no run 'r1'"):
        await store.commit(a_run(), turns=said("lost"))
    assert await store.entries("r1") == ()
    assert await texts(store) == []


async def test_runs_are_found_by_scope_and_status_the_latest_changed_first(store: Store) -> None:
    ours = [a_run("r1", CHAT), a_run("r2", ANN), a_run("r3", CHAT, status="waiting")]
    for run in [*ours, a_run("r4", Scope(user="bob"))]:
        await store.begin(run)
    await store.commit(replace(ours[0], status="done"))

    async def found(*args: Scope, **fields: object) -> list[str]:
        return [run.id for run in await store.runs(*args, **fields)]

    assert await found() == ["r1", "r4", "r3", "r2"]
    assert await found(limit=2) == ["r1", "r4"]
    assert await found(ANN) == ["r1", "r3", "r2"]
    assert await found(CHAT) == ["r1", "r3"]
    assert await found(status="running") == ["r4", "r2"]
    assert await found(CHAT, status="waiting") == ["r3"]


async def test_a_document_takes_the_place_of_one_of_its_kind_and_name(store: Store) -> None:
    note = Document(kind="note", name="plan", text="first", gist="a plan", updated=NEW_YEAR)
    await store.put(ANN, note)
    await store.put(ANN, replace(note, text="second"))
    await store.put(ANN, replace(note, kind="result", text="other"))
    assert await store.document(ANN, "note", "plan") == replace(note, text="second")
    assert await store.document(ANN, "note", "none") is None
    assert await store.document(CHAT, "note", "plan") is None


async def test_documents_are_listed_without_text_the_latest_changed_first(store: Store) -> None:
    for day, name in enumerate(("b", "a", "c")):
        when = NEW_YEAR + timedelta(days=day)
        await store.put(ANN, Document(kind="note", name=name, text="x", gist=name, updated=when))
    found = await store.documents(ANN, "note")
    assert [(one.name, one.gist, one.text) for one in found] == [
        ("c", "c", ""),
        ("a", "a", ""),
        ("b", "b", ""),
    ]
    assert await store.documents(ANN, "result") == ()


async def test_two_runs_on_one_session_lose_no_turn_as_case_80_asks(store: Store) -> None:
    async def talk(name: str) -> None:
        run = a_run(name)
        await store.begin(run)
        for step in range(5):
            await store.commit(
                run, [Entry("step", {})], turns=said(f"{name}{step}?", f"{name}{step}!")
            )

    async with anyio.create_task_group() as group:
        group.start_soon(talk, "a")
        group.start_soon(talk, "b")
    kept = await texts(store)
    for name in "ab":
        assert [text for text in kept if text[0] == name] == [
            f"{name}{step}{mark}" for step in range(5) for mark in "?!"
        ]
    assert all(kept[i][:2] == kept[i + 1][:2] for i in range(0, 20, 2)), "a commit stands together"


async def test_a_store_that_was_closed_opens_again(store: Store) -> None:
    await store.append(CHAT, said("before"))
    await store.aclose()
    await store.append(CHAT, said("after"))
    assert await texts(store) == ["before", "after"]


ODD = "a\x00b \ud83d\ude00 \udfff \x1a0000 '\"\\ 你好 😀"


async def test_every_text_comes_back_exactly(store: Store) -> None:
    scope = Scope(ODD, ODD, ODD, ODD, ODD)
    run = a_run(ODD, scope, agent=ODD, owner=ODD, kind=ODD, data={ODD: [ODD]})
    await store.begin(run, [Entry(ODD, {ODD: ODD})])
    assert await store.runs(scope) == (run,)
    assert await store.entries(ODD) == (Entry(ODD, {ODD: ODD}),)
    await store.commit(run, turns=[Message(ODD, name=ODD, metadata={ODD: ODD})])
    (turn,) = await store.turns(scope)
    assert turn == Message(ODD, name=ODD)
    assert turn.metadata == {ODD: ODD}
    assert (await store.change(scope, SessionState(memo={ODD: ODD}))).memo == {ODD: ODD}
    assert (await store.state(scope)).memo == {ODD: ODD}
    assert await store.sessions(scope) == (ODD,)
    document = Document(kind=ODD, name=ODD, text=ODD, gist=ODD)
    await store.put(scope, document)
    assert await store.document(scope, ODD, ODD) == document
    assert await store.documents(scope, ODD) == (replace(document, text=""),)


async def test_long_names_are_told_apart(store: Store) -> None:
    long = "name " * 1_000
    for end in "ab":
        scope = Scope(user=long, session=long + end)
        await store.append(scope, said(end))
        await store.begin(a_run(end, scope))
        await store.put(ANN, Document(kind="note", name=long + end, text=end))
    for end in "ab":
        scope = Scope(user=long, session=long + end)
        assert await texts(store, scope) == [end]
        assert [run.id for run in await store.runs(scope)] == [end]
        assert (await store.document(ANN, "note", long + end)).text == end
    assert await store.sessions(Scope(user=long)) == (long + "b", long + "a")


APART = (
    Scope(session="s"),
    Scope(user="", app="null", session="s"),
    Scope(user="null", session="s"),
    Scope(user='a","b', session="s"),
    Scope(user="a", agent="b", session="s"),
    Scope(base="a", user="b", session="s"),
    Scope(user="a:b", session="s"),
    Scope(user="a", session="b:s"),
    Scope(user="A", session="s"),
    Scope(user="A ", session="s"),
)


async def test_no_scope_sees_what_belongs_to_another(store: Store) -> None:
    for number, scope in enumerate(APART):
        await store.append(scope, said(str(number)))
        await store.begin(a_run(str(number), scope))
        await store.put(scope, Document(kind="note", name="same", text=str(number)))
    for number, scope in enumerate(APART):
        assert await texts(store, scope) == [str(number)]
        assert [run.id for run in await store.runs(scope)] == [str(number)]
        assert (await store.document(scope, "note", "same")).text == str(number)
        assert await store.sessions(scope) == (scope.session,)


async def test_a_cancelled_commit_was_made_or_not_and_the_store_goes_on(store: Store) -> None:
    run = a_run()
    await store.begin(run)

    async def commit(number: int, scope: anyio.CancelScope) -> None:
        with scope:
            await store.commit(run, [Entry("step", {"n": number})], turns=said(*"ab"))

    async with anyio.create_task_group() as group:
        for number in range(30):
            scope = anyio.CancelScope()
            group.start_soon(commit, number, scope)
            await anyio.lowlevel.checkpoint()
            if number % 3:
                scope.cancel()
    entries = await store.entries("r1")
    assert {entry.data["n"] for entry in entries} >= {*range(0, 30, 3)}
    assert await texts(store) == [*"ab"] * len(entries)
    await store.commit(run, [Entry("last", {})])
    assert len(await store.entries("r1")) == len(entries) + 1


def test_loops_may_use_a_store_in_turn(make_store: Store) -> None:
    sync.run(make_store.append, CHAT, said("sync"))
    for backend in ("asyncio", "trio"):
        anyio.run(make_store.append, CHAT, said(backend), backend=backend)
    assert [turn.text for turn in sync.run(make_store.turns, CHAT)] == ["sync", "asyncio", "trio"]
    sync.run(make_store.aclose)


async def test_closing_does_not_disturb_what_is_under_way(store: Store) -> None:
    async def talk(name: str) -> None:
        for number in range(5):
            await store.append(replace(ANN, session=name), said(str(number)))

    async with anyio.create_task_group() as group:
        for name in "abcd":
            group.start_soon(talk, name)
        for _ in range(3):
            await store.aclose()
    for name in "abcd":
        assert await texts(store, replace(ANN, session=name)) == [*"01234"]


async def test_a_removed_document_is_gone_and_the_others_stay(store: Store) -> None:
    await store.put(ANN, Document(kind="note", name="plan", text="first"))
    await store.put(ANN, Document(kind="note", name="list", text="second"))
    await store.put(CHAT, Document(kind="note", name="plan", text="third"))
    assert await store.remove(ANN, "note", "plan")
    assert not await store.remove(ANN, "note", "plan")
    assert not await store.remove(ANN, "result", "list")
    assert await store.document(ANN, "note", "plan") is None
    assert [one.name for one in await store.documents(ANN, "note")] == ["list"]
    assert await store.document(CHAT, "note", "plan") is not None


async def test_documents_are_read_together_in_the_order_of_their_names(store: Store) -> None:
    for name in ("a", "b", "c"):
        await store.put(ANN, Document(kind="note", name=name, text=f"text of {name}"))
    await store.put(CHAT, Document(kind="note", name="d", text="of another scope"))
    found = await store.read(ANN, "note", ["c", "none", "a", "d"])
    assert [(one.name, one.text) for one in found] == [("c", "text of c"), ("a", "text of a")]
    assert await store.read(ANN, "note", []) == ()


async def test_more_documents_are_read_than_fit_one_query(store: Store) -> None:
    names = [str(number) for number in range(600)]
    for name in ("0", "499", "500", "599"):
        await store.put(ANN, Document(kind="note", name=name, text=name))
    found = await store.read(ANN, "note", names)
    assert [one.text for one in found] == ["0", "499", "500", "599"]


async def test_every_change_gives_a_stamp_that_was_not_there_before(store: Store) -> None:
    note = Document(kind="note", name="plan", text="the same", updated=NEW_YEAR)
    earlier = replace(note, name="other", updated=NEW_YEAR - timedelta(days=1))
    seen = [await store.stamp(ANN, "note")]
    for _ in range(2):
        await store.put(ANN, note)
        seen.append(await store.stamp(ANN, "note"))
        await store.put(ANN, note)
        seen.append(await store.stamp(ANN, "note"))
        await store.put(ANN, earlier)
        seen.append(await store.stamp(ANN, "note"))
        await store.remove(ANN, "note", "other")
        seen.append(await store.stamp(ANN, "note"))
        await store.remove(ANN, "note", "plan")
        seen.append(await store.stamp(ANN, "note"))
    assert len(set(seen)) == len(seen)


async def test_a_stamp_stays_while_its_documents_do(store: Store) -> None:
    await store.put(ANN, Document(kind="note", name="plan", text="first"))
    stamp = await store.stamp(ANN, "note")
    await store.put(CHAT, Document(kind="note", name="plan", text="of another scope"))
    await store.put(ANN, Document(kind="result", name="plan", text="of another kind"))
    await store.remove(ANN, "note", "none")
    await store.document(ANN, "note", "plan")
    assert await store.stamp(ANN, "note") == stamp


async def test_writers_at_once_all_change_the_stamp(store: Store) -> None:
    async def put(number: int) -> None:
        await store.put(ANN, Document(kind="note", name=str(number), text=""))
        stamps.add(await store.stamp(ANN, "note"))

    stamps: set[str] = {await store.stamp(ANN, "note")}
    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(put, number)
    last = await store.stamp(ANN, "note")
    assert last in stamps
    await store.remove(ANN, "note", "3")
    assert await store.stamp(ANN, "note") not in stamps
