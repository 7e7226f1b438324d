from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest

from agentmaker import ConfigError, ContextPacket

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_packet_takes_its_five_attributes_in_the_documented_order():
    packet = ContextPacket("Tea is hot.", NOON, 7, 0.8, {"type": "knowledge"})
    assert (packet.content, packet.timestamp, packet.token_count) == ("Tea is hot.", NOON, 7)
    assert (packet.relevance_score, packet.metadata) == (0.8, {"type": "knowledge"})
    assert (packet.kind, packet.required) == ("knowledge", False)


@pytest.mark.parametrize("given", [{}, {"token_count": None}])
def test_tokens_that_are_not_given_are_counted(given):
    assert ContextPacket("红茶ab", NOON, **given).token_count == 3


def test_what_nobody_rated_is_at_a_half():
    assert ContextPacket("a").relevance_score == 0.5


@pytest.mark.parametrize(
    ("given", "kept"), [(-3, 0), (7, 1), (0.3, 0.3), (math.inf, 1), (math.nan, 0)]
)
def test_relevance_is_brought_between_nothing_and_one(given, kept):
    assert ContextPacket("a", relevance_score=given).relevance_score == kept


def test_a_packet_is_frozen():
    with pytest.raises(AttributeError):
        ContextPacket("a").content = "b"


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"content": b"a"}, TypeError),
        ({"content": "a", "timestamp": "today"}, TypeError),
        ({"content": "a", "token_count": -1}, ConfigError),
        ({"content": "a", "token_count": 1.5}, ConfigError),
    ],
)
def test_a_packet_that_cannot_be_is_refused(given, error):
    with pytest.raises(error):
        ContextPacket(**given)


def test_moments_can_be_compared_whatever_their_time_zones():
    local = NOON.astimezone().replace(tzinfo=None)
    far = NOON.replace(tzinfo=timezone(timedelta(hours=8)))
    assert ContextPacket("a", local).moment == NOON
    assert ContextPacket("a", far).moment < NOON


@pytest.mark.parametrize("end", [datetime.min, datetime.max])  # noqa: DTZ901
def test_the_ends_of_the_calendar_are_moments_too(end):
    assert ContextPacket("a", end).moment.year == end.year
