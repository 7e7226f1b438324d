"""What a text looks like: how often each of some short patterns occurs in it.

A text is looked at as UTF-8 and as its *shape*, in which each character is one byte of its class:
``a`` a small letter, ``A`` a capital, ``0`` a digit, ``3`` three digits, ``.`` sentence marks,
``(`` brackets, ``-`` dashes, ``/`` slashes, ``"`` quotes, ``=`` other signs, a script its
leading byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter, mul

CONTINUATIONS = bytes(range(0x80, 0xC0))

IN_SHAPE = (
    *(b" ", b"0", b"=", b"-", b".", b"3", b"\t", b"(", b"/", b"A", b"\n"),
    *(b"00", b"33", b"aaa", b"aaaa", b"aaaaaa", b"aaaaaaaaaaaa", b"    ", b"        "),
    *(b"--", b"----------------", b"....", b"====", b"\t\t\t", b"\n\n"),
    *(b"aAA", b"Aaaaa", b"a ", b" 0", b" /", b"/a", b"\t(", b"0A", b"0\n", b".\n", b"\nA"),
)
IN_BYTES = (
    *(b"e", b"h", b"j", b"k", b"p", b"q", b"t", b"z"),
    *(b"aa", b"ck", b"gg", b"nt", b"or", b"qu", b"yi", b"--", b";\n"),
    *(b"a ", b"i ", b"s ", b"ed ", b"tion", b" the "),
)
PATTERNS = (*IN_SHAPE, *IN_BYTES)

# Two patterns that meet in one text say more than each alone: the share of one times the other.
PAIRS = (
    *((b"A", b"t"), (b"A", b"-"), (b"A", b"aaaaaaaaaaaa"), (b"A", b"ed "), (b"Aaaaa", b"aaa")),
    *((b"\n", b"Aaaaa"), (b"\nA", b" "), (b"\nA", b"("), (b"\nA", b"p"), (b".", b"Aaaaa")),
    *((b" ", b".\n"), (b"(", b"a "), (b"(", b"("), (b"(", b"/a"), (b"0", b"("), (b"0", b"/a")),
    *((b"/", b"p"), (b"/a", b"/a"), (b"/a", b"s "), (b"0", b" 0"), (b"0", b"0\n")),
    *((b"aaaaaaaaaaaa", b"t"), (b"aaaaaaaaaaaa", b"k"), (b"aaaaaaaaaaaa", b"/a")),
    *((b"e", b"e"), (b"i ", b"i "), (b"j", b"q"), (b"q", b"aaa"), (b"a ", b"h"), (b"t", b"t")),
)


@dataclass(frozen=True, slots=True)
class Script:
    """Patterns that can only occur where the shape has *sign*."""

    sign: bytes
    in_shape: tuple[bytes, ...]
    in_bytes: tuple[bytes, ...] = ()

    def __len__(self) -> int:
        return len(self.in_shape) + len(self.in_bytes)


def _utf8(*texts: str) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


SCRIPTS = (
    Script(b"\xc2", (b"\xc2",)),
    Script(b"\xc3", (b"\xc3",), _utf8(*"çÚÁãäåöüéó")),
    Script(b"\xc4", (b"\xc4", b"\xc4a"), _utf8(*"ěıėđ")),
    Script(b"\xc5", (b"\xc5",), _utf8(*"ūżł")),
    Script(b"\xc6", (b"\xc6",)),
    Script(b"\xcc", (b"\xcc",)),
    Script(b"\xce", (b"\xce", b"\xce\xce"), _utf8("Ρ")),
    Script(
        b"\xd0", (b"\xd0", b"\xd0\xd0", b"\xd0\xd1", b"\xd0\xd0\xd0\xd0"), _utf8("о", "е", "ние")
    ),
    Script(b"\xd1", (b"\xd1", b"\xd1 "), _utf8(*"сі")),
    Script(b"\xd2", (b"\xd2",)),
    Script(b"\xd4", (b"\xd4",)),
    Script(b"\xd6", (b"\xd6", b"\xd6 ")),
    Script(b"\xd8", (b"\xd8", b" \xd8"), _utf8("ا", "ال")),
    Script(b"\xd9", (b"\xd9", b"\xd9\xd8"), _utf8("\N{ARABIC FATHA}")),
    Script(b"\xdb", (b"\xdb",), _utf8(*"یە")),
    Script(b"\xdc", (b"\xdc",)),
    Script(
        b"\xe0",
        (b"\xe0", b"\xe0 ", b"\xe0\xe0"),
        tuple(
            bytes((0xE0, block)) for block in b"\xa4\xa5\xa6\xa8\xaa\xad\xaf\xb0\xb2\xb4\xb6\xb8"
        ),
    ),
    Script(
        b"\xe1",
        (b"\xe1", b"\xe1\xe1", b"\xe1a"),
        tuple(bytes((0xE1, block)) for block in b"\x80\x83\x8b\x9e\xb9\xba\xbb"),
    ),
    Script(
        b"\xe2",
        (b"\xe2", b"\xe2\xe2"),
        (b"\xe2\x80", b"\xe2\x86", b"\xe2\x96", *_utf8("────", "════")),
    ),
    Script(
        b"\xe3",
        (b"\xe3", b"\xe3\xe3", b"\xe3\xe4"),
        (b"\xe3\x80", b"\xe3\x81", b"\xe3\x82", b"\xe3\x83"),
    ),
    Script(b"\xe4", (b"\xe4", b" \xe4"), _utf8("的", "在")),
    Script(b"\xea", (b"\xea",)),
    Script(b"\xeb", (b"\xeb", b"\xeb "), _utf8("다")),
    Script(b"\xef", (b"\xef", b"\xef\xef"), (b"\xef\xb8", b"\xef\xbc")),
    Script(b"\xf0", (b"\xf0", b"\xf0 "), (b"\xf0\x9f",)),
)

PLAIN = 1 + len(PATTERNS)
"""Counts that every text has: its bytes, and the patterns of ASCII."""

SIZE = PLAIN + len(PAIRS) + sum(map(len, SCRIPTS))
"""Counts in all."""

_SIGNS = {"a": "abcdefghijklmnopqrstuvwxyz", "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0": "0123456789"}
_SIGNS |= {
    ".": ".,;:!?",
    "(": "()[]{}<>",
    "-": "-_",
    "/": "/\\",
    '"': "\"'`",
    "\n": "\n\r",
    " ": " ",
}
_LEADS = (
    *(0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xCC, 0xCE, 0xD0, 0xD1, 0xD2, 0xD4, 0xD6, 0xD8, 0xD9, 0xDB),
    *(0xDC, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xEA, 0xEB, 0xEE, 0xEF, 0xF0),
)


def _class_of(byte: int) -> int:
    """Scripts whose leading bytes follow each other share the first of them."""
    if byte >= 0xC2:
        return max(lead for lead in _LEADS if lead <= byte)
    found = (sign for sign, members in _SIGNS.items() if chr(byte) in members)
    return ord(next(found, "=" if byte >= 0x20 else "\t"))


_CLASSES = bytes(map(_class_of, range(256)))
_FIRST = itemgetter(*(1 + PATTERNS.index(first) for first, _ in PAIRS))
_SECOND = itemgetter(*(1 + PATTERNS.index(second) for _, second in PAIRS))


@dataclass(frozen=True, slots=True)
class Shape:
    """A text as UTF-8 and as its classes."""

    utf8: bytes
    classes: bytes

    def plain(self) -> list[int]:
        """Bytes, then how often each of `PATTERNS` occurs."""
        shape, utf8 = self.classes.count, self.utf8.count
        return [len(self.utf8), *map(shape, IN_SHAPE), *map(utf8, IN_BYTES)]

    def script(self, script: Script) -> Iterator[int]:
        yield from map(self.classes.count, script.in_shape)
        yield from map(self.utf8.count, script.in_bytes)


def shape_of(text: str) -> Shape:
    """The shape of any string, lone surrogates included."""
    utf8 = text.encode("utf-8", "surrogatepass")
    return Shape(utf8, utf8.translate(_CLASSES, CONTINUATIONS).replace(b"000", b"3"))


def pairs_of(plain: Sequence[int]) -> Iterator[int]:
    """The products that, divided by the bytes, count for `PAIRS`."""
    return map(mul, _FIRST(plain), _SECOND(plain))
