from __future__ import annotations

from dataclasses import astuple
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentmaker.calls.memory.measured import Measured, Measurements
from agentmaker.messages import Message, joined_units, read_messages
from agentmaker.tokens import count_tokens
from tests.calls.talk import assistant, calls, result, user

SYSTEM = (Message("You help.", "system"),)

turns = st.lists(
    st.one_of(
        st.text(max_size=30).map(lambda text: [user(text)]),
        st.text(max_size=30).map(lambda text: [assistant(text)]),
        st.text(max_size=30).map(lambda text: [calls("c"), result("c", text), user("picture")]),
    ),
    min_size=1,
    max_size=12,
).map(lambda found: [each for turn in found for each in turn])


def alone(messages: tuple[Message, ...]) -> Measured:
    return Measurements().of(SYSTEM, messages, count_tokens)


@given(turns)
def test_a_conversation_that_grows_is_measured_as_it_would_be_at_once(raw: list[Any]) -> None:
    messages, measurements = read_messages(raw), Measurements()
    for end in range(1, len(messages) + 1):
        grown = measurements.of(SYSTEM, messages[:end], count_tokens)
        assert astuple(grown) == astuple(alone(messages[:end]))
    assert list(grown.spans) == joined_units(messages)


def test_what_was_measured_before_is_not_counted_again() -> None:
    counted: list[str] = []

    def counter(text: str) -> int:
        counted.append(text)
        return len(text)

    messages = read_messages([user(f"number {index}") for index in range(50)])
    measurements = Measurements()
    measurements.of(SYSTEM, messages[:49], counter)
    counted.clear()
    measurements.of(SYSTEM, messages, counter)
    assert set(counted) == {"number 49"}


def test_another_system_prompt_or_counter_is_measured_by_itself() -> None:
    messages, measurements = read_messages([user("a longer text")]), Measurements()
    first = measurements.of(SYSTEM, messages, count_tokens)
    other = measurements.of((Message("Else.", "system"),), messages, count_tokens)
    assert other.digests != first.digests
    assert measurements.of(SYSTEM, messages, len).units != first.units


def test_a_message_that_took_the_place_of_another_is_measured_anew() -> None:
    measurements = Measurements()
    before = read_messages([user("a"), assistant("b"), user("c")])
    measurements.of(SYSTEM, before, count_tokens)
    changed = (before[0], Message("something longer", "assistant"), before[2])
    again = measurements.of(SYSTEM, changed, count_tokens)
    assert astuple(again) == astuple(alone(changed))


def test_the_memory_is_bounded() -> None:
    measurements = Measurements(maximum=3)
    for index in range(20):
        measurements.of(SYSTEM, read_messages([user(str(index))]), count_tokens)
    assert len(measurements._known) == 3
