from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker.calls.forms.adaptations import Adaptations
from agentmaker.calls.forms.dialects import DEFAULT, DIALECTS, Dialect
from agentmaker.calls.memory.conversations import Conversations
from agentmaker.calls.memory.laid import Layouts, Manner
from agentmaker.calls.memory.written import encoded, writings
from agentmaker.calls.window import Window
from agentmaker.calls.wire import to_wire
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.tokens import count_tokens
from tests.calls.talk import assistant, calls, result, system, user

pytestmark = pytest.mark.anyio

pieces = st.one_of(
    st.sampled_from(["x", "", "long " * 20]).map(lambda text: [user(text)]),
    st.sampled_from(["x", "", None]).map(lambda text: [assistant(text)]),
    st.sampled_from(["a", "b", ""]).map(lambda id: [calls(id), result(id)]),
    st.just([calls("a", "b"), result("b"), result("a", ""), user("a picture")]),
    st.sampled_from(["a", "b"]).map(lambda id: [calls(id)]),
    st.sampled_from(["a", "b"]).map(lambda id: [result(id)]),
    st.just([system("in between")]),
)
talks = st.lists(pieces, min_size=1, max_size=8).map(
    lambda found: [each for piece in found for each in piece]
)
dialects = st.sampled_from(list(DIALECTS.values()))
notes = st.sampled_from([{}, {"recap": "before"}, {"recap": "r", "progress": "p"}, {"block": "b"}])


def manner(dialect: Dialect = DEFAULT) -> Manner:
    return Manner(dialect, DEFAULT_PROMPTS, count_tokens)


class Talk:
    """Windows of a conversation that grows, as the engine makes them."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.conversations = Conversations()
        self.adaptations = Adaptations()

    def window(self, given: list[Any], **notes: Any) -> Window:
        read = self.conversations.read(given, DEFAULT_PROMPTS)
        window = Window.from_messages(read.messages)
        window = self.adaptations.of(window, self.dialect, DEFAULT_PROMPTS)
        return replace(window, **notes)


@settings(max_examples=300)
@given(talks, dialects, st.lists(notes, min_size=12, max_size=12), st.booleans())
async def test_a_window_that_grows_is_laid_out_as_it_would_be_at_once(
    talk: list[Any], dialect: Dialect, noted: list[Any], leads: bool
) -> None:
    layouts, talks = Layouts(writings()), Talk(dialect)
    given = [*([system()] if leads else []), *talk]
    for end in range(1, len(given) + 1):
        window = talks.window(given[:end], **noted[end % len(noted)])
        laid, _ = await layouts.lay_out(window, manner(dialect))
        wire = to_wire(window, dialect, DEFAULT_PROMPTS)
        assert list(laid.messages) == wire.messages
        assert laid.defects == wire.defects
        at_once, _ = await Layouts(writings()).lay_out(window, manner(dialect))
        assert laid == at_once
        assert laid.json == tuple(encoded(each).encode() for each in wire.messages)


async def test_what_is_settled_is_not_counted_again() -> None:
    counted: list[str] = []

    def counter(text: str) -> int:
        counted.append(text)
        return len(text)

    layouts, talks = Layouts(writings()), Talk(DEFAULT)
    given = [system(), *(part for nth in range(50) for part in (user(f"q{nth}"), assistant()))]
    manner = Manner(DEFAULT, DEFAULT_PROMPTS, counter)
    await layouts.lay_out(talks.window([*given, user("q50")]), manner)
    counted.clear()
    await layouts.lay_out(
        talks.window([*given, user("q50"), assistant("a50"), user("q51")]), manner
    )
    assert counted == ["q50", "a50", "q51"]


async def test_nor_are_the_steps_of_a_turn() -> None:
    counted: list[str] = []

    def counter(text: str) -> int:
        counted.append(text)
        return len(text)

    layouts, talks, given = Layouts(writings()), Talk(DEFAULT), [user("q")]
    manner = Manner(DEFAULT, DEFAULT_PROMPTS, counter)
    for nth in range(20):
        given += [calls(f"c{nth}"), result(f"c{nth}", f"seen {nth}")]
        counted.clear()
        await layouts.lay_out(talks.window(given), manner)
    assert [text for text in counted if text.startswith("seen")] == ["seen 19"]


async def test_a_window_that_leaves_again_is_not_laid_out_again() -> None:
    layouts, talks = Layouts(writings()), Talk(DEFAULT)
    window = talks.window([user("q"), calls("c"), result("c", "seen")])
    laid, settled = await layouts.lay_out(window, manner())
    again, still = await layouts.lay_out(window, manner())
    assert again is laid
    assert still is settled


async def test_results_that_come_later_belong_to_their_calls() -> None:
    layouts, talks, given = Layouts(writings()), Talk(DEFAULT), [user("q"), calls("a", "b")]
    for later in (result("a"), result("b"), user("a picture")):
        given.append(later)
        window = talks.window(given)
        laid, _ = await layouts.lay_out(window, manner())
        at_once, _ = await Layouts(writings()).lay_out(window, manner())
        assert laid == at_once


async def test_huge_windows_cannot_fill_the_memory() -> None:
    layouts, talks = Layouts(writings()), Talk(DEFAULT)
    layouts._known.most_characters = 1_000_000
    for nth in range(20):
        given = [user(f"{nth}" + "x" * 200_000), assistant(), user("and?")]
        await layouts.lay_out(talks.window(given), manner())
    assert len(layouts._known) <= 5
