"""A server's words in one plain form: lower case, names split into words, numbers as digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 16_384
"""Characters of one text that are looked at."""

LARGEST = 1_000_000_000
"""Numbers above it count no tokens: they are ids and times."""

_URL = re.compile(r"https?://\S+")
_JOINT = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\d)(?=tokens?\b)"
    r"|(?<=[A-Za-z])-(?=[A-Za-z])|(?:(?<=\bis)|(?<=\bof)|(?<=\bto))(?=\d)"
    # Between the scripts of East Asia and ours.
    r"|(?<=[\u2e80-\uffdc])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u2e80-\uffdc])"
)
_QUOTES = re.compile(r"[_`'\"*$“”‘’「」《》]")
_BLANK = re.compile(r"[^\S\n]+")
_NUMBER = re.compile(
    r"""(?<![A-Za-z_.\-\d]) (?:
        (?P<grouped> \d{1,3} (?P<by>[,._'’\ \u00a0\u202f]) \d{3} (?: (?P=by) \d{3} )* (?!\d) )
      | (?P<whole> \d+ )
    ) (?P<rest> \.\d{1,2} (?!\d) )? (?: \s? (?P<scale>[kKM]) )?
    (?! [A-Za-z_\d] | -\d )""",
    re.VERBOSE,
)
_DIGITS = re.compile(r"(?<![a-z]\[)(?<![a-z\-.\d])\d+(?![a-z\d]|[.-]\d)")
_SENTENCE = re.compile(r"[.!?;]+(?=\s|$)|[\n。！？；]+")
_SCALES = {"k": 1_000, "K": 1_000, "M": 1_000_000}


def plain(text: str) -> str:
    """*text* without links and quotes, with ``maxTokens`` and ``max_tokens`` as two words.

    Thousands are joined, ``8k`` is 8000, and a number that belongs to a name stays in it.
    """
    text = _URL.sub(" ", text[:LONGEST])
    text = _NUMBER.sub(_as_digits, _JOINT.sub(" ", text))
    text = _QUOTES.sub(" ", text)
    return _BLANK.sub(" ", text).lower()


def sentences(text: str) -> Iterator[str]:
    """The sentences of a plain text."""
    return filter(str.strip, _SENTENCE.split(text))


def numbers(text: str) -> Iterator[tuple[int, int, int]]:
    """Each number of a plain text that may count tokens, with its begin and end."""
    for found in _DIGITS.finditer(text):
        if len(found[0]) <= len(str(LARGEST)) and 0 < int(found[0]) <= LARGEST:
            yield int(found[0]), found.start(), found.end()


def whole(value: object) -> int | None:
    """A fact as a count of tokens; None for what is none."""
    if isinstance(value, str):
        text = plain(value).strip()
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    return int(value) if 0 < value <= LARGEST else None


def _as_digits(found: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", found["grouped"] or found["whole"])
    if len(digits) > len(str(LARGEST)):
        return found[0]
    rest, scale = found["rest"] or "", found["scale"]
    if scale:
        return str(int(float(digits + rest) * _SCALES[scale]))
    return digits if not rest.strip(".0") else digits + rest
