"""Small values at random, of which made-up texts are put together."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes small values at random; *words* are what it writes with."""

    random: random.Random
    words: Sequence[str]

    def word(self) -> str:
        return self.random.choice(self.words)

    def phrase(self, least: int = 2, most: int = 12) -> str:
        return " ".join(self.word() for _ in range(self.random.randint(least, most)))

    def name(self) -> str:
        """An identifier in one of the usual spellings."""
        parts = [self.word() for _ in range(self.random.randint(1, 3))]
        style = self.random.randrange(5)
        if style == 0:
            return parts[0] + "".join(map(str.title, parts[1:]))
        return ("_", "-", ".", "")[style - 1].join(parts)

    def digits(self, least: int = 1, most: int = 6) -> str:
        return "".join(self.random.choices(string.digits, k=self.random.randint(least, most)))

    def number(self) -> str:
        value = self.random.uniform(-1, 1) * 10 ** self.random.randint(0, 7)
        styles = (f"{value:.0f}", f"{value:.2f}", f"{value:,.2f}", f"{value:.6f}", repr(value))
        return self.random.choice((*styles, f"{value:.3e}", f"{abs(value):.0f}"))

    def hexadecimal(self, least: int = 4, most: int = 64) -> str:
        return self.random.randbytes(self.random.randint(least, most)).hex()

    def base64(self, size: int) -> str:
        return base64.b64encode(self.random.randbytes(size)).decode()

    def uuid(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def time(self) -> str:
        r = self.random.randint
        day = f"{r(1990, 2030)}-{r(1, 12):02}-{r(1, 28):02}"
        clock = f"{r(0, 23):02}:{r(0, 59):02}:{r(0, 59):02}"
        forms = (f"{day}T{clock}Z", f"{day} {clock}", f"{day} {clock},{r(0, 999):03}", day, clock)
        more = (f"{day}T{clock}.{r(0, 10**6):06}+00:00", f"{r(1, 12)}/{r(1, 28)}/{r(1990, 2030)}")
        return self.random.choice((*forms, *more, str(r(10**9, 2 * 10**9))))

    def address(self) -> str:
        if self.random.random() < 0.2:
            return ":".join(f"{self.random.getrandbits(16):x}" for _ in range(8))
        return ".".join(str(self.random.randint(0, 255)) for _ in range(4))

    def path(self) -> str:
        ending = self.random.choice(("", ".py", ".json", ".txt", ".js", ".md", "/", ".log"))
        return "/" + "/".join(self.name() for _ in range(self.random.randint(2, 6))) + ending

    def url(self) -> str:
        host = f"{self.random.choice(('www.', 'api.', '', 'cdn.'))}{self.word()}.{self.end()}"
        query = "&".join(f"{self.name()}={quote(self.value())}" for _ in range(self.few(0, 3)))
        return f"https://{host}{self.path()}" + (f"?{query}" if query else "")

    def end(self) -> str:
        return self.random.choice(("com", "org", "io", "net", "de", "example", "co.uk", "cn"))

    def few(self, least: int, most: int) -> int:
        return self.random.randint(least, most)

    def value(self) -> str:
        """A value as records hold it."""
        kinds = (self.name, self.number, self.phrase, self.time, self.uuid, self.digits, self.word)
        return self.random.choice(kinds)()

    def json(self, depth: int = 3) -> object:
        pick = self.random.random()
        if depth and pick < 0.35:
            return {self.name(): self.json(depth - 1) for _ in range(self.few(1, 7))}
        if depth and pick < 0.45:
            return [self.json(depth - 1) for _ in range(self.few(1, 5))]
        if pick < 0.6:
            return self.random.choice((None, True, False, 0, self.few(0, 10**6), 1.5))
        return self.value()

    def some(self, make: Callable[[], str], separator: str) -> str:
        return separator.join(make() for _ in range(self.few(8, 200)))

    def separator(self) -> str:
        return self.random.choice((",", ", ", ";", "\t", "|", " | ", " ", "  "))
