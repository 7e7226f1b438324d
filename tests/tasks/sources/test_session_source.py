from __future__ import annotations

import pytest

from agentmaker.errors import ConfigError
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.session import Session
from agentmaker.scope import Scope
from agentmaker.tasks.source import Changing, TaskSource, Unreadable
from agentmaker.tasks.sources.session import SessionSource

pytestmark = pytest.mark.anyio


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


class CountingStore(MemoryStore):
    """Remembers how many turns were read."""

    read = 0

    async def turns(self, session: Scope, start: int = 0):
        turns = await super().turns(session, start)
        self.read += len(turns)
        return turns


async def test_what_the_user_said_is_one_thing_with_what_answers_it(told) -> None:
    session = Session("s")
    await session.add(user("Where is it?"), answer("Here."), user("Why?"))
    source = SessionSource(session)
    assert isinstance(source, TaskSource)
    assert isinstance(source, Changing)
    found = (await told(source)).descriptors
    assert [*found] == ["1", "2"]
    assert (found["1"].role, found["1"].title) == ("turn", "Where is it?")
    assert found["1"].summary == "assistant: Here."
    content = await source.read("1")
    assert content.text == "user: Where is it?\nassistant: Here."
    assert (content.revision, content.total) == (found["1"].revision, found["1"].size)
    assert (await source.read("1", start=6, limit=5)).text == "Where"


async def test_tool_calls_are_shown_and_results_stay_with_them(told) -> None:
    session = Session("s")
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
    await session.add(
        user("Look."),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "found"},
        answer("Done."),
    )
    assert (await SessionSource(session).read("1")).text == (
        'user: Look.\nassistant: look({"a": 1})\ntool: found\nassistant: Done.'
    )


async def test_of_a_session_that_grew_only_the_end_is_read(told) -> None:
    store = CountingStore()
    session = Session("s", store=store)
    for number in range(50):
        await session.add(user(f"q{number}"), answer(f"a{number}"))
    source = SessionSource(session)
    known = (await told(source)).descriptors
    await session.add(user("more"))
    store.read = 0
    assert [each.ref for each in (await source.changes(known)).descriptors] == ["51"]
    await session.add(answer("so"))
    changes = await source.changes(known)
    assert [each.ref for each in changes.descriptors] == ["51"]
    assert (await source.read("51")).text == "user: more\nassistant: so"
    assert store.read <= 12


@pytest.mark.parametrize("again", [[], ["hi"], ["hi", "hi"], ["other", "hi"], ["hi", "hi", "x"]])
async def test_a_session_that_was_cleared_is_read_anew(told, again) -> None:
    session = Session("s")
    await session.add(user("hello"), user("hi"))
    source = SessionSource(session)
    known = (await told(source)).descriptors
    await session.clear()
    await session.add(*map(user, again))
    changes = await source.changes(known)
    assert len(changes.gone) == max(0, 2 - len(again))
    texts = [(await source.read(str(at + 1))).text for at in range(len(again))]
    assert texts == [f"user: {text}" for text in again]


@pytest.mark.parametrize("ref", ["0", "3", "-1", "01", "1 ", "", "x", "²"])
async def test_a_number_without_an_exchange_is_unreadable(ref) -> None:
    session = Session("s")
    await session.add(user("hello"), user("hi"))
    with pytest.raises(Unreadable):
        await SessionSource(session).read(ref)


async def test_half_a_character_and_an_empty_turn_do_no_harm(told) -> None:
    session = Session("s")
    await session.add(user("a\ud83d"), answer(""), user(""))
    found = (await told(SessionSource(session))).descriptors
    assert [each.size for each in found.values()] == [8, 0]
    assert (await SessionSource(session).read("1")).text == "user: a?"


async def test_an_id_is_of_the_session(told) -> None:
    one, two = Session("s", scope=Scope(user="u")), Session("s", scope=Scope(user="v"))
    assert SessionSource(one).id == SessionSource(Session("s", scope=Scope(user="u"))).id
    assert SessionSource(one).id != SessionSource(two).id
    assert SessionSource(one, id="mine").id == "mine"
    assert repr(SessionSource(one)) == "SessionSource('s')"


async def test_what_is_no_session_is_refused() -> None:
    with pytest.raises(ConfigError, match="Session"):
        SessionSource("s")
