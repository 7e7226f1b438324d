from __future__ import annotations

import copy

import pytest

from agentmaker.context.reducers import reduce_reflection, tokens_of
from agentmaker.errors import ConfigError, ContextWindowExceeded

MARK = "[Past Critique Points]"
ENTRIES = [
    {"kind": "draft", "text": "first draft " * 40},
    {"kind": "critique", "text": "- The claim in line 12 has no source.\n- Too long."},
    {"kind": "refine", "text": "second draft " * 40},
    {"kind": "critique", "text": "1. too long!\n2. The tone is off.\n\nGood work otherwise."},
    {"kind": "refine", "text": "third draft " * 10},
]

pytestmark = pytest.mark.anyio


async def never(text, instruction):
    raise AssertionError("nobody should be asked")


def tokens(entries):
    return tokens_of(*(entry["text"] for entry in entries))


async def test_under_the_budget_the_same_object_comes_back():
    budget = tokens(ENTRIES)
    assert await reduce_reflection(ENTRIES, summarize=never, budget=budget) is ENTRIES


async def test_the_newest_answer_and_each_point_once_stay_without_asking_anyone():
    before = copy.deepcopy(ENTRIES)
    reduced = await reduce_reflection(ENTRIES, summarize=never, budget=100)
    assert reduced == [
        {
            "kind": "critique",
            "text": f"{MARK}\n"
            "- The claim in line 12 has no source.\n"
            "- too long!\n"
            "- The tone is off.\n"
            "- Good work otherwise.",
        },
        ENTRIES[-1],
    ]
    assert reduced[1] is ENTRIES[-1]
    assert before == ENTRIES


async def test_an_earlier_list_is_taken_up():
    once = await reduce_reflection(ENTRIES, summarize=never, budget=100)
    more = [{"kind": "critique", "text": "Add a date."}, {"kind": "refine", "text": "x " * 150}]
    twice = await reduce_reflection([*once, *more], summarize=never, budget=130)
    assert twice[0]["text"].splitlines()[1:] == [
        *once[0]["text"].splitlines()[1:],
        "- Add a date.",
    ]


async def test_a_critique_of_the_newest_answer_is_kept_too():
    entries = [*ENTRIES, {"kind": "critique", "text": "Wrong year: 1999."}]
    points, answer = await reduce_reflection(entries, summarize=never, budget=100)
    assert "- Wrong year: 1999." in points["text"]
    assert answer is ENTRIES[-1]


async def test_points_that_do_not_fit_are_summarised():
    async def summarize(text, instruction):
        assert "points of criticism" in instruction
        return "Sources are missing throughout."

    critique = {"kind": "critique", "text": "\n".join(f"- point {i} is weak" for i in range(80))}
    reduced = await reduce_reflection([critique, ENTRIES[-1]], summarize=summarize, budget=80)
    assert reduced[0]["text"].startswith(f"{MARK}\nSources are missing throughout.")
    assert tokens(reduced) <= 80


async def test_points_that_do_not_fit_are_extracted_without_a_summariser():
    critique = {"kind": "critique", "text": "\n".join(f"- point {i} is weak" for i in range(80))}
    reduced = await reduce_reflection([critique, ENTRIES[-1]], summarize=None, budget=80)
    assert "point 79 is weak" in reduced[0]["text"]
    assert 70 <= tokens(reduced) <= 80


async def test_a_newest_answer_that_does_not_fit_is_not_cut():
    with pytest.raises(ContextWindowExceeded) as caught:
        await reduce_reflection(ENTRIES, summarize=never, budget=20)
    assert caught.value.part == "the newest answer"


async def test_a_negative_budget_is_refused():
    with pytest.raises(ConfigError, match="budget"):
        await reduce_reflection(ENTRIES, summarize=never, budget=-1)
