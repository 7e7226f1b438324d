"""The words of a text that are worth looking for.

Chinese, Japanese and Korean text is taken two characters at a time, since nothing parts its words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_PARTICLES = re.compile("[的了是在和与及或吗呢吧我你他们这那有请]")
_ENGLISH = """
    a an and are as at be but by can do does for from has have how i if in into is it its me my no
    not of on or our so than that the their then there they this to us was we were what when where
    which who why will with you your
"""
_COMMON = frozenset(_ENGLISH.split())


def folded(text: str) -> str:
    """*text* as it is compared: in one case and one form of every character."""
    return unicodedata.normalize("NFKC", text).casefold()


def runs(text: str) -> list[str]:
    """Words of a folded *text* as spaces and marks part them; unparted scripts in one run."""
    return _RUN.findall(text)


def is_cjk(word: str) -> bool:
    return re.match(f"[{_CJK}]", word) is not None


def terms(text: str) -> tuple[str, ...]:
    """Words and pairs of characters to look for; common ones only where there is no other."""
    every = dict.fromkeys(_terms(text))
    return tuple(term for term in every if term not in _COMMON) or tuple(every)


def _terms(text: str) -> Iterator[str]:
    for run in runs(folded(text)):
        if not is_cjk(run):
            yield run
            continue
        for part in filter(None, _PARTICLES.split(run)) if _PARTICLES.sub("", run) else (run,):
            yield from (part[at : at + 2] for at in range(max(1, len(part) - 1)))
