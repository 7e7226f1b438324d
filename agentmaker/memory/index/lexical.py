"""Search by words: the `bm25` of SQLite's FTS5 finds candidates, `ranking` orders them.

FTS5 knows one number of rows for all partitions, and that a word in most of them tells nothing.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, islice

from agentmaker.context.words import is_cjk, is_common, sought, terms
from agentmaker.memory.index.items import marks, pieces, rows_of
from agentmaker.memory.index.places import Part, Ranked, best_of_each
from agentmaker.memory.index.ranking import LABEL, Statistics, score
from agentmaker.memory.index.schema import PASSAGES

_WORDS = 32
"""Words looked for: of a longer query the most telling ones."""

_READ = 512
"""Words of a query that are considered at all."""

_LEAST, _TIMES = 100, 3
"""Items that are ranked: so many, or so many times those wanted."""

_FEW = 256
"""Passages that are ranked without being looked for."""

_MANY = 16_384
"""Passages that are looked at for common words; of those, only the rarer ones are sought."""

_EACH = 8
"""Passages of an item that are ranked."""


class Lexical:
    """One search of *searched* for the words of *query*."""

    def __init__(
        self, connection: sqlite3.Connection, query: str, searched: Sequence[Part]
    ) -> None:
        self._connection = connection
        self._searched = searched
        self._words = sought(query)[:_READ]
        self._says_little = all(map(is_common, terms(query)))

    def best(self, limit: int) -> list[Ranked]:
        """The best passage of each item, the best item first."""
        found = [
            (score, part, row)
            for part in self._searched
            for score, row in self._scored(part, self._rows(part, limit))
            if score
        ]
        return best_of_each(self._connection, found, limit)

    def shares(self, rows: Mapping[int, Part]) -> dict[int, float]:
        """How much of what is sought each of *rows* holds, from 0 to 1."""
        most = self._statistics.most(_WORDS) or 1.0
        return {
            row: score / most
            for part in self._searched
            for score, row in self._scored(part, [row for row in rows if rows[row] is part])
        }

    def _rows(self, part: Part, limit: int) -> set[int]:
        """Passages to rank: those of a few items as they are, else those that FTS5 finds."""
        few = set(islice(rows_of(self._connection, part.items or ()), _FEW + 1))
        if part.items is not None and len(few) <= _FEW:
            return few
        most = max(_LEAST, _TIMES * limit)
        rows = self._candidates(part, self._telling, most)
        if len({row // PASSAGES for row in rows}) < limit and self._characters:
            rows |= self._candidates(part, [*self._weights], most)
        return rows

    def _scored(self, part: Part, rows: Collection[int]) -> Iterator[tuple[float, int]]:
        weights = {f"{part.number}_{word}": weight for word, weight in self._weights.items()}
        for some in pieces(sorted(rows)):
            texts = self._connection.execute(
                f"SELECT rowid, label, text FROM words WHERE rowid IN ({marks(some)})", some
            )
            for row, label, text in texts:
                yield score(weights, self._statistics.average, label, text), row

    def _candidates(self, part: Part, words: Sequence[str], most: int) -> set[int]:
        """The passages of *most* items that fit best, and all that fit no worse."""
        if not words:
            return set()
        rows: set[int] = set()
        items: Counter[int] = Counter()
        last = 0.0
        for row, rank in self._connection.execute(
            "SELECT rowid, bm25(words, ?, 1.0) AS rank FROM words WHERE words MATCH ? "
            "ORDER BY rank, rowid",
            (LABEL, " OR ".join(f'"{part.number}_{word}"' for word in words)),
        ):
            item = row // PASSAGES
            if len(items) >= most and rank > last:
                break
            if part.allows(item) and items[item] < _EACH:
                items[item] += 1
                rows.add(row)
                last = rank
        return rows

    @cached_property
    def _statistics(self) -> Statistics:
        holding = {word: self._holding(word) for word in (*self._words, *self._characters)}
        passages = sum(part.totals[0] for part in self._searched)
        length = sum(part.totals[1] for part in self._searched)
        return Statistics(passages, length, holding)

    def _holding(self, word: str) -> int:
        return sum(
            self._connection.execute(
                "SELECT count(*) FROM words WHERE words MATCH ?", (f'"{part.number}_{word}"',)
            ).fetchone()[0]
            for part in self._searched
        )

    @cached_property
    def _weights(self) -> dict[str, float]:
        return dict([*self._statistics.weights().items()][:_WORDS])

    @cached_property
    def _telling(self) -> list[str]:
        """Words and pairs of characters: one character stands in too many passages."""
        words = [word for word in self._weights if word not in self._characters]
        if not self._says_little:
            return words
        held = accumulate(self._statistics.holding[word] for word in words)
        return [word for word, passages in zip(words, held, strict=True) if passages <= _MANY]

    @cached_property
    def _characters(self) -> tuple[str, ...]:
        """Those that are sought in pairs; together they tell which of the pairs' passages fit."""
        pairs = (word for word in self._words if len(word) == 2 and is_cjk(word))
        every = dict.fromkeys(character for pair in pairs for character in pair)
        return tuple(each for each in every if each not in self._words)
