"""The words of a text that is written in tags: a web page, or XML."""

from __future__ import annotations

import re

_TAGGED = re.compile(r"\s*<[!?a-z]", re.IGNORECASE)
_PAGE = re.compile(r"<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^<>]{0,99}>[^<]{1,300}", re.IGNORECASE)
_HIDDEN = re.compile(r"<(script|style)\b[^<]*(?:<(?!/\1)[^<]*)*", re.IGNORECASE)
_WITHIN = re.compile(
    r"</?(?:a|b|i|u|em|strong|code|kbd|tt|span|small|font)\b[^<>]*>", re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]*>")


def is_tagged(text: str) -> bool:
    """Whether *text* begins with a tag."""
    return _TAGGED.match(text) is not None


def is_page(text: str) -> bool:
    """Whether what is written in tags is a web page."""
    return _PAGE.search(text) is not None


def title(text: str) -> list[str]:
    """The title of a page, if it has one."""
    found = _TITLE.search(text)
    return lines(found[0]) if found else []


def lines(text: str) -> list[str]:
    """The lines that a reader of *text* sees; its own line breaks are none."""
    import html

    shown = " ".join(_HIDDEN.sub(" ", text).split())
    shown = _TAG.sub("\n", _WITHIN.sub("", shown))
    return [line for each in shown.split("\n") if (line := " ".join(html.unescape(each).split()))]
