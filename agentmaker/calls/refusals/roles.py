"""What each number in a refusal counts: the prompt, the limit ..., by the words around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from agentmaker.calls.refusals.concepts import OUTPUT
from agentmaker.calls.refusals.plain import numbers

MOST_NUMBERS = 32
"""Numbers of one text that are looked at."""

LEAST = 64
"""A smaller number counts tokens only where words say so: it is part of a name, or counts tries."""

_NEAR = 90
_D = r"(?<!\d)(\d{1,9})(?!\d)"
_N = rf"\(?{_D}\)?(?: tokens?)?"
_EXPRESSIONS = (
    # Such as: 12 + 34 > 40; 12 + 34 = 46; 41 > 50 - 12; 41 > 40; 400/400; from 1 to 40 in brackets.
    (rf"{_N} ?\+ ?{_N}[^\d+=]{{0,60}}?(?:[>≥]|than|exceed)[^\d]{{0,40}}?{_D}",
     ("prompt", "output", "limit")),
    (rf"{_N} ?\+ ?{_N} ?= ?{_D}", ("prompt", "output", "total")),
    (rf"{_D} ?[>≥]=? ?{_D} ?- ?{_D}", ("output", "limit", "prompt")),
    (rf"{_N} ?[>≥]=? ?(?:[a-z ]{{1,16}}[:=] ?)?{_D}", ("", "limit")),
    (r"(?<![\d/])\d{3,9} ?/ ?(\d{3,9})(?![\d/])", ("limit",)),
    (rf"[\[(] ?[01] ?[,~] ?{_D} ?[\])]|between [01] and {_D}", ("limit", "limit")),
)  # fmt: skip
_NO_SIZES = re.compile(
    r"(?:^|\b(?:error|status|code|http))\W*[45]\d\d\b(?! ?tokens)|<\d{3}>|\(parameter=[^\n]*"
    r"|\b(?:attempt|try|retry)\W{0,3}\d+(?: ?(?:of|/) ?\d+)?"
)
"""A status put before the words, parameters put behind them, and the count of tries."""

_CAP = OUTPUT.replace(" ", r"\ ")
_PROMPT = r"(?:prompts?|inputs?|messages|context|conversation|history|text|prefill)"
_ON = (
    r"(?:[\ /]\(?(?:allowed|model|context|prompt|input|sequence|seq|total|number|of|tokens?|count"
    r"|length|len|size|window|limit|configured|the|this|at\ least|about|only|is|set|to|a|s|has|are"
    r"|just|supported|per\ request))*"
)
_AFTER = rf"""\ ?\)?\ ?(?:
      (?P<other> char | byte | [kmg]i?b\b | image | second | m?s\b | item | tool | % | 字符 | 字节
               | (?:text\ )?messages?\b(?!\ tokens) | turns\b | attempts? | retries | tries
               | times | minutes? | hours? | days? | requests )
    | (?P<output> {_CAP} | (?:tokens?\ )?(?:in|for|of|from)\ (?:the\ |your\ )?
                  (?:completion|output|generation|response|reply) )
    | (?P<room> (?:tokens?\ )?of\ context\b )
    | (?P<prompt> (?:tokens?\ )?(?:in|from|of|for)\ (?:(?:the|your|text|user)\ )*{_PROMPT}\b
                | (?:text\ )?{_PROMPT}\ tokens? )
    | (?P<excess> tokens?\ (?:over|above|beyond|too)\b
                  (?!\ (?:the\ )?(?:limit|max\w*|window)?[^a-z\d]{{0,3}}(?:of\ )?\d) )
    | (?P<limit> (?:tokens?\ )?(?:max|limit|allowed|tpm\b|context\b(?!\ tokens)
               | (?:context\ )?window|context\ (?:length|size) | are\ available) )
    )"""
_BEFORE = rf"""
      (?P<other> (?:code|status|http|error|id|line|column|version|char(?:acter)?s?)\b )
    | (?P<sum> (?:inputs?|prompts?)[^.\d]{{0,12}}(?:\+|and|plus)[^.\d]{{0,6}}
               (?:{_CAP}|completion|output){_ON} )
    | (?P<output> (?:{_CAP}|completion|output|generating|输出){_ON} )
    | (?P<excess> \bby(?:\ (?:about|at\ least|only|some))?(?=\W*$) )
    | (?P<limit> (?: \b(?:max\w*|limit\w*|only|over|above|beyond) | up\ to | at\ most | exceed\w*
                 | than | [<≤>≥]=? | allow\w* | support\w* | capacity | within | n\ ctx
                 | accept\w* | model\ (?:takes|holds|handles|reads) | budget\b[^.\d]{{0,40}}
                 | quota | allowance | model\ (?:s\ )?context | \bcache\ size
                 | context\ (?:length|window|size|limit|of) | \bwindow
                 | (?:ventana|janela|fenêtre|finestra|окн\w*)(?:\ \w+){{0,2}} | kontext\w*
                 | コンテキスト長は? | 컨텍스트\ 길이\w?
                 | l[ií]mite | máxim\w* | überschreite\w* | максимум | лимит\w* | предел
                 | \bfit\w*\ in(?:to)? | 控制在 | 超过 | 超出 | 超過 | 최대
                 | (?:最大|最多|上限|限制)
                   (?:\ ?(?:输入|上下文|模型|长度|tokens?|数量|数|的|为|是))* ) {_ON} )
    | (?P<total> \b(?:requested|total)(?!\ (?:input|prompt)){_ON} | \btake | \bneeds?
               | \brequires?{_ON} | \b(?:you|they|it)\ (?:sent|gave|used|passed) | \bsent )
    | (?P<prompt> (?: \b{_PROMPT}\b | \brequest(?=\ (?:has|contains|length)|\ ?\(|\ ?$)
                  | n\ keep | resulted\ in | contains | 输入 | 提示 | 入力 | 입력 ) {_ON} )
    | (?P<unclear> \b(?:got|given|actual|current|received|length|size|tokens?|count|sequence)\b )
    """
_ROLES = {"sum": "total", "room": "limit", "unclear": ""}
_BARE_LIMIT = re.compile(r"limit ?[(\[] ?$")
_UNIT = re.compile(r"token|length|size|long")


def roles_in(text: str) -> Iterator[tuple[str, int]]:
    """Every number of a plain text with its role; "" where the words do not say."""
    text = _NO_SIZES.sub("", text)
    for pattern, roles in _EXPRESSIONS:
        for found in re.finditer(pattern, text):
            digits = (int(each) for each in found.groups() if each)
            yield from zip(roles, digits, strict=False)
        text = re.sub(pattern, lambda found: " " * len(found[0]), text)
    end = 0
    for number, begin, after in islice(numbers(text), MOST_NUMBERS):
        left = text[max(end, begin - _NEAR) : begin]
        role = _said_after(text, after) or _said_before(left, text)
        yield role if role or number >= LEAST else "other", number
        end = after


def _said_after(text: str, at: int) -> str:
    found = re.compile(_AFTER, re.VERBOSE).match(text, at)
    return _ROLES.get(found.lastgroup or "", found.lastgroup or "") if found else ""


def _said_before(left: str, text: str) -> str:
    """The role that the nearest words give."""
    # In words that speak of no tokens, a number in brackets may be the code of the error.
    if _BARE_LIMIT.search(left) and not _UNIT.search(text):
        return "other"
    *_, last = ("", *(found.lastgroup for found in re.finditer(_BEFORE, left, re.VERBOSE)))
    return _ROLES.get(last or "", last or "")
