"""A counter that remembers, so that a call costs what is new."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from operator import index
from typing import TypeAlias

from agentmaker.errors import ConfigError
from agentmaker.media import DEFAULT_MEDIA, MediaTokens, media_of
from agentmaker.tokens.estimate import TokenCounter, count_tokens
from agentmaker.tokens.estimated import Estimate
from agentmaker.tokens.exact import (
    SURROGATE,
    ExactCounter,
    counter_for,
    counter_name,
    is_exact,
    is_panic,
)
from agentmaker.tokens.pieces import PIECE

_BRACKETS = re.compile(r"[<\[]")

LONG = 4_096
"""Texts with more characters than this are remembered by length and hash, and not kept."""

Key: TypeAlias = str | tuple[int, int]


class CountMemo:
    """Remember the counts of *counter* by text, for at most *max_texts* and *max_chars*.

    Two generations stand in for an exact order of use: when the young one has half the room,
    the old one is forgotten. A text asked for again returns to the young one.

    A text that *counter* refuses with a ValueError or a panic of Rust's is counted as plain
    text, and in pieces where it is long.

    Attributes:
        media: what images, audio and files cost in a message counted with this.
        exact: whether *counter* says of itself that it counts as the model does.

    Raises:
        ConfigError: a limit is below 2, or *counter* is no function.
        TypeError: (when called) *counter* returned no whole number, or *text* is no string.
    """

    def __init__(
        self,
        counter: TokenCounter,
        *,
        media: MediaTokens = DEFAULT_MEDIA,
        max_texts: int = 65_536,
        max_chars: int = 16_777_216,
    ) -> None:
        if max_texts < 2 or max_chars < 2:
            raise ConfigError("max_texts and max_chars must be at least 2")
        if not callable(counter):
            raise ConfigError(
                f"a token counter is a function, not {counter!r}: give counter_for(model)"
            )
        self.counter = counter
        self.media = media
        self.exact = is_exact(counter)
        self._room = (max_texts // 2, max_chars // 2)
        self._young: dict[Key, int] = {}
        self._old: dict[Key, int] = {}
        self._chars = 0

    @property
    def name(self) -> str:
        return counter_name(self.counter)

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __call__(self, text: str) -> int:
        key: Key = text if len(text) <= LONG else _key(text)
        found = self._young.get(key)
        return self._recall(text, key) if found is None else found

    def once(self, text: str) -> int:
        """As a call, but a text that is new is not remembered: nobody will ask for it again."""
        key = _key(text)
        found = self._young.get(key, self._old.get(key))
        return _checked(self._count(text)) if found is None else found

    def lacks(self, text: str) -> bool:
        """Whether *text* has yet to be counted."""
        key = _key(text)
        return key not in self._young and key not in self._old

    def counting(self, text: str) -> Iterator[None]:
        """Count *text* a piece at a step; left before its end, nothing is remembered."""
        if isinstance(self.counter, ExactCounter) and self.lacks(text):
            total = 0
            for count in self.counter.pieces(text):
                total += count
                yield
            self._remember(_key(text), total)
        else:
            self(text)

    def _recall(self, text: str, key: Key) -> int:
        found = self._old.get(key)
        if found is None:
            found = _checked(self._count(text))
        self._remember(key, found)
        return found

    def _count(self, text: str) -> int:
        # Counters of the tiktoken kind refuse special tokens and lone surrogates in a text,
        # and a very long unbroken one.
        try:
            return self.counter(text)
        except ValueError:
            pass
        except BaseException as error:
            if not is_panic(error):
                raise
        if len(text) <= PIECE:
            return self._count_plain(text)
        return sum(self._count(text[at : at + PIECE]) for at in range(0, len(text), PIECE))

    def _count_plain(self, text: str) -> int:
        try:
            return self.counter(plain(text))
        except ValueError:  # its special tokens have other marks, such as [BOS] or <s>
            return self.counter(_BRACKETS.sub(r"\g<0> ", plain(text)))

    def _remember(self, key: Key, count: int) -> None:
        # Threads may race here: the worst that comes of it is a text counted again.
        texts, chars = self._room
        if len(self._young) >= texts or self._chars + len(key) > chars:
            self._young, self._old, self._chars = {}, self._young, 0
        self._young[key] = count
        self._chars += len(key)


@lru_cache(maxsize=32)
def remembered_counter(model: str, media: MediaTokens = DEFAULT_MEDIA) -> CountMemo:
    """The counter of *model*'s family, which remembers what it has counted."""
    return CountMemo(counter_for(model), media=media)


def adopted(counter: TokenCounter) -> TokenCounter:
    """*counter*, a caller's own, as one that refuses no text; ours are as they are."""
    if counter is count_tokens or isinstance(counter, (CountMemo, Estimate, ExactCounter)):
        return counter
    return CountMemo(counter, media=media_of(counter))


def unremembered(counter: TokenCounter) -> TokenCounter:
    """*counter*, for texts that are tried and thrown away."""
    return counter.once if isinstance(counter, CountMemo) else counter


def plain(text: str) -> str:
    """*text* without lone surrogates and with the marks of special tokens broken."""
    return SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text).replace("<|", "< |")


def _key(text: str) -> Key:
    # A text keeps its own hash, so that asking again costs nothing however long it is.
    return text if len(text) <= LONG else (len(text), hash(text))


def _checked(count: object) -> int:
    try:
        whole = index(count)  # type: ignore[arg-type]
    except TypeError:
        whole = -1
    if whole < 0:
        raise TypeError(
            f"the token counter returned {count!r}: it must return a whole number of at least 0"
        )
    return whole
