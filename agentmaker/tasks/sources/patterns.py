"""Which paths a user's patterns name.

A pattern names what it matches and all that is below. Without a slash it matches a name at any
depth; with one, the path from the root. ``*`` and ``?`` stay within a name, ``**`` does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from agentmaker.errors import ConfigError

_PIECES = re.compile(
    r"(?P<deep>\*\*/)|(?P<any>\*\*)|\*|\?|\[(?P<not>!?)(?P<set>\]?[^\]]*)\]|.", re.S
)


class Patterns:
    """Paths that one of *given* matches; *folded* overlooks case, as some file systems do.

    Raises:
        ConfigError: one is empty, or *given* is a single text.
    """

    def __init__(self, name: str, given: Iterable[str], *, folded: bool = False) -> None:
        self.given = _checked(name, given)
        self._folded = folded
        self._regex = _compiled(name, map(self._seen, self.given))

    def __contains__(self, path: object) -> bool:
        return self._regex.fullmatch(self._seen(str(path))) is not None

    def _seen(self, path: str) -> str:
        return unicodedata.normalize("NFC", path).casefold() if self._folded else path


def _checked(name: str, given: Iterable[str]) -> tuple[str, ...]:
    patterns: tuple[object, ...] = () if isinstance(given, str) else tuple(given)
    texts = tuple(each for each in patterns if isinstance(each, str) and each.strip("/"))
    if isinstance(given, str) or len(texts) < len(patterns):
        raise ConfigError(f'{name} must be patterns such as ("*.md", "docs/**"), not {given!r}')
    return texts


def _compiled(name: str, patterns: Iterable[str]) -> re.Pattern[str]:
    try:
        return re.compile("|".join(map(_regex, patterns)) or r"(?!)", re.S)
    except re.error as error:
        raise ConfigError(f"a pattern of {name} cannot be read ({error}): mend its [...]") from None


def _regex(pattern: str) -> str:
    path = pattern.rstrip("/")
    start = "" if "/" in path else "(?:.*/)?"
    return f"(?:{start}{_PIECES.sub(_piece, path.lstrip('/'))}(?:/.*)?)"


def _piece(match: re.Match[str]) -> str:
    if match["deep"]:
        return "(?:.*/)?"
    if match["any"]:
        return ".*"
    if match["set"]:
        members = match["set"].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
        return f"(?!/)[{'^' if match['not'] else ''}{members.replace('^', chr(92) + '^')}]"
    return {"*": "[^/]*", "?": "[^/]"}.get(match[0]) or re.escape(match[0])
