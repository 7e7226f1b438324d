"""Facts of a text that can be checked to have survived a cut.

Identifiers, emails, urls, paths and versions; numbers with a unit, money; dates and
times; step numbers. Knows nothing of what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

SHORTEST = 4
LONGEST = 60
LONGEST_PATH = 200

LONGEST_REMEMBERED = 16_384
"""Characters of a text whose facts are remembered: a conversation is cut again and again."""

MOST_REMEMBERED = 2_048
"""Texts whose facts are remembered."""

_LETTERS = r"0-9A-Za-z_\u00c0-\u024f\u0370-\u052f"
_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,15})(?:\.\d{1,9})?"
_UNITS = (
    r"%|°[CF]|(?:USD|EUR|GBP|CNY|RMB|JPY|dollars?|euros?|cents?|percent|"
    r"thousand|million|billion|trillion|milliseconds?|seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|"
    r"ms|sec|min|hrs?|[KMGT]i?B|bytes|tokens?|k[gm]|[cm]m|mg|ml|lbs?|oz|miles?|feet|ft|inch(?:es)?|"
    r"[AaPp]\.?[Mm]|kWh?|MHz|GHz|px)(?![0-9A-Za-z_])"
)
_CJK_UNITS = (
    r"(?:个|万|亿|千|百)?(?:美元|欧元|日元|元|块|小时|分钟|秒|点|天|周|个月|年|月|日|号|岁|次|人|"
    r"公里|千米|米|厘米|公斤|千克|克|吨|倍|页|步|円|時間|分|回|名|원|시간|명|개|个工作日|工作日|个|万|亿|%)"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"

_FACT = re.compile(
    rf"""
      (?P<none>   (?:[A-Za-z]++(?:[.:;]?[ ](?![\d\#])|[,"'()\[\]{{}}…\n])){{1,64}}
                | \\[nrt"\\] | </[A-Za-z][0-9A-Za-z:-]{{0,30}}> )
    | (?P<url>    [a-z]{{2,10}}://[^\s"'<>()\[\]{{}},\\`{_CJK}]+ )
    | (?P<path>   [A-Za-z]:\\[^\s"'<>()\[\]{{}},;`{_CJK}]+ )
    | (?P<step>   (?:[Ss]tep|STEP)[ ]?\#?\d{{1,4}}(?![{_LETTERS}])
                | (?:第|步骤|步驟)[ ]?\d{{1,4}}[ ]?[步章条項项回次]? )
    | (?P<date>   {_MONTH}[ ]{_DAY}(?:,?[ ]\d{{4}})?(?![{_LETTERS}])
                | {_DAY}[ ]{_MONTH}(?:,?[ ]\d{{4}})?(?![{_LETTERS}])
                | \d{{2,4}}[ ]?年[ ]?\d{{1,2}}[ ]?月(?:[ ]?\d{{1,2}}[ ]?[日号])?
                | \d{{1,2}}月\d{{1,2}}[日号] )
    | (?P<amount> [$€£¥₹₩]{_NUMBER}(?![{_LETTERS}])
                | {_NUMBER}(?: (?=[ -]?[%°A-Za-z])[ -]?(?:{_UNITS})
                             | (?=[ ]?[%{_CJK}])[ ]?{_CJK_UNITS}
                             | (?<=,\d\d\d)(?![{_LETTERS}]) ) )
    | (?P<token>  [#$~./]{{0,3}}[{_LETTERS}@]+
                  (?:(?:[-./+#~]{{1,3}}|(?<=\d):(?=\d))[{_LETTERS}@]+)* )
    """,
    re.VERBOSE,
)
_TIME = re.compile(r"\d{1,2}:\d\d(?::\d\d)?\Z")
_IDENTIFIER = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)\S{3,}\Z|\S*[@#/]|\d{5,}\Z|(?i:step)|[第步]")
_KEY_ENDS = ('":', '" :', '\\":', "':")
_WORDS = re.compile(r"[0-9A-Za-z_]+")
_is_one_word = _WORDS.fullmatch
_HOLDS_DIGIT = re.compile(r"\d")
_HOLDS_MARK = re.compile(r"[\d_@]")
_is_parted_by_ascii = re.compile(r"[\x00-\x5b\x5d-\x7f…]*").fullmatch  # ASCII without escapes
_PATH = re.compile(r"(?:~|\.{1,2})?/.|.+/.*\.[A-Za-z]\w{0,5}\Z")


def facts_in(text: str) -> tuple[str, ...]:
    """The facts of *text*, in order of appearance, each once. Takes linear time."""
    return tuple(dict.fromkeys(_every_fact(text)))


def newest_facts(text: str) -> tuple[str, ...]:
    """The facts of *text*, the one mentioned last first, each once."""
    return tuple(dict.fromkeys(reversed([*_every_fact(text)])))


def absent(facts: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Those of *facts* that do not stand in *text*, in the order given."""
    held = _held(text)
    return tuple([fact for fact in facts if _lacks(text, held, fact)])


def missing(facts: Iterable[str], text: str) -> Iterator[str]:
    """Those of *facts* that do not stand in *text*, each once; *facts* is read as far as asked."""
    held, seen = _held(text), set[str]()
    for fact in facts:
        if fact not in seen:
            seen.add(fact)
            if _lacks(text, held, fact):
                yield fact


def _lacks(text: str, held: frozenset[str], fact: str) -> bool:
    # A single word that is none of the text's words need not be looked for.
    return fact not in held and bool(_is_one_word(fact) or not _stands_in(fact, text))


@lru_cache(maxsize=2)
def _held(text: str) -> frozenset[str]:
    """Words of *text*, of which a cut asks several times in a row, and facts that are no words.

    Where nothing but ASCII parts its words, each of its facts is one of them or found whole.
    """
    words = frozenset(_WORDS.findall(text))
    return words if _is_parted_by_ascii(text) else words.union(_read(text))


@lru_cache(maxsize=1_024)  # an extract asks for those of all the facts it reads, more than once
def weight(fact: str) -> int:
    """How dear a fact is, the dearest lowest: identifiers and steps, then dates and
    quantities, then times of day.

    An identifier that is lost cannot be guessed again, and is what later calls need.
    """
    if _TIME.match(fact):
        return 2
    return 0 if _IDENTIFIER.match(fact) else 1


def _every_fact(text: str) -> Iterable[str]:
    """The facts of *text* as often as they stand there; a text that may come again is kept."""
    return _remembered(text).splitlines() if len(text) <= LONGEST_REMEMBERED else _read(text)


_known: dict[int, str] = {}


def _remembered(text: str) -> str:
    """The facts of *text* as one string, which takes a fifth of the memory; so does its hash."""
    key = (len(text) << 64) + hash(text)  # one number: a pair is one more object to collect
    found = _known.get(key)
    if found is None:
        found = _known[key] = "\n".join(_read(text))
        # The first one read, not the one used longest ago: extracts read from the end.
        if len(_known) > MOST_REMEMBERED:
            _known.pop(next(iter(_known)), None)
    return found


def _read(text: str) -> Iterator[str]:
    for match in _FACT.finditer(text):
        kind, fact = match.lastgroup, match[0]
        if kind == "token":
            end = match.end()
            if _is_fact(fact, text[end : end + 3]):
                yield fact
        elif kind != "none":
            yield fact.rstrip(".,:;!?") if kind == "url" else fact


def _is_fact(token: str, behind: str) -> bool:
    if behind.startswith(_KEY_ENDS):  # a JSON key is a fact only where it holds an identifier
        return SHORTEST <= len(token) <= LONGEST and bool(_HOLDS_DIGIT.search(token))
    if SHORTEST <= len(token) <= LONGEST and _HOLDS_MARK.search(token):
        return True
    return len(token) <= LONGEST_PATH and bool(_PATH.match(token))


def _stands_in(fact: str, text: str) -> bool:
    """Whether *text* holds *fact* as a whole word."""
    at = text.find(fact)
    while at >= 0:
        before, behind = text[at - 1 : at], text[at + len(fact) : at + len(fact) + 1]
        if not (_joins(before, fact[0]) or _joins(fact[-1], behind)):
            return True
        at = text.find(fact, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    return left.isascii() and right.isascii() and _is_word(left) and _is_word(right)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
