from __future__ import annotations

import random
import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.tokens import exact, families
from agentmaker.tokens.pieces import PIECE, composed, piece_counts, piece_length

FAMILIES = sorted({family for family, _ in families._RULES})
RNG = random.Random(7)
WORDS = ["".join(RNG.choices(string.ascii_letters, k=RNG.randint(1, 12))) for _ in range(99)]
MARKS = [" ", " ", " ", ", ", ". ", "\n", "\n    ", " 12.5 ", "(", "，"]
TEXTS = {
    "prose": "".join(RNG.choice(WORDS) + RNG.choice(MARKS) for _ in range(6_000)),
    "one letter": "x a" + "a" * (4 * PIECE),
    "spaces": "x" + " " * (4 * PIECE) + "y",
    "letters": "".join(RNG.choices(string.ascii_lowercase, k=4 * PIECE)),
    "Chinese": "".join(RNG.choices("的一是在不了有和人这中国大上个们我", k=2 * PIECE)),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_pieces_count_as_the_whole_in_every_vocabulary(family, text):
    pytest.importorskip("splintr")
    counter = exact._loaded(family)
    assert len(list(counter.pieces(text))) > 3
    assert counter(text) == len(counter.encode(text))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_no_piece_is_longer_than_what_may_be_encoded_at_once(text):
    encoded: list[str] = []

    def encode(piece: str) -> list[int]:
        encoded.append(piece)
        return list(map(ord, piece))

    assert sum(piece_counts(text, encode, lambda token: chr(token).encode())) == len(text)
    assert max(map(len, encoded)) <= piece_length(text) <= PIECE
    assert piece_length("字") * 3 <= PIECE


def test_tokens_that_spell_nothing_of_the_text_are_counted_all_the_same():
    text = "a" * (3 * PIECE)
    assert sum(piece_counts(text, lambda piece: [0] * len(piece), lambda token: b"?")) == len(text)


def test_marks_without_end_are_composed_in_pieces_too():
    text = "e" + "\u0301" * (2 * PIECE)
    parts = list(composed(text))
    assert len(parts) > 2
    assert max(map(len, parts)) < 2 * piece_length(text)
    assert "".join(parts) == unicodedata.normalize("NFC", text)


@given(st.text(alphabet="ae\u0301\u0308\u1112\u1161\u11abé 的", min_size=1, max_size=50))
def test_a_text_composed_in_pieces_is_composed_as_the_whole(text):
    long = f"a{text}" * (PIECE // len(text))
    assert "".join(composed(long)) == unicodedata.normalize("NFC", long)
