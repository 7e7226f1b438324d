from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.facts import facts_in, missing
from agentmaker.context.recap import LABEL, LOST_LISTED, extract, lost_of, settle
from agentmaker.tokens import count_tokens


def numbered(n: int) -> list[str]:
    return [
        f"assistant: for the case number {i} we looked at order_{i:05} at length and found that "
        "all of it was as it should be, so that nothing more had to be done about it"
        for i in range(n)
    ]


def test_a_summary_that_holds_every_fact_stays_as_it_is():
    settled = settle(" Order A123 shipped. ", "user: where is A1234", room=50, counter=count_tokens)
    assert settled.text == f"Order A123 shipped.\n{LABEL} A1234"
    assert settle("A1234 shipped.", "A1234", room=50, counter=count_tokens).text == "A1234 shipped."


def test_facts_that_do_not_fit_are_listed_as_lost_the_newest_kept_first():
    source = " ".join(f"order_{i:03}" for i in range(100))
    settled = settle("Orders.", source, room=60, counter=count_tokens)
    assert count_tokens(settled.text) <= 60
    assert "order_099" in settled.text
    assert settled.lost[-1] == "order_000"
    assert set(settled.lost) == set(missing(facts_in(source), settled.text))


def test_identifiers_come_before_times():
    source = "HAT001 " + " ".join(f"{h:02}:30" for h in range(24))
    settled = settle("Flights.", source, room=20, counter=count_tokens)
    assert "HAT001" in settled.text


@pytest.mark.parametrize("counter", [count_tokens, lambda text: len(text.split())])
def test_facts_of_many_dense_entries_are_listed_as_lost(counter):
    entries = [" ".join(f"A{20 * at + i}" for i in range(20)) for at in range(200)]
    extracted = extract(entries, room=1_000, counter=counter)
    assert len(lost_of(entries, extracted)) == LOST_LISTED


def test_a_summary_whose_cut_takes_tokens_beside_it_keeps_to_its_room():
    def counter(text: str) -> int:
        return 3 * text.count("\n") + len(text) ** 2 // 50

    settled = settle("x" * 30 + " A1 " * 20, "A1 B2 C3", room=10, counter=counter)
    assert counter(settled.text) <= 10


def test_a_long_summary_is_cut_between_words_and_leaves_room_for_facts():
    settled = settle("word " * 500, "id_1234 id_5678", room=40, counter=count_tokens)
    words, facts = settled.text.split("\n")
    assert words.endswith("word…")
    assert facts == f"{LABEL} id_5678, id_1234"
    assert count_tokens(settled.text) <= 40


def test_the_record_of_lost_facts_is_bounded():
    source = " ".join(f"order_{i:05}" for i in range(2_000))
    assert len(settle("x", source, room=40, counter=count_tokens).lost) == LOST_LISTED
    assert len(lost_of([source], "x")) == LOST_LISTED


def test_the_label_can_be_in_another_language():
    assert settle("x", "id_1234", room=50, counter=count_tokens, label="编号：").text == (
        "x\n编号： id_1234"
    )


def test_short_entries_are_extracted_whole():
    entries = ["user: book HAT001", "assistant: done"]
    extracted = extract(entries, room=100, counter=count_tokens)
    assert extracted == "user: book HAT001\nassistant: done"
    assert lost_of(entries, extracted) == ()


def test_an_extract_holds_the_newest_heads_in_order_and_the_facts():
    extracted = extract(numbered(200), room=400, counter=count_tokens)
    lines = extracted.splitlines()
    heads = [line for line in lines if line.startswith("assistant:")]
    assert heads == sorted(heads)
    assert "case number 199" in heads[-1]
    assert lines[-1].startswith(LABEL)
    assert "order_00199" in extracted


@pytest.mark.parametrize("room", [100, 400, 2_000, 4_000])
@pytest.mark.parametrize("entries", [numbered(400), ["word " * 40_000], ["中文内容。" * 20_000]])
def test_an_extract_of_much_more_text_fills_its_room(entries, room):
    used = count_tokens(extract(entries, room=room, counter=count_tokens))
    assert 0.9 * room <= used <= room


@pytest.mark.parametrize(("count", "words", "room"), [(4, 10, 64), (5, 7, 64), (9, 7, 100)])
def test_a_fact_that_a_line_loses_to_more_lines_is_listed(count, words, room):
    entries = [f"{'word ' * words}W-{number:04}" for number in range(count)]
    text = extract(entries, room=room, counter=count_tokens)
    assert set(facts_in(" ".join(entries))) <= set(facts_in(text))


def test_an_extract_is_a_pure_function_of_its_input():
    one = extract(numbered(50), room=200, counter=count_tokens)
    assert one == extract(numbered(50), room=200, counter=count_tokens)


def test_an_extract_costs_what_its_room_does_not_what_the_history_does():
    entries = numbered(20_000)
    seen = 0

    def counter(text: str) -> int:
        nonlocal seen
        seen += len(text)
        return count_tokens(text)

    extract(entries[-1_000:], room=300, counter=counter)
    short, seen = seen, 0
    extract(entries, room=300, counter=counter)
    assert seen == short


@pytest.mark.parametrize("url", ["", "https://a.example/" + "x" * 5_000])
def test_lines_and_facts_are_counted_many_at_a_time(url):
    counts = 0

    def counter(text: str) -> int:
        nonlocal counts
        counts += 1
        return count_tokens(text)

    extract([*numbered(400), url], room=2_000, counter=counter)
    assert counts < 40


ENTRIES = st.lists(
    st.text("ab1_ \n字é.@", max_size=80) | st.from_regex(r"id_\d{1,6}", fullmatch=True), max_size=12
)


@given(entries=ENTRIES, room=st.integers(-1, 120), counter=st.sampled_from([count_tokens, len]))
def test_an_extract_never_exceeds_its_room_and_names_what_it_lost(entries, room, counter):
    extracted = extract(entries, room=room, counter=counter)
    assert counter(extracted) <= max(0, room)
    lost = {fact for entry in entries for fact in missing(facts_in(entry), extracted)}
    assert lost == set(lost_of(entries, extracted))


@given(
    summary=st.text("ab1_ \n字é.@", max_size=200),
    source=st.text("ab1_ \n字é.@", max_size=200),
    room=st.integers(-1, 120),
    counter=st.sampled_from([count_tokens, len]),
)
def test_a_settled_summary_never_exceeds_its_room_and_names_what_it_lost(
    summary, source, room, counter
):
    settled = settle(summary, source, room=room, counter=counter)
    assert counter(settled.text) <= max(0, room)
    assert set(settled.lost) == set(missing(facts_in(source), settled.text))
