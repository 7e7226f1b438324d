from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context import facts as module
from agentmaker.context.facts import _stands_in, absent, facts_in, missing, newest_facts, weight


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("my user id is mia_li_3668.", ("mia_li_3668",)),
        ("order #W1234567, please", ("#W1234567",)),
        ("write to a.b+c@example.com!", ("a.b+c@example.com",)),
        ("see https://a.example/c_d?x=1&y=2.", ("https://a.example/c_d?x=1&y=2",)),
        ("in /usr/lib/x.py and src/app/main.py", ("/usr/lib/x.py", "src/app/main.py")),
        (r"at C:\temp\new.txt now", (r"C:\temp\new.txt",)),
        ("since v1.2.3 or 10.0.0.1:8080", ("v1.2.3", "10.0.0.1:8080")),
        ("550e8400-e29b-41d4-a716-446655440000", ("550e8400-e29b-41d4-a716-446655440000",)),
        ("a basic_economy seat", ("basic_economy",)),
        ("costs $1,234.56 or 80 USD, 20%", ("$1,234.56", "80 USD", "20%")),
        ("5 kg in 3 days, 12,000 tokens", ("5 kg", "3 days", "12,000 tokens")),
        ("on May 15, 2024 or 16 May", ("May 15, 2024", "16 May")),
        ("2024-05-15T14:30:00Z at 14:30", ("2024-05-15T14:30:00Z", "14:30")),
        ("Step 3: done, step 12 is next", ("Step 3", "step 12")),
    ],
)
def test_facts_of_plain_text(text, facts):
    assert facts_in(text) == facts


def test_facts_of_chinese_text():
    text = "订单号A12345已发货，金额500元，2024年5月3日送达，第3步完成，需要3个工作日"
    assert facts_in(text) == ("A12345", "500元", "2024年5月3日", "第3步", "3个工作日")


def test_prose_holds_no_facts():
    assert facts_in("Just words, and/or a few more: this-or-that... 1 2 3") == ()


def test_words_before_a_fact_that_begins_with_a_word_do_not_hide_it():
    assert facts_in("we left on May 5, in step 3 of it, or Step #4: see May. 6") == (
        "May 5",
        "step 3",
        "Step #4",
        "May. 6",
    )


def test_json_yields_values_and_identifying_keys_but_no_field_names():
    text = '{"user_id": "mia_1", "cards": {"card_44": {"last_four": "7447", "amount": 100}}}'
    assert facts_in(text) == ("mia_1", "card_44", "7447")


def test_escapes_in_json_do_not_stick_to_facts():
    assert facts_in('{"log": "a\\nB1234\\tC5678 \\"D9012\\""}') == ("B1234", "C5678", "D9012")


def test_the_end_of_an_element_is_no_path():
    text = "<p>see /etc/hosts</p></my-list></reference> and </dev/null"
    assert facts_in(text) == ("/etc/hosts", "/dev/null")


def test_a_fact_is_named_once_in_order_of_appearance():
    assert facts_in("id_1 id_2 id_1 id_3") == ("id_1", "id_2", "id_3")


def test_the_newest_is_what_was_mentioned_last():
    assert newest_facts("id_1 id_2 id_1 id_3") == ("id_3", "id_1", "id_2")


def test_blobs_are_no_facts():
    assert facts_in("A1" * 400) == ()


def test_lost_facts_are_those_the_summary_does_not_hold_as_whole_words():
    source = "booked HAT001 for mia_3 on 2024-05-20, seat 1234"
    said = "mia_3 booked HAT0011 on 2024-05-20, 12345"
    assert tuple(missing(facts_in(source), said)) == ("HAT001", "1234")


def test_a_fact_beside_cjk_text_stands_there():
    assert tuple(missing(facts_in("order A12345"), "订单A12345已发货")) == ()


def test_absent_keeps_the_order_given():
    assert absent(("id_3", "id_1", "id_2"), "only id_1") == ("id_3", "id_2")


def test_identifiers_weigh_more_than_dates_and_these_more_than_times():
    facts = ["14:30", "2024-05-20", "HAT001", "Step 3", "3 days", "mia_3"]
    assert sorted(facts, key=weight) == [
        "HAT001",
        "Step 3",
        "mia_3",
        "2024-05-20",
        "3 days",
        "14:30",
    ]


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "a_",
        "1,",
        "1 ",
        "1 m",
        "Step ",
        "a://",
        "12月",
        "../",
        "a.-",
        "x1@.",
        "9999,999,",
        "\\",
    ],
)
def test_a_megabyte_is_read_before_the_test_times_out(unit):
    assert facts_in(unit * (1_000_000 // len(unit))) is not None  # a quadratic scan takes hours


@given(st.text(max_size=300))
def test_every_fact_stands_in_its_text_and_none_is_missing_from_it(text):
    facts = facts_in(text)
    assert all(fact in text for fact in facts)
    assert len(set(facts)) == len(facts)
    assert tuple(missing(facts_in(text), text)) == ()
    assert set(newest_facts(text)) == set(facts)


@given(st.lists(st.text("ab1_-/ é.", max_size=6)), st.text("ab1_-/ é.", max_size=30))
def test_facts_are_found_in_a_text_as_whole_words_however_they_are_looked_up(facts, text):
    facts = tuple(filter(None, facts))
    stand = {fact for fact in facts if _stands_in(fact, text)} | set(facts_in(text))
    assert absent(facts, text) == tuple(fact for fact in facts if fact not in stand)


def test_the_facts_of_texts_are_remembered_within_bounds_and_without_the_texts(monkeypatch):
    monkeypatch.setattr(module, "_known", {})
    monkeypatch.setattr(module, "MOST_REMEMBERED", 8)
    for _ in range(2):
        for number in range(20):
            assert facts_in(f"the order A{number}000 is late") == (f"A{number}000",)
    assert len(module._known) == 8
    assert {*map(type, module._known)} == {int}
