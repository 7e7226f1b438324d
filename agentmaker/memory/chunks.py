"""Parts a text into chunks of so many tokens, cut where its structure allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agentmaker.context.clip import cut_to
from agentmaker.context.knobs import check_count
from agentmaker.memory.blocks import CHARACTER, NEVER, Block, blocks, lines, sentences, words
from agentmaker.tokens import TokenCounter, count_tokens

_SPARSE = 16  # characters a token: what is longer than that allows is not counted whole
_FINER = (lines, sentences, words)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a text, from character *start* to *end*.

    Attributes:
        headings: what it stands under, the outermost first; not those within its own text.
    """

    text: str
    start: int
    end: int
    headings: tuple[str, ...] = ()


def chunks(text: str, *, most: int, counter: TokenCounter = count_tokens) -> tuple[Chunk, ...]:
    """*text* in chunks of at most *most* tokens each, cut at headings rather than paragraphs,
    at these rather than rows, sentences, words and characters.

    Nothing is lost: each character that is not blank lies in one chunk, in order. A character
    that counts more than *most* by itself is a chunk nevertheless.

    Raises:
        ConfigError: *most* is less than 1.
    """
    most = check_count("most", most, least=1)
    if _fits(text, most, counter):
        return _trimmed(text, 0, len(text), ())
    pieces = [piece for block in blocks(text) for piece in _fitting(text, block, most, counter)]
    return tuple(_chunks(text, pieces, most, counter))


def _fits(text: str, most: int, counter: TokenCounter) -> bool:
    return len(text) <= most * _SPARSE and counter(text) <= most


class _Piece(NamedTuple):
    block: Block
    tokens: int


def _fitting(
    text: str, block: Block, most: int, counter: TokenCounter, finer: int = 0
) -> Iterator[_Piece]:
    """*block* in pieces that fit, as few cuts and as good ones as that takes."""
    countable = block.end - block.start <= most * _SPARSE
    if countable and (tokens := counter(text[block.start : block.end].rstrip())) <= most:
        yield _Piece(block, tokens)
    elif finer == len(_FINER):
        yield from _characters(text, block, most, counter)
    else:
        for each in _FINER[finer](text, block):
            yield from _fitting(text, each, most, counter, finer + 1)


def _characters(text: str, block: Block, most: int, counter: TokenCounter) -> Iterator[_Piece]:
    while block.start < block.end:
        window = text[block.start : min(block.end, block.start + most * _SPARSE)]
        part = cut_to(window, most, counter) or window[:1]
        behind = block.start + len(part)
        yield _Piece(block._replace(end=behind), counter(part))
        block = Block(behind, block.end, CHARACTER)


def _chunks(
    text: str, pieces: Sequence[_Piece], most: int, counter: TokenCounter
) -> Iterator[Chunk]:
    path: list[Block] = []
    first = 0
    while first < len(pieces):
        opening = pieces[first].block
        behind = _behind(text, pieces, first, most, counter)
        above = [each for each in path if not opening.level or each.level < opening.level]
        titles = tuple(each.title for each in above)
        yield from _trimmed(text, opening.start, pieces[behind - 1].block.end, titles)
        for block, _ in pieces[first:behind]:
            if block.level:
                path = [*(each for each in path if each.level < block.level), block]
        first = behind


def _behind(
    text: str, pieces: Sequence[_Piece], first: int, most: int, counter: TokenCounter
) -> int:
    """The piece behind the last of the chunk that begins with *first*."""
    start = pieces[first].block.start

    def fits(behind: int) -> bool:
        return counter(text[start : pieces[behind - 1].block.end].rstrip()) <= most

    behind = _farthest(pieces, first, most)
    low = first + 1
    while low < behind and not fits(behind):  # blank lines in between, or tokens where parts meet
        middle = (low + behind) // 2
        low, behind = (middle, behind - 1) if fits(middle) else (low, middle - 1)
    behind = max(behind, first + 1)  # by a counter that grows and shrinks, not even one may fit
    if behind == len(pieces):
        return behind
    best = _best_cut(pieces, first, behind)
    return best if best == behind or fits(best) else behind


def _farthest(pieces: Sequence[_Piece], first: int, most: int) -> int:
    tokens, behind = pieces[first].tokens, first + 1
    while behind < len(pieces) and (tokens := tokens + pieces[behind].tokens) <= most:
        behind += 1
    return behind


def _best_cut(pieces: Sequence[_Piece], first: int, behind: int) -> int:
    """The best place to cut of the second half, or of the first where that has none."""
    half = (pieces[first].block.start + pieces[behind - 1].block.end) // 2
    places = range(first + 1, behind + 1)

    def worth(place: int) -> tuple[bool, int, int]:
        block = pieces[place].block
        return block.start >= half and block.cut > NEVER, block.cut, place

    return max(places, key=worth)


def _trimmed(text: str, start: int, end: int, headings: tuple[str, ...]) -> tuple[Chunk, ...]:
    """The chunk without blank lines around it, which may be none."""
    part = text[start:end]
    bare = part.lstrip()
    if not bare:
        return ()
    start += part.rfind("\n", 0, len(part) - len(bare)) + 1
    end = start + len(text[start:end].rstrip())
    return (Chunk(text[start:end], start, end, headings),)
