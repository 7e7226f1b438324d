"""The words of a text that are worth looking for.

Chinese, Japanese and Korean text is taken two characters at a time, since nothing parts its words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

VERSION = 1
"""Changes whenever `tokens` does: an index made of other tokens is of no use."""

_CJK = (
    r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_FIRST = re.compile(f"[{_CJK}]")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_PARTICLES = re.compile("[的了是在和与及或吗呢吧我你他们这那有请]")
_ENGLISH = """
    a an and are as at be but by can do does for from has have how i if in into is it its me my no
    not of on or our so than that the their then there they this to us was we were what when where
    which who why will with you your
"""
_COMMON = frozenset(_ENGLISH.split())

_LONGEST = 64
"""Characters of a word by which it is found."""


def folded(text: str) -> str:
    """*text* as it is compared: in one case and one form of every character, without accents."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare).casefold()


def runs(text: str) -> list[str]:
    """Words of a folded *text* as spaces and marks part them; unparted scripts in one run."""
    return _RUN.findall(text)


def is_cjk(word: str) -> bool:
    return word >= "\u3040" and _FIRST.match(word) is not None


def terms(text: str) -> tuple[str, ...]:
    """Words and pairs of characters to look for; common ones only where there is no other."""
    every = dict.fromkeys(_terms(text))
    return tuple(term for term in every if not is_common(term)) or tuple(every)


def common(text: str) -> str:
    """The words and particles that `terms` passes over where there are others."""
    said = folded(text)
    return " ".join([*(run for run in runs(said) if run in _COMMON), *_PARTICLES.findall(said)])


def is_common(term: str) -> bool:
    """Whether it stands in texts of any kind, and tells nothing of them."""
    return term in _COMMON or not _PARTICLES.sub("", term)


def tokens(text: str) -> list[str]:
    """What an index keeps of *text*: stems of words, the characters of CJK text and their pairs."""
    found: list[str] = []
    for run in runs(folded(text)):
        if is_cjk(run):
            found += run
            found += [run[at : at + 2] for at in range(len(run) - 1)]
        else:
            found += _stems(run)
    return found


def sought(text: str) -> tuple[str, ...]:
    """What to look for among `tokens`; common words only where there is no other."""
    every = (part for term in terms(text) for part in ([term] if is_cjk(term) else _stems(term)))
    return tuple(dict.fromkeys(every))


def stem(word: str) -> str:
    """An English *word* in the singular (Harman 1991, "How effective is suffixing?")."""
    if len(word) < 4 or word[-1] != "s":
        return word
    if word.endswith("ies"):
        return word if word[-4] in "ae" else f"{word[:-3]}y"
    if word.endswith("es"):
        return word if word[-3] in "aeo" else word[:-1]
    return word if word[-2] in "us" else word[:-1]


@lru_cache(maxsize=1 << 15)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(stem(part)[:_LONGEST] for part in word.split("_") if part)


def _terms(text: str) -> Iterator[str]:
    for run in runs(folded(text)):
        if not is_cjk(run):
            yield run
            continue
        for part in filter(None, _PARTICLES.split(run)) if _PARTICLES.sub("", run) else (run,):
            yield from (part[at : at + 2] for at in range(max(1, len(part) - 1)))
