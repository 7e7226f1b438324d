from __future__ import annotations

import gc
import json
import logging
import weakref

import anyio
import pytest

from agentmaker.context.measure import messages_tokens
from agentmaker.errors import ConfigError, SessionError
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.session import Session
from agentmaker.messages import Message
from agentmaker.scope import Scope
from agentmaker.tokens import count_tokens

pytestmark = pytest.mark.anyio


def call(id: str, name: str = "look") -> dict:
    function = {"name": name, "arguments": "{}"}
    made = {"id": id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def result(id: str, text: str = "found") -> dict:
    return {"role": "tool", "tool_call_id": id, "content": text}


def texts(messages) -> list[str]:
    return [message.text for message in messages]


async def chat(session: Session, *names: str) -> None:
    for name in names:
        await session.add(
            {"role": "user", "content": f"ask {name}"}, Message(f"say {name}", "assistant")
        )


async def test_what_was_said_comes_back_in_order_whatever_form_it_was_given_in():
    from openai.types.chat import ChatCompletionMessage

    session = Session()
    said = ChatCompletionMessage(role="assistant", content="hello")
    await session.add({"role": "user", "content": "hi"}, said)
    await session.add(Message("bye"))
    assert texts(await session.history()) == ["hi", "hello", "bye"]
    assert await session.turns() == await session.history()


async def test_a_message_that_is_none_keeps_the_others_out_too():
    session = Session()
    with pytest.raises(TypeError, match=r"messages\[1\]"):
        await session.add({"role": "user", "content": "hi"}, 7)
    with pytest.raises(ValueError, match="role"):
        await session.add({"role": "user", "content": "hi"}, {"role": "boss"})
    assert await session.turns() == ()


async def test_what_the_user_said_is_kept_as_said_and_never_grows_by_a_turn():
    """Case 89."""
    session = Session()
    for number in range(5):
        await session.add({"role": "user", "content": f"question {number}"})
        await session.add({"role": "assistant", "content": f"answer {number}"})
    asked = [each for each in await session.turns() if each.role == "user"]
    assert texts(asked) == [f"question {number}" for number in range(5)]


async def test_sessions_of_one_store_are_told_apart_by_their_scope_and_id():
    store = MemoryStore()
    mine = Session("a", store=store, scope=Scope(user="ann"))
    theirs = Session("a", store=store, scope=Scope(user="bob"))
    await mine.add(Message("secret"))
    assert await theirs.history() == ()
    assert texts(await Session("a", store=store, scope=Scope(user="ann")).history()) == ["secret"]
    assert mine.scope == Scope(user="ann", session="a")


async def test_a_session_without_an_id_has_one_of_its_own_or_that_of_its_scope():
    assert Session().id
    assert Session().id != Session().id
    assert Session(scope=Scope(session="s")).id == "s"


async def test_a_cleared_session_begins_anew():
    session = Session()
    await chat(session, "a")
    await session.set_memo({"name": "Ann"})
    await session.clear()
    assert await session.history() == ()
    assert await session.memo() is None


class TestMemo:
    async def test_is_kept_and_is_no_part_of_what_the_window_sees(self):
        session = Session()
        await chat(session, "a")
        await session.set_memo({"name": "Ann"})
        assert await session.memo() == {"name": "Ann"}
        assert texts(await session.history()) == ["ask a", "say a"]

    async def test_is_not_changed_from_outside(self):
        session = Session()
        memo = {"names": ["Ann"]}
        await session.set_memo(memo)
        memo["names"].append("Bob")
        (await session.memo())["names"].clear()
        assert await session.memo() == {"names": ["Ann"]}

    async def test_that_is_no_json_is_refused(self):
        session = Session()
        with pytest.raises(TypeError):
            await session.set_memo(object())
        assert await session.memo() is None

    async def test_set_while_others_change_the_session_waits_its_turn(self):
        store = Meddled(times=3)
        session = Session(store=store)
        await session.set_memo("mine")
        assert await session.memo() == "mine"

    async def test_is_given_up_where_the_session_never_holds_still(self):
        session = Session(store=Meddled(times=1_000))
        with pytest.raises(SessionError, match="again later"):
            await session.set_memo("mine")


class Meddled(MemoryStore):
    """A store in which somebody else changes a session between a reading and a change of it."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    async def change(self, session, state):
        if self.times:
            self.times -= 1
            await super().change(session, await super().state(session))
        return await super().change(session, state)


class TestMaxLength:
    async def test_shows_the_newest_whole_exchanges_that_fit(self):
        session = Session(max_length=30)
        await chat(session, *"abcdef")
        shown = await session.history()
        assert texts(shown) == ["ask e", "say e", "ask f", "say f"]
        assert messages_tokens(shown, count_tokens) <= 30
        assert len(await session.turns()) == 12

    async def test_never_parts_a_call_from_its_results(self):
        session = Session(max_length=60)
        await session.add({"role": "user", "content": "look it up"})
        for number in range(6):
            await session.add(call(f"c{number}"), result(f"c{number}"))
        shown = await session.history()
        assert 2 <= len(shown) < 13
        assert shown[0].tool_calls
        assert [each.role for each in shown] == ["assistant", "tool"] * (len(shown) // 2)

    async def test_shows_the_newest_unit_where_nothing_fits(self):
        session = Session(max_length=1)
        await chat(session, "a", "b")
        assert texts(await session.history()) == ["say b"]
        await session.add(call("c"), result("c", "long " * 50))
        assert [each.role for each in await session.history()] == ["assistant", "tool"]

    async def test_of_nothing_is_nothing(self):
        assert await Session(max_length=10).history() == ()

    @pytest.mark.parametrize("length", [0, -1, True, 2.5, "many"])
    async def test_out_of_range_is_refused(self, length):
        with pytest.raises(ConfigError, match="max_length"):
            Session(max_length=length)


@pytest.mark.parametrize(
    ("given", "helps"), [({"scope": "ann"}, r"Scope\(user="), ({"store": "a.db"}, "SessionStore")]
)
async def test_a_name_in_the_place_of_a_scope_or_store_is_refused_with_what_to_give(given, helps):
    with pytest.raises(ConfigError, match=helps):
        Session(**given)


class TestTurn:
    async def test_makes_runs_on_one_session_go_one_after_the_other(self):
        """Case 80: also through two objects of the same session."""
        store = MemoryStore()
        sessions = [Session("s", store=store), Session("s", store=store)]

        async def run(session: Session, name: str) -> None:
            async with session.turn():
                before = len(await session.history())
                await session.add(Message(f"ask {name}"))
                await anyio.lowlevel.checkpoint()
                await session.add(Message(f"say {name} after {before}", "assistant"))

        async with anyio.create_task_group() as group:
            for index in range(6):
                group.start_soon(run, sessions[index % 2], str(index))
        said = texts(await sessions[0].turns())
        names = [text.removeprefix("ask ") for text in said[::2]]
        assert sorted(names) == [str(index) for index in range(6)]
        assert said[1::2] == [f"say {name} after {2 * at}" for at, name in enumerate(names)]

    async def test_of_another_session_does_not_wait(self):
        store = MemoryStore()
        async with Session("a", store=store).turn(), Session("b", store=store).turn():
            pass
        async with Session("a").turn(), Session("a").turn():
            pass

    async def test_keeps_the_store_for_which_another_must_not_be_taken(self):
        store = MemoryStore()
        known = weakref.ref(store)
        turn = Session("a", store=store).turn()
        del store
        gc.collect()
        async with turn:
            assert known() is not None

    async def test_asked_for_inside_itself_is_refused_instead_of_waiting_for_ever(self):
        session = Session()
        async with session.turn():
            with pytest.raises(SessionError, match="a session of its own"):
                async with session.turn():
                    pass
        async with session.turn():
            pass

    async def test_that_is_cancelled_while_it_waits_leaves_the_others_in_order(self):
        session = Session()
        order = []

        async def run(name: str) -> None:
            async with session.turn():
                order.append(name)

        async with anyio.create_task_group() as group, session.turn():
            waiting = anyio.CancelScope()

            async def cancelled() -> None:
                with waiting:
                    await run("cancelled")

            # Begun by a task that holds nothing itself.
            group.start_soon(outside, cancelled)
            group.start_soon(outside, run, "next")
            await anyio.wait_all_tasks_blocked()
            waiting.cancel()
        assert order == ["next"]

    async def test_ends_with_an_error_as_well(self):
        session = Session()
        with pytest.raises(ZeroDivisionError):
            async with session.turn():
                raise ZeroDivisionError
        with anyio.fail_after(5):
            async with session.turn():
                pass

    async def test_left_open_by_a_stream_is_free_again_once_the_stream_is_closed(self):
        session = Session()

        async def stream():
            async with session.turn():
                yield 1
                yield 2

        opened = stream()
        assert await anext(opened) == 1
        async with anyio.create_task_group() as group:
            group.start_soon(opened.aclose)
        with anyio.fail_after(5):
            async with session.turn():
                pass

    async def test_leaves_nothing_behind(self):
        from agentmaker.memory import exclusive

        async with Session().turn():
            assert exclusive._gates
        assert not exclusive._gates


async def outside(function, *args) -> None:
    """Call *function* in a context that knows of no turn held."""
    from agentmaker.memory import exclusive

    exclusive._held.set(())
    await function(*args)


def test_runs_on_two_event_loops_neither_wait_for_each_other_nor_lose_a_turn():
    from threading import Barrier, Thread

    store, together = MemoryStore(), Barrier(2)

    def on_a_loop_of_its_own(backend: str) -> None:
        async def run() -> None:
            session = Session("s", store=store)
            async with session.turn():
                await anyio.to_thread.run_sync(together.wait)
                for number in range(20):
                    await session.add(Message(f"{backend} {number}"), Message("ok", "assistant"))

        anyio.run(run, backend=backend)

    threads = [Thread(target=on_a_loop_of_its_own, args=(each,)) for each in ("asyncio", "trio")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)

    said = texts(anyio.run(Session("s", store=store).turns))
    assert len(said) == 80
    assert said[1::2] == ["ok"] * 40
    for backend in ("asyncio", "trio"):
        mine = [text for text in said if text.startswith(backend)]
        assert mine == [f"{backend} {number}" for number in range(20)]


async def test_what_is_logged_of_a_failing_resize_holds_no_content(caplog):
    def fail(full, window, memo):
        raise ValueError(json.dumps([message.text for message in full]))

    session = Session(resize=fail)
    with caplog.at_level(logging.DEBUG):
        await session.add(Message("my password is swordfish"))
    assert [record.getMessage() for record in caplog.records if record.name == "agentmaker"] == [
        "a session's resize failed, the session stays as it is: ValueError"
    ]
    assert "swordfish" not in caplog.text
