"""Strings that tokenizers stumble over: short mixtures, and megabytes without a break."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator

HAN = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之"
    "年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样"
)
EMOJI = "😀🎉👍👩👨👧🏽"

ALPHABETS = (
    string.printable,
    string.ascii_letters,
    HAN,
    "éüßñçøåæ œ",
    "0123456789.,-\n",
    "😀👨‍👩‍👧🏽‍♂️ 🎉",
    "اللغةالعربية ",
    "русскийязык ",
    "ภาษาไทยกขคงาิีุูเแโ",
    "हिन्दीभाषाक्षत्र ",
    "한국어가나다라 ",
    "日本語のテキストカタカナ ",
    " \t\n\r\u00a0\u3000",
    "{}[]\":,\\/<>|_#!?'`~",
    "e\u0301o\u0308a\u030a ",
    "\u200b\u200d\ufeff\u2028\x00\x07\x1b",
)
WORDS = (
    *("don't", "I'LL", "we've", "<|endoftext|>", "<|im_start|>", "http://example.com/a?b=c"),
    *("2024-01-02T03:04:05Z", "def f(x):\n    return x", "\r\n\r\n", "```python", "   "),
    *("foo_bar", "HTTPServer", "iPhone15", "½", "①②", "ﬁ", "Å", "Ａ１", "1\n" * 9),
)

MEGABYTE = 1_000_000


def mixtures(number: int, seed: int = 1) -> Iterator[str]:
    """Up to eight stretches of different scripts and odd words."""
    rng = random.Random(seed)
    for _ in range(number):
        yield "".join(_stretch(rng) for _ in range(rng.randint(1, 8)))


def _stretch(rng: random.Random) -> str:
    odd = rng.random() < 0.25
    text = rng.choice(WORDS) if odd else "".join(rng.choices(rng.choice(ALPHABETS), k=_size(rng)))
    return text + " " * (rng.random() < 0.4)


def _size(rng: random.Random) -> int:
    return rng.randint(1, 20)


def megabytes() -> dict[str, str]:
    """A million characters each, all but the last without a place to cut."""
    rng = random.Random(1)
    prose = "The quick brown fox jumps over the lazy dog, and it was 12 years ago. "
    return {
        "one letter": "a" * MEGABYTE,
        "spaces": " " * MEGABYTE,
        "emoji": "".join(rng.choices(EMOJI, k=MEGABYTE)),
        "random letters": "".join(rng.choices(string.ascii_lowercase, k=MEGABYTE)),
        "Chinese": "".join(rng.choices(HAN, k=MEGABYTE)),
        "prose": (prose * (MEGABYTE // len(prose) + 1))[:MEGABYTE],
    }
