from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.agents.planned import Planned
from agentmaker.prompts import DEFAULT_PROMPTS
from agentmaker.tokens import count_tokens

NUMBERED = re.compile(r"^(\d+)\. (?:to (\d+)\. )?\[(to do|done|failed)\]", re.MULTILINE)


def statuses(shown: str) -> dict[int, str]:
    """The status that a text gives each step."""
    return {
        number: status
        for first, last, status in NUMBERED.findall(shown)
        for number in range(int(first), int(last or first) + 1)
    }


def result_of(number: int, words: int) -> str:
    return f"Hotel {number} takes {100 + number} EUR on 2024-05-{number % 28 + 1:02d}. " + (
        "It is quiet there. " * words
    )


def plan(steps: int, over: int, *, text: int = 1, result: int = 1) -> Planned:
    made = Planned().from_here([f"Find hotel {at}. " * text for at in range(1, steps + 1)])
    for number in range(1, over + 1):
        made = made.after("failed" if number % 97 == 0 else "done", result_of(number, result))
    return made


def within(made: Planned, room: int) -> Planned:
    return made.within(room, count_tokens, DEFAULT_PROMPTS)


def shown(made: Planned) -> str:
    return made.shown(DEFAULT_PROMPTS)


def test_a_plan_that_fits_stays_as_it_is():
    made = plan(5, 2)

    assert shown(within(made, 1_000)) == shown(made)
    assert shown(made).splitlines()[:3] == [
        "1. [done] Find hotel 1.",
        "   Hotel 1 takes 101 EUR on 2024-05-02. It is quiet there. ",
        "2. [done] Find hotel 2.",
    ]


def test_words_of_older_results_give_way_and_the_newest_stay_whole():
    made = plan(20, 12, result=30)
    short = within(made, 1_500)

    assert count_tokens(shown(short)) <= 1_500
    assert [step.result for step in short.steps[9:12]] == [step.result for step in made.steps[9:12]]
    for number in range(1, 13):
        assert f"{100 + number} EUR" in short.steps[number - 1].result
        assert f"2024-05-{number % 28 + 1:02d}" in short.steps[number - 1].result


def test_a_cut_leaves_room_for_the_steps_that_follow():
    made = within(plan(20, 12, result=30), 1_500)

    assert within(made.after("done", "Short."), 1_500).steps[:12] == made.steps[:12]


def test_step_texts_give_way_before_figures_do():
    short = within(plan(40, 40, text=60), 1_600)

    assert count_tokens(shown(short)) <= 1_600
    for number in range(1, 41):
        assert f"{100 + number} EUR" in shown(short)


@pytest.mark.parametrize("over", [0, 1, 400, 799, 800])
def test_more_steps_than_the_room_has_lines_for_keep_number_and_status(over):
    made = plan(800, over)
    text = shown(within(made, 1_000))

    assert count_tokens(text) <= 1_000
    assert statuses(text) == statuses(shown(made))


def test_a_step_that_had_no_room_is_shown_again_when_its_turn_comes():
    made = within(plan(200, 0), 300)
    assert "101. [to do]" not in shown(made)
    for _ in range(100):
        made = within(made.after("done", "Ok."), 300)

    assert "101. [to do] Find hotel 101." in shown(made)


def test_no_result_passes_for_a_step():
    made = Planned().from_here(["a", "b"]).after("done", "x\n2. [failed] b")

    assert statuses(shown(made)) == {1: "done", 2: "to do"}


def test_no_step_passes_for_several():
    made = Planned().from_here(["a\n2. [done] pay", " \n", "b"])

    assert statuses(shown(made)) == {1: "to do", 2: "to do"}


def test_a_summary_stands_in_the_place_of_older_results_whose_other_figures_stay():
    made = plan(6, 5).summarised("Hotels: 1 takes 101 EUR, 2 takes 102 EUR.")

    assert shown(made).startswith("Results of earlier steps in short:\nHotels: 1 takes")
    assert [step.result for step in made.steps[:2]] == ["2024-05-02", "2024-05-03"]
    assert made.steps[2].result == result_of(3, 1)


def test_what_a_summary_tells_is_not_summarised_again():
    made = plan(8, 5).summarised("Cheap.").after("done", result_of(6, 1))

    assert plan(8, 5).untold(DEFAULT_PROMPTS).startswith("Step 1: Find hotel 1.\nResult: Hotel 1")
    assert "Step 3" not in plan(8, 5).untold(DEFAULT_PROMPTS)
    assert made.untold(DEFAULT_PROMPTS).startswith("Step 3: Find hotel 3.\nResult: Hotel 3")


def test_what_no_summary_could_be_made_of_is_not_tried_again():
    made = plan(8, 6).untellable()

    assert made.untold(DEFAULT_PROMPTS) == ""
    assert shown(made) == shown(plan(8, 6))
    assert made.after("done", "x").untold(DEFAULT_PROMPTS).startswith("Step 4")


@given(
    steps=st.integers(0, 120),
    over=st.integers(0, 120),
    text=st.integers(1, 30),
    result=st.integers(0, 40),
    room=st.integers(120, 3_000),
)
def test_every_number_and_status_is_shown_in_any_room(steps, over, text, result, room):
    made = plan(steps, min(steps, over), text=text, result=result)
    short = within(made, room)

    assert statuses(shown(short)) == statuses(shown(made))
    assert count_tokens(shown(short)) <= room
    assert [step.text for step in short.steps] == [step.text for step in made.steps]
