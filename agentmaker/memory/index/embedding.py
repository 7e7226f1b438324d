"""Embeddings from whatever callable makes them, checked before anything is kept."""

from __future__ import annotations

import inspect
import math
from array import array
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from anyio import fail_after, get_cancelled_exc_class

from agentmaker.context.knobs import check_seconds
from agentmaker.context.mmr.embeddings import floats
from agentmaker.context.results import Embedding
from agentmaker.context.threads import DaemonThreads, TooManyHanging, is_async
from agentmaker.context.together import is_cancellation
from agentmaker.errors import ConfigError, EmbeddingError

BATCH = 64
"""Texts in one call."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors in the order of the texts, and the *tokens* it took, None where nobody counts."""

    vectors: Sequence[Embedding]
    tokens: int | None = None


Vectors: TypeAlias = Sequence[Embedding] | Embedded
Embedder: TypeAlias = Callable[[Sequence[str]], Vectors | Awaitable[Vectors]]
"""Makes a vector of each text, all of one width. Its ``name``, where it has one, tells its
vectors from those of others: it should change whenever they do."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one call gave: a vector of length 1 of each text, as packed 32-bit floats."""

    vectors: tuple[bytes, ...]
    tokens: int | None


class ReadEmbedder:
    """An embedder that is async, in time and checked.

    Raises:
        EmbeddingError: (when called) it failed, was late, or gave another number of vectors
            than there are texts, vectors of several widths, or numbers that are none.
    """

    def __init__(self, given: Embedder, timeout: float | None) -> None:
        self.name = _name(given)
        self._given = given
        self._timeout = timeout
        self._threads = DaemonThreads()

    async def __call__(self, texts: Sequence[str]) -> Batch:
        try:
            with fail_after(self._timeout):
                made = await self._made(tuple(texts))
        except TimeoutError:
            raise EmbeddingError(self._late()) from None
        except TooManyHanging as error:
            raise EmbeddingError(f"the embedder was not asked again: {error}") from error
        except get_cancelled_exc_class() as fault:
            if is_cancellation(fault):
                raise
            # Nobody cancelled it, so it raised this by itself.
            raise EmbeddingError("the embedder cancelled itself: mend it, or try again") from None
        except Exception as error:
            # Whoever wrote the error may have put the text into it.
            raise EmbeddingError(
                f"the embedder failed ({type(error).__name__}): mend it, or try again"
            ) from error
        return _checked(made, len(texts))

    def _late(self) -> str:
        if self._timeout is None:
            return "the embedder says it timed out: try again"
        return f"the embedder took longer than {self._timeout:g} s: give it a longer timeout"

    async def _made(self, texts: Sequence[str]) -> Embedded:
        work = partial(self._given, texts)
        made = work() if is_async(self._given) else await self._threads.run(work)
        read = await made if inspect.isawaitable(made) else made
        return read if isinstance(read, Embedded) else Embedded(read)


def read_embedder(given: Embedder, timeout: float | None = None) -> ReadEmbedder:
    """*given* as it is called; *timeout* in seconds for every batch, None for no bound.

    Raises:
        ConfigError: it cannot be called, or *timeout* is not positive.
    """
    if not callable(given):
        raise ConfigError(
            f"an embedder is a function of texts, not {type(given).__name__}: wrap it in one"
        )
    return ReadEmbedder(given, check_seconds("timeout", timeout))


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    return (texts[at : at + BATCH] for at in range(0, len(texts), BATCH))


def _name(given: object) -> str:
    """What tells its vectors from those of others."""
    while isinstance(given, partial):
        given = given.func
    for attribute in ("name", "__qualname__"):
        name = getattr(given, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(given).__qualname__


def _checked(made: Embedded, number: int) -> Batch:
    try:
        vectors = tuple(map(_packed, made.vectors))
    except TypeError as error:
        raise EmbeddingError(
            "the embedder gave no sequence of vectors: have it return one a text"
        ) from error
    if len(vectors) != number:
        raise EmbeddingError(
            f"the embedder gave {len(vectors)} vectors for {number} texts: "
            "have it return one a text, in order"
        )
    check_width(*vectors)
    return Batch(vectors, made.tokens if _is_count(made.tokens) else None)


def _is_count(tokens: object) -> bool:
    return isinstance(tokens, int) and tokens >= 0


def check_width(*vectors: bytes) -> None:
    """Raises EmbeddingError: they are of several widths."""
    widths = sorted({len(vector) // 4 for vector in vectors})
    if len(widths) > 1:
        raise EmbeddingError(
            f"the embedder gave vectors of {widths[-1]} numbers where others have {widths[0]}: "
            "an embedder whose vectors changed needs another name"
        )


def _packed(embedding: Embedding) -> bytes:
    row = floats(embedding)
    values: Sequence[float] = row.tolist() if row is not None else ()
    if not values or not all(map(math.isfinite, values)):
        raise EmbeddingError("the embedder gave a vector with no numbers in it: mend it")
    largest = max(map(abs, values)) or 1.0
    scaled = [value / largest for value in values]
    norm = math.hypot(*scaled) or 1.0
    return array("f", [value / norm for value in scaled]).tobytes()
