"""What no estimate goes below: a text that repeats itself is like none it was learned from."""

from __future__ import annotations

BYTES, CHINESE = 128, 3
"""A token is hardly ever longer than so many bytes, or than so many Chinese characters."""


def least_tokens(utf8: bytes, kinds: bytes) -> int:
    """Tokens that a text in UTF-8, which is not empty, has at least; *kinds* are its `KINDS`.

    A token lies within one word: a letter or a digit behind a space or a line's end begins
    another.
    """
    words = len(kinds.translate(None, _WITHIN_WORDS))
    chinese = 0 if utf8.isascii() else len(utf8.translate(None, _NOT_CHINESE))
    return max(1, len(utf8) // BYTES, words + chinese // CHINESE)


# Chinese characters begin with these, and others hardly ever.
_NOT_CHINESE = bytes(set(range(256)) - set(range(0xE4, 0xEA)))

# A code of `KINDS` is the class of the byte before, times sixteen, and that of the byte itself.
_LETTERS_AND_DIGITS, _WHITE_SPACE = range(3), range(3, 5)
_BEGIN_WORDS = {before << 4 | kind for before in _WHITE_SPACE for kind in _LETTERS_AND_DIGITS}
_WITHIN_WORDS = bytes(set(range(256)) - _BEGIN_WORDS)
