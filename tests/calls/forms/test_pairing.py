from __future__ import annotations

from typing import Any

from agentmaker.calls.forms.pairing import Ids, batches
from agentmaker.messages import read_messages
from tests.calls.talk import calls, result, user


def answers(*messages: dict[str, Any]) -> dict[int, dict[int, int]]:
    return {at: dict(found.results) for at, found in batches(read_messages(messages)).items()}


def test_results_are_paired_whatever_order_they_come_in():
    assert answers(calls("a", "b"), result("b"), result("a")) == {0: {1: 1, 0: 2}}


def test_case_5_a_result_answers_the_latest_call_with_its_id():
    assert answers(calls("c"), result("c"), calls("c"), result("c")) == {0: {0: 1}, 2: {0: 3}}
    assert answers(calls("c"), calls("c"), result("c")) == {0: {}, 1: {0: 2}}


def test_one_id_twice_in_a_batch_is_answered_in_order():
    assert answers(calls("c", "c"), result("c"), result("c")) == {0: {0: 1, 1: 2}}


def test_case_8_results_without_an_id_take_the_calls_that_no_other_answers():
    assert answers(calls("a", "b"), result(None), result("a")) == {0: {1: 1, 0: 2}}
    assert answers(calls("", ""), result(""), result(None)) == {0: {0: 1, 1: 2}}


def test_case_8_a_call_without_an_id_takes_the_result_that_no_other_wants():
    assert answers(calls(""), result("call_9")) == {0: {0: 1}}


def test_case_14_a_result_with_another_id_answers_nothing():
    assert answers(calls("a"), result("system")) == {0: {}}


def test_results_before_any_call_answer_nothing():
    assert answers(result("a"), result(None), user(), calls("a")) == {3: {}}


def test_ids_that_are_numbers_are_paired_as_text():
    assert answers(calls(5), result("5")) == {0: {0: 1}}


def test_an_id_is_kept_the_first_time_and_numbered_after():
    ids = Ids()
    assert [ids.claim(id) for id in ("c", "c", "", "c", "", "c_2")] == [
        "c", "c_2", "call_1", "c_3", "call_2", "c_2_2",
    ]  # fmt: skip


def test_ids_that_start_anew_with_each_turn_are_numbered_before_the_test_times_out():
    ids = Ids()
    assert len({ids.claim("call_0") for _ in range(200_000)}) == 200_000
