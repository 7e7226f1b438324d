from __future__ import annotations

import math

import pytest

from agentmaker.context.folding import Folding, SummaryRefused, adrive, drive
from agentmaker.context.measure import FRAMING, REPLY_PRIMING
from agentmaker.errors import ConfigError
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.tokens import count_tokens

LONG = "\n".join(
    f"user: {'very ' * (i % 9)}long remarks that go on for a while" for i in range(2_000)
)


class Asked:
    """A summariser that keeps what it was asked."""

    def __init__(self, answer="In short, remarks."):
        self.answer = answer
        self.requests: list[tuple[str, str]] = []

    def __call__(self, text, instruction):
        self.requests.append((text, instruction))
        return self.answer


def test_a_text_is_summarised_in_one_request_when_no_window_is_known():
    asked = Asked()
    settled = drive(Folding(room=100).flow("user: hello"), asked)
    assert settled.text == "In short, remarks."
    assert asked.requests == [("user: hello", DEFAULT_PROMPTS.text("context.summary"))]


def test_an_earlier_recap_is_taken_up_with_the_instruction_to_merge():
    asked = Asked()
    drive(Folding(room=100).flow("user: hello", recap="They met."), asked)
    assert asked.requests == [
        ("[Recap] They met.\n\nuser: hello", DEFAULT_PROMPTS.text("context.summary_merge"))
    ]


def test_an_instruction_of_ones_own_replaces_the_built_in_ones():
    asked = Asked()
    drive(Folding(room=100, instruction="Sum up.").flow("x", recap="y"), asked)
    assert asked.requests[0][1] == "Sum up."


@pytest.mark.parametrize(("window", "room"), [(8_000, 1_000), (4_000, 1_000), (1_000, 1_000)])
def test_case_25_a_long_text_is_folded_in_pieces_that_fit_the_summarisers_window(window, room):
    asked = Asked("word " * 2_000)
    drive(Folding(room=room, window=window).flow(LONG), asked)
    recap = min(room, window // 4)
    sent = [
        count_tokens(text) + count_tokens(instruction) + 2 * FRAMING + REPLY_PRIMING
        for text, instruction in asked.requests
    ]
    assert max(sent) + recap < window
    largest = max(count_tokens(text) for text, _ in asked.requests) - recap
    assert len(asked.requests) <= math.ceil(count_tokens(LONG) / largest) + 1


def test_case_25_all_of_a_long_text_is_seen_in_order():
    asked = Asked()
    drive(Folding(room=200, window=2_000).flow(LONG), asked)
    prefix = f"[Recap] {asked.answer}\n\n"
    pieces = [text.removeprefix(prefix) for text, _ in asked.requests]
    assert len(pieces) > 10
    assert "".join(pieces) == LONG


def test_facts_survive_every_fold():
    text = f"user: my order is A-4711\n{LONG}"
    settled = drive(Folding(room=200, window=2_000).flow(text), Asked())
    assert "A-4711" in settled.text
    assert count_tokens(settled.text) <= 200


def test_a_window_without_room_for_text_is_refused():
    with pytest.raises(ConfigError, match="window of 300 tokens has no room"):
        drive(Folding(room=100, window=300).flow("x"), Asked())


@pytest.mark.parametrize("answer", ["", "  \n", None, 5])
def test_an_answer_that_says_nothing_is_refused(answer):
    with pytest.raises(SummaryRefused, match="empty"):
        drive(Folding(room=100).flow("x"), Asked(answer))


def test_nothing_to_summarise_makes_no_recap():
    with pytest.raises(SummaryRefused, match="empty"):
        drive(Folding(room=100).flow(""), Asked())


def test_an_answer_no_shorter_than_what_it_replaces_is_refused():
    flow = Folding(room=100).flow("x" * 40, replaced=10)
    with pytest.raises(SummaryRefused, match="no_saving"):
        drive(flow, Asked("y" * 40))


@pytest.mark.anyio
async def test_the_async_form_asks_the_same():
    asked, aasked = Asked(), Asked()

    async def ask(text, instruction):
        return aasked(text, instruction)

    folding = Folding(room=200, window=2_000)
    assert await adrive(folding.flow(LONG), ask) == drive(folding.flow(LONG), asked)
    assert aasked.requests == asked.requests
