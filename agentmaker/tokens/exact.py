"""Exact offline counters by model family, from the vocabularies that splintr carries."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from agentmaker.tokens.estimate import TokenCounter, count_tokens
from agentmaker.tokens.families import family_of

PIECE = 65_536
"""Longer texts are encoded in pieces of this many characters: encoding holds the GIL."""

_LOOK_BACK = 4_096
SURROGATE = re.compile(r"[\ud800-\udfff]")
# Where every vocabulary's own splitting ends a piece too: before one space or mark between two
# letters, and after a line's end.
_SAFE = re.compile(r"(?<=[^\W\d_])(?=[ ,.;:(，。、；：（][^\W\d_])|(?<=\n)(?=\S)")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExactCounter:
    """Counts as the model's own vocabulary does; a literal ``<|endoftext|>`` counts as text.

    Never raises for a string: lone surrogates count as the replacement character. A text
    longer than `PIECE` that offers no safe place to cut is counted to within a few tokens.
    """

    name: str
    encode: Callable[[str], Sequence[int]] = field(repr=False, compare=False)

    @property
    def exact(self) -> bool:
        return True

    def __call__(self, text: str) -> int:
        try:
            return self._count(text)
        except UnicodeEncodeError:
            return self._count(SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))

    def _count(self, text: str) -> int:
        if len(text) <= PIECE:
            return len(self.encode(text))
        return sum(len(self.encode(piece)) for piece in pieces(text))


def counter_for(model: str | None) -> TokenCounter:
    """The counter of *model*'s family; the estimate where it is unknown or splintr is missing.

    Needs ``agentmaker-runtime[exact]``. Nothing is downloaded, and each vocabulary is loaded
    once in a process.
    """
    family = family_of(model) if model else None
    return _load(family) if family else count_tokens


def counter_name(counter: TokenCounter) -> str:
    """What to call *counter* in a record: a vocabulary, ``estimate``, or ``custom``."""
    if counter is count_tokens:
        return "estimate"
    return str(getattr(counter, "name", "custom"))


def is_exact(counter: TokenCounter) -> bool:
    """Whether *counter* says of itself that it counts as the model does."""
    return bool(getattr(counter, "exact", False))


def pieces(text: str) -> Iterator[str]:
    """Cut *text* into pieces of at most `PIECE` characters, at safe places where there are any."""
    start = 0
    while len(text) - start > PIECE:
        end = _cut(text, start + PIECE)
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(text: str, limit: int) -> int:
    last = limit
    for place in _SAFE.finditer(text, limit - _LOOK_BACK, limit):
        last = place.start()
    return last


@cache
def _load(family: str) -> TokenCounter:
    try:
        from splintr import Tokenizer
    except ImportError:
        return count_tokens
    try:
        return ExactCounter(family, Tokenizer.from_pretrained(family).encode_ordinary)
    except ValueError:
        _log.warning("splintr has no vocabulary %r: update it; tokens are estimated", family)
        return count_tokens
