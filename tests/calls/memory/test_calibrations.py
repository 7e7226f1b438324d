from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from agentmaker.calls.memory.calibrations import LOOK_BACK, Calibrations, Expected, Place
from agentmaker.messages import Message
from agentmaker.scope import Scope
from agentmaker.tokens.calibrated import Count, Scale, Schemas

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
ALICE, BOB = Scope(user="alice"), Scope(user="bob")


def prefixes(name: str, length: int) -> list[bytes]:
    """Digests of the beginnings of a conversation."""
    return [f"{name}{nth}".encode() for nth in range(length + 1)]


@dataclass
class Talking:
    """One conversation that grows, and a server that counts it by a rule of its own."""

    known: Calibrations = field(default_factory=Calibrations)
    name: str = "talk"
    model: str = "m"
    scope: Scope | None = ALICE

    def expected(self, text: int, length: int, tools: int = 0, *, guessed: bool = False):
        scale = self.scale(length, tools)
        count = Count(text=text, tools=tools)
        return Expected(
            place=Place(self.model, self.scope, prefixes(self.name, length)[-1]),
            scale=scale,
            count=count,
            digest=tools,
            conversation=[Message([PICTURE] if guessed else "text")] * length,
            tokens=scale.estimate(count),
        )

    def scale(self, length: int, tools: int = 0) -> Scale:
        digests = prefixes(self.name, length)
        return self.known.scale(self.model, self.scope, digests, Schemas(tools, tools), tools)

    def says(self, text: int, length: int, reported: int, tools: int = 0, **given) -> bool:
        return self.known.learn(self.expected(text, length, tools, **given), reported)


def test_nothing_is_known_of_a_model_that_was_never_asked():
    assert Talking().scale(4).samples == 0


def test_the_next_request_of_a_conversation_goes_on_from_the_last_count():
    talk = Talking()
    assert talk.says(1_000, 2, 1_150)
    assert talk.expected(1_000, 4).tokens == 1_150
    assert talk.expected(1_200, 4).tokens == pytest.approx(1_380, abs=5)


def test_another_conversation_has_the_rate_and_not_the_sample():
    talk = Talking()
    talk.says(1_000, 2, 1_150)
    other = Talking(talk.known, "other")
    assert other.scale(2).sample is None
    assert other.expected(2_000, 2).tokens == pytest.approx(2_300, abs=20)


def test_a_sample_belongs_to_its_scope_and_its_model():
    talk = Talking()
    talk.says(1_000, 2, 1_150)
    assert Talking(talk.known, scope=BOB).scale(4).sample is None
    assert Talking(talk.known, model="another").scale(4).samples == 0


@pytest.mark.parametrize("reported", [499, 2_001])
def test_a_count_outside_the_bounds_teaches_nothing(reported: int):
    talk = Talking()
    assert not talk.says(1_000, 2, reported)
    assert talk.scale(4).samples == 0


@pytest.mark.parametrize(
    ("reported", "cached", "teaches"),
    [(1_000, 0, True), (1_000, 900, True), (600, 700, False), (600, 400, False), (900, 0, True)],
)
def test_usage_that_leaves_out_cached_tokens_teaches_nothing(
    reported: int, cached: int, teaches: bool
):
    talk = Talking()
    assert talk.known.learn(talk.expected(1_000, 2), reported, cached) is teaches


def test_a_server_that_cuts_in_silence_teaches_nothing_more():
    talk = Talking()
    talk.says(4_000, 2, 4_096)
    for nth in range(1, 9):
        assert not talk.says(4_000 + 300 * nth, 2 + 2 * nth, 4_096)
    assert talk.expected(6_700, 20).tokens == pytest.approx(6_796, rel=0.02)


@pytest.mark.parametrize("others", [0, 900])
def test_a_server_that_cuts_in_silence_teaches_no_more_where_tools_come_and_go(others: int):
    talk = Talking()
    for nth in range(20):
        text, tools = 1_000 + 300 * nth, (300, others)[nth % 2]
        talk.says(text, 2 + 2 * nth, min(4_096, text + tools), tools)
    assert talk.expected(7_000, 42, 300).tokens == pytest.approx(7_300, rel=0.1)


def test_a_count_that_fell_for_good_is_believed_the_second_time():
    talk = Talking()
    talk.says(4_000, 2, 5_000)
    assert not talk.says(4_300, 4, 4_300)
    assert talk.says(4_600, 6, 4_600)
    assert talk.expected(4_600, 6).tokens == 4_600


