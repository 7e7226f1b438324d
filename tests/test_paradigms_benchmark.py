"""What bench_paradigms makes up and counts is what it says."""

from __future__ import annotations

import anyio
import pytest

from benchmarks import bench_paradigms
from benchmarks.bench_paradigms import Planner, Writer, beside, statuses
from benchmarks.independent import tokens
from benchmarks.reports import errands, figures, review

SHOWN = "1. to 2. [done]\n3. [failed] Look\n   [12 EUR, PO-7]\n4. [to do] Pay 5 EUR\n"


def test_figures_are_the_words_with_a_digit():
    assert figures("It [was 1,250.50 EUR, on 2024-05-03].") == ["1,250.50", "2024-05-03"]


def test_statuses_are_read_from_lines_of_one_step_and_of_several():
    assert statuses(SHOWN) == {1: "done", 2: "done", 3: "failed", 4: "to do"}


def test_figures_belong_to_the_step_they_stand_under():
    assert beside(SHOWN) == {1: set(), 3: {"12", "PO-7"}, 4: {"5"}}


def test_reports_and_points_are_as_many_and_as_long_as_the_page_says():
    work, judged = errands(60), review(40)
    sizes = [tokens(each) for at, each in enumerate(work.reports, 1) if at != work.fails]

    assert (len(work.steps), len(work.reports), len(judged.critiques)) == (60, 60, 40)
    assert 60 <= min(sizes) <= max(sizes) <= 200
    assert len(judged.points) < sum(map(len, judged.critiques))


def test_a_status_that_is_missing_or_wrong_is_found():
    planner = Planner(errands(4))
    asked = "1. [failed] a\n2. [done] b\n3. [done] c\n4. [to do] d\n\nCarry out step 4 of the plan"

    assert planner.keeps(asked)
    assert not planner.keeps(asked.replace("2. [done]", "2. [to do]"))
    assert not planner.keeps(asked.replace("3. [done] c\n", ""))


def test_a_point_that_is_missing_is_found():
    work = review(3)
    said = "\n".join(("Write anew", work.answers[0], *work.critiques[0]))
    draft, critique = "Question?", "Criticise, or say GOOD ENOUGH: " + work.answers[0]

    assert Writer(work).kept_by([draft, critique, said]) == 3
    assert Writer(work).kept_by([draft, critique, said.replace(work.critiques[0][0], "")]) == 2


@pytest.mark.parametrize("steps", [6])
def test_a_short_run_is_measured(steps):
    report = anyio.run(bench_paradigms.measured, steps, 4)

    assert [row[0] for row in report.tables[0].rows] == [
        "6 steps, no summariser",
        "6 steps, a poor summariser",
        "4 rounds",
    ]
    assert report.met
