from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker import Scope
from agentmaker.calls.memory.measured import Measurements
from agentmaker.calls.views import Key, View, Views
from agentmaker.context.cuts import Cut
from agentmaker.messages import Message, read_messages
from agentmaker.tokens import count_tokens
from tests.calls.talk import assistant, calls, result, user

POLICY = (8_000, "m")
ANN, BOB = Scope(user="ann"), Scope(user="bob")
TALK = read_messages([user("1"), assistant("2"), user("3"), assistant("4")])


def digests(messages: Sequence[Message]) -> tuple[bytes, ...]:
    return Measurements().of((), tuple(messages), count_tokens).digests


def remembered(views: Views, length: int, recap: str, scope: Scope | None = None) -> None:
    views.remember(Key(scope, POLICY, digests(TALK[:length])[-1]), View(recap=recap), View())


def test_the_view_of_the_longest_known_beginning_is_found():
    views = Views()
    for length in (1, 3):
        remembered(views, length, f"after {length}")
    assert views.latest(None, POLICY, digests(TALK)) == View(recap="after 3")
    assert views.latest(None, POLICY, digests(TALK[:2])) == View(recap="after 1")


def test_a_conversation_nobody_knows_has_no_view():
    assert Views().latest(None, POLICY, digests(TALK)) == View()
    assert Views().latest(None, POLICY, digests([])) == View()


def test_a_view_is_found_under_its_own_scope_and_policy_alone():
    views = Views()
    remembered(views, 2, "ann's", ANN)
    assert views.latest(ANN, POLICY, digests(TALK)).recap == "ann's"
    for scope, policy in ((BOB, POLICY), (None, POLICY), (ANN, (9_000, "m"))):
        assert views.latest(scope, policy, digests(TALK)) == View()


def test_a_message_changed_in_place_is_another_conversation():
    raw = [user("1"), assistant("2")]
    before = digests(read_messages(raw))
    raw[0]["content"] = "one"
    assert digests(read_messages(raw))[1:] != before[1:]


def test_what_was_used_longest_ago_is_forgotten_first():
    views = Views(maximum=2)
    remembered(views, 1, "one")
    remembered(views, 2, "two")
    views.latest(None, POLICY, digests(TALK[:1]))
    remembered(views, 3, "three")
    found = [views.latest(None, POLICY, digests(TALK[:length])).recap for length in (1, 2, 3)]
    assert found == ["one", "one", "three"]


def test_case_80_a_view_made_of_a_stale_one_is_not_put_over_a_newer_one():
    views, key = Views(), Key(None, POLICY, digests(TALK)[-1])
    seen = views.latest(None, POLICY, digests(TALK))
    assert views.remember(key, View(recap="newer"), seen)
    assert not views.remember(key, View(recap="late"), seen)
    newer = views.latest(None, POLICY, digests(TALK))
    assert newer.recap == "newer"
    assert views.remember(key, View(recap="next"), newer)
    assert views.latest(None, POLICY, digests(TALK)).recap == "next"


def followed(views: Views, first: View, cuts: Sequence[Cut]) -> None:
    """*first*, and one view after the other that goes on from the one before."""
    over = first
    views.remember(first.key, first, View())
    for length, cut in enumerate(cuts, 2):
        key = Key(None, POLICY, digests(TALK[:length])[-1])
        view = View(cut=cut, recap=f"after {length}", key=key)
        views.remember(key, view, over)
        over = view


def test_a_view_takes_the_place_of_the_one_it_goes_on_from():
    views, cut = Views(), Cut(end=1, kept=())
    followed(views, View(cut=cut, key=Key(None, POLICY, digests(TALK[:1])[-1])), [cut, cut])
    assert views.latest(None, POLICY, digests(TALK)).recap == "after 3"
    assert views.latest(None, POLICY, digests(TALK[:2])) == View()


def test_whoever_goes_back_finds_the_cut_that_was_summarised():
    views, cut = Views(), Cut(end=1, kept=())
    key = Key(None, POLICY, digests(TALK[:1])[-1])
    first = View(cut=cut, recap="summary", key=key, is_first=True, sent=((1, 2),))
    followed(views, first, [cut, Cut(end=2, kept=())])
    found = views.latest(None, POLICY, digests(TALK[:2]))
    assert (found.cut, found.recap, found.sent) == (cut, "summary", ())


def test_the_memory_stays_bounded_however_long_it_runs():
    views = Views(maximum=50)
    for number in range(500):
        talk = [Message(f"{number}")]
        views.remember(Key(None, POLICY, digests(talk)[-1]), View(recap=f"{number}"), View())
    known = [views.latest(None, POLICY, digests([Message(f"{n}")])).recap for n in range(500)]
    assert [recap for recap in known if recap] == [f"{n}" for n in range(450, 500)]


messages = st.lists(
    st.sampled_from(
        [user("a"), user("ab"), assistant("a"), calls("a"), result("a"), user("\ud83d")]
    )
)


@given(messages, messages)
def test_two_conversations_share_digests_exactly_as_far_as_they_are_equal(one, other):
    pairs = zip(one, other, strict=False)
    shared = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    ours, theirs = digests(read_messages(one)), digests(read_messages(other))
    assert ours[: shared + 1] == theirs[: shared + 1]
    assert set(ours[shared + 1 :]).isdisjoint(theirs[shared + 1 :])


@pytest.mark.parametrize("same", [Message("a"), Message.from_wire(user("a"))])
def test_a_message_has_one_digest_however_it_was_given(same):
    assert digests([same]) == digests(read_messages([user("a")]))
