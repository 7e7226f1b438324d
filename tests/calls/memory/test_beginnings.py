from __future__ import annotations

import threading
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.memory.beginnings import Beginnings, begin_with
from agentmaker.messages import Message, read_messages
from tests.calls.talk import user

talks = st.lists(st.text("ab", min_size=1, max_size=6), max_size=25)


def last_of(talk: str) -> Callable[[int], str]:
    return lambda count: talk[count - 1]


def find(known: Beginnings[str], talk: str) -> str | None:
    return known.longest(len(talk), last_of(talk), talk.startswith)


@given(talks, st.text("ab", max_size=8))
def test_the_longest_known_beginning_is_found(known_talks: list[str], talk: str) -> None:
    known: Beginnings[str] = Beginnings(100)
    for each in known_talks:
        known.put(each, len(each), last_of(each))
    fitting = [each for each in known_talks if talk.startswith(each)]
    assert find(known, talk) == max(fitting, key=len, default=None)
    assert len(known) == len(set(known_talks))


def test_one_that_goes_on_takes_the_place_of_its_beginning() -> None:
    known: Beginnings[str] = Beginnings(2)
    known.put("other", 5, last_of("other"))
    for end in range(1, 9):
        known.put("x" * end, end, last_of("x" * end), before="x" * (end - 1))
    assert len(known) == 2
    assert find(known, "other") == "other"
    assert find(known, "x" * 20) == "x" * 8
    assert find(known, "x" * 7) is None


def test_the_least_recently_used_is_forgotten_first() -> None:
    known: Beginnings[str] = Beginnings(2)
    for talk in ("a", "b"):
        known.put(talk, 1, last_of(talk))
    known.put("ac", 2, last_of("ac"), before=find(known, "ac"))
    known.put("d", 1, last_of("d"))
    assert [find(known, talk) for talk in ("ac", "b", "d")] == ["ac", None, "d"]


def test_long_ones_leave_room_for_few_but_the_newest_is_always_kept() -> None:
    known: Beginnings[str] = Beginnings(100, messages=10)
    for talk in ("aaaa", "bbbb", "cc", "dddd"):
        known.put(talk, len(talk), last_of(talk))
    assert [find(known, talk) for talk in ("aaaa", "bbbb", "cc", "dddd")] == [
        None,
        "bbbb",
        "cc",
        "dddd",
    ]
    known.put("e" * 50, 50, last_of("e" * 50))
    assert len(known) == 1
    assert find(known, "e" * 50) == "e" * 50


def test_large_ones_leave_room_for_few_but_the_newest_is_always_kept() -> None:
    known: Beginnings[str] = Beginnings(100, characters=10)
    for talk, characters in (("a", 4), ("b", 4), ("c", 2), ("d", 3)):
        known.put(talk, 1, last_of(talk), characters=characters)
    assert [find(known, talk) for talk in "abcd"] == [None, "b", "c", "d"]
    known.put("dd", 2, last_of("dd"), before="d", characters=4)
    assert [find(known, talk) for talk in ("b", "c", "dd")] == ["b", "c", "dd"]
    known.put("e", 1, last_of("e"), characters=50)
    assert [len(known), find(known, "e")] == [1, "e"]


def test_what_has_no_message_is_not_kept() -> None:
    known: Beginnings[str] = Beginnings(2)
    known.put("", 0, last_of(""))
    assert len(known) == 0


def test_threads_may_share_it() -> None:
    known: Beginnings[str] = Beginnings(5)
    faults: list[BaseException] = []

    def use(letter: str) -> None:
        try:
            for number in range(2_000):
                talk = letter * (number % 7 + 1)
                known.put(talk, len(talk), last_of(talk), before=find(known, talk))
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=use, args=(letter,)) for letter in "aabc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(known) <= 5


def test_messages_begin_with_known_ones_or_with_none() -> None:
    talk = tuple(read_messages([user("1"), user("2"), user("3")]))
    assert all(begin_with(talk, talk[:count]) for count in range(4))
    assert not begin_with(talk[:2], talk)
    assert not begin_with(talk, talk[1:])
    assert not begin_with(talk, tuple(read_messages([user("1"), user("other")])))


@given(st.lists(st.sampled_from("ab")), st.lists(st.sampled_from("ab")))
def test_messages_begin_with_those_that_are_equal_to_their_first(
    one: list[str], other: list[str]
) -> None:
    messages, known = tuple(map(Message, one)), tuple(map(Message, other))
    assert begin_with(messages, known) == (one[: len(other)] == other)