def test_so_is_one_that_comes_to_what_the_model_counts_at_once():
    talk = Talking()
    talk.says(4_000, 2, 5_000)
    other = Talking(talk.known, "other")
    for nth in range(8):
        other.says(2_000 + 500 * nth, 2 + 2 * nth, 2_000 + 500 * nth)
    assert talk.says(4_300, 4, 4_300)


def test_schemas_are_known_once_they_were_there_and_gone():
    talk = Talking()
    talk.says(1_000, 2, 1_000)
    talk.says(1_000, 4, 1_000 + 1_500, tools=1_000)
    assert talk.scale(6).tools.tokens == 0
    assert talk.expected(1_000, 6).tokens == 1_000
    assert Talking(talk.known, "other").expected(3_000, 2, tools=1_000).tokens == 4_500


def test_other_schemas_of_the_same_server_are_taken_to_be_alike():
    talk = Talking()
    talk.says(1_000, 2, 1_000)
    talk.says(1_000, 4, 1_000 + 1_500, tools=1_000)
    assert talk.scale(6, tools=2_000).tools.tokens == pytest.approx(3_000, rel=0.05)


def test_tools_that_come_and_go_leave_the_rate_of_texts():
    talk = Talking()
    for nth in range(1, 20):
        tools = 1_000 * (nth % 2)
        talk.says(200 * nth, 2 * nth, round(220 * nth + 1.4 * tools), tools=tools)
    assert talk.scale(40).rates.text.value == pytest.approx(1.1, abs=0.02)
    assert talk.scale(40, tools=1_000).tools.tokens == pytest.approx(1_400, abs=40)


def test_schemas_that_are_known_learn_nothing_from_what_was_taken_away():
    talk = Talking()
    talk.says(1_000, 2, 1_000)
    talk.says(1_000, 4, 1_000 + 1_500, tools=1_000)
    before = talk.scale(4)
    assert talk.says(500, 6, 900)
    assert talk.scale(8, tools=1_000).tools.tokens == 1_500
    assert talk.scale(8).rates == before.rates


def test_pictures_teach_their_own_conversation_only():
    talk = Talking()
    assert talk.says(1_000, 2, 1_700, guessed=True)
    assert talk.expected(1_000, 4).tokens == 1_700
    assert Talking(talk.known, "other").expected(1_000, 2).tokens == 1_000


def test_less_is_planned_by_only_after_several_agreeing_samples():
    talk = Talking()
    for nth in range(1, 4):
        assert talk.scale(2 * nth).cautious == 1.0
        talk.says(1_000 * nth, 2 * nth, 600 * nth)
    assert talk.scale(8).cautious == pytest.approx(0.6)


def test_more_is_planned_by_at_once():
    talk = Talking()
    talk.says(1_000, 2, 1_300)
    assert talk.scale(4).cautious == pytest.approx(1.3)


def test_calls_of_one_conversation_at_once_each_teach_what_they_sent():
    talk = Talking()
    talk.says(1_000, 2, 1_100)
    one, other = talk.expected(1_200, 4), talk.expected(1_400, 4)
    assert talk.known.learn(one, 1_320)
    assert talk.known.learn(other, 1_540)
    assert talk.scale(6).rates.text.value == pytest.approx(1.1, abs=0.01)


def test_a_conversation_is_looked_for_among_its_last_messages():
    talk = Talking()
    talk.says(1_000, 2, 1_150)
    assert talk.scale(1 + LOOK_BACK).sample is not None
    assert talk.scale(2 + LOOK_BACK).sample is None


def test_whoever_goes_back_in_a_conversation_has_the_rates_and_not_the_sample():
    talk = Talking()
    talk.says(1_000, 2, 1_150)
    talk.says(1_200, 4, 1_380)
    assert talk.scale(4).sample is not None
    assert talk.scale(3).sample is None
    assert talk.expected(2_000, 2).tokens == pytest.approx(2_300, abs=20)


def test_memory_is_bounded():
    known = Calibrations(maximum=10)
    for nth in range(100):
        Talking(known, f"talk{nth}", f"m{nth}").says(1_000, 2, 1_100, tools=nth + 1)
    held = (known._known, known._schemas, known._samples)
    assert [len(each) for each in held] == [10, 10, 10]


def test_what_is_forgotten_is_gone_though_a_count_was_doubted_behind_it():
    talk = Talking()
    talk.says(1_000, 2, 1_150)
    assert not talk.says(2_000, 4, 1_150)  # cut in silence
    assert talk.scale(6).sample is not None
    digests = prefixes(talk.name, 6)
    assert talk.known.forget_unsure(talk.model, talk.scope, digests)
    assert not talk.known.forget_unsure(talk.model, talk.scope, digests)
    assert talk.scale(6) == Talking().scale(6)
