"""The estimate of the documentation: one token a CJK character, else one for four characters."""

from __future__ import annotations

from collections.abc import Callable

TokenCounter = Callable[[str], int]
"""Tokens of a text. Every budget decision takes one."""


def no_text(text: object) -> TypeError:
    """What a counter raises for what is no string."""
    kind = type(text).__name__
    return TypeError(f"a token counter takes a string, not {kind}: count the text that is sent")


def count_tokens(text: str) -> int:
    """Estimate the tokens of *text* before it is sent; never used for cost.

    Characters in U+3040-30FF, 3400-4DBF, 4E00-9FFF, AC00-D7A3 and F900-FAFF count one each,
    the others ceil(n / 4). White space is not special, so base64 and long URLs are counted.

    Raises:
        TypeError: *text* is not a string.
    """
    if not isinstance(text, str):
        raise no_text(text)
    if text.isascii():
        return -(-len(text) // 4)
    cjk = _count_cjk(text)
    return cjk + -(-(len(text) - cjk) // 4)


def _count_cjk(text: str) -> int:
    # A megabyte in milliseconds: each UTF-16 unit is a high and a low byte. A table gives every
    # high byte the one bit of its kind of block (or none), another gives every low byte the bits
    # of the blocks it lies in, and the bits in common are the characters sought.
    units = text.encode("utf-16-be", "surrogatepass")
    high = int.from_bytes(units[0::2].translate(_HIGH), "big")
    low = int.from_bytes(units[1::2].translate(_LOW), "big")
    return (high & low).bit_count()


_WHOLE = 1
_PARTIAL = {0x30: (2, range(0x40, 0x100)), 0x4D: (4, range(0xC0)), 0xD7: (8, range(0xA4))}
_WHOLE_BLOCKS = {*range(0x34, 0x4D), *range(0x4E, 0xA0), *range(0xAC, 0xD7), 0xF9, 0xFA}


def _high_bits(byte: int) -> int:
    bit, _ = _PARTIAL.get(byte, (_WHOLE if byte in _WHOLE_BLOCKS else 0, None))
    return bit


def _low_bits(byte: int) -> int:
    return _WHOLE | sum(bit for bit, block in _PARTIAL.values() if byte in block)


_HIGH = bytes(map(_high_bits, range(256)))
_LOW = bytes(map(_low_bits, range(256)))
