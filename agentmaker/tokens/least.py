"""What no estimate goes below: a text that repeats itself is like none it was learned from."""

from __future__ import annotations

BYTES, CHINESE = 128, 3
"""A token is hardly ever longer than so many bytes, or so many Chinese characters."""


def least_tokens(utf8: bytes, kinds: bytes) -> int:
    """Tokens that a text in UTF-8, which is not empty, has at least; *kinds* are its codes.

    A token lies within one word: a letter or a digit behind white space begins another.
    """
    words = len(kinds.translate(None, _WITHIN_WORDS))
    chinese = 0 if utf8.isascii() else len(utf8.translate(None, _NOT_CHINESE))
    return max(1, len(utf8) // BYTES, words + chinese // CHINESE)


# Chinese characters begin with these, and others hardly ever.
_NOT_CHINESE = bytes(set(range(256)) - set(range(0xE4, 0xEA)))
_WITHIN_WORDS = bytes(code for code in range(256) if not (code >> 4 in (3, 4) and code & 15 < 3))
