"""Made-up work of a planner and of a critic: reports full of figures, points of criticism."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

CITIES = ["Lisbon", "Porto", "Madrid", "Sevilla", "Nice", "Genova", "Roma", "Bari", "Graz", "Bern"]
GOODS = ["olive oil", "dried fruit", "cork tiles", "tinned fish", "sea salt", "wool blankets"]
REMARKS = (
    "The branch manager was helpful and sent the ledgers by mail within the hour.",
    "Nothing in the correspondence explains the difference to what the auditors wrote.",
    "The older statements are scanned and hard to read, but they agree with the ledger.",
    "Two of the suppliers have since moved, and their papers were filed under other names.",
    "It seems that the harbour dues were booked twice, which the office will look into.",
)
FIGURE = re.compile(r"[^\s\[\]();…]*\d[^\s\[\]();…]*")


def figures(text: str) -> list[str]:
    """The words of *text* with a digit in them, whatever they mean."""
    return [found.rstrip(".,:!?") for found in FIGURE.findall(text)]


@dataclass(frozen=True, slots=True)
class Errands:
    """A plan of so many steps, and what comes of each; step *fails* cannot be done."""

    steps: tuple[str, ...]
    reports: tuple[str, ...]
    fails: int

    def status(self, number: int) -> str:
        return "failed" if number == self.fails else "done"


def errands(number: int = 60, seed: int = 5) -> Errands:
    """Reports of 80 to 200 tokens, five to nine figures in each."""
    rng = random.Random(seed)
    fails = max(1, number // 3)
    reports = [_report(rng, at) for at in range(1, number + 1)]
    reports[fails - 1] = f"STEP FAILED: the ledger of 2023-11-{fails:02d} is missing."
    return Errands(tuple(_step(rng, at) for at in range(1, number + 1)), tuple(reports), fails)


def _step(rng: random.Random, at: int) -> str:
    goods, city = rng.choice(GOODS), rng.choice(CITIES)
    return f"Find out what branch {400 + at} in {city} sold of {goods} last year, and to whom."


def _report(rng: random.Random, at: int) -> str:
    facts = [
        f"Branch {400 + at} sold goods for {rng.randrange(10_000, 900_000):,} EUR, which is "
        f"{rng.uniform(1, 30):.1f} % more than the year before.",
        f"The largest order was PO-{rng.randrange(10_000, 99_999)} of "
        f"{rng.randrange(2023, 2025)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}.",
        f"It was paid {rng.randrange(2, 60)} days late.",
        f"There were {rng.randrange(3, 400)} customers, {rng.randrange(2, 90)} of them new.",
        f"Returns came to {rng.randrange(100, 9_999)} EUR.",
    ]
    said = [*facts[: rng.randrange(3, 6)], *rng.sample(REMARKS, rng.randrange(2, 6))]
    return " ".join(sorted(said, key=lambda _: rng.random()))


def page(seed: int) -> str:
    """What a tool gives: some 300 tokens that nobody needs again."""
    rng = random.Random(seed)
    return " ".join(rng.choice(REMARKS) for _ in range(20))


@dataclass(frozen=True, slots=True)
class Review:
    """Answers and critiques, round by round."""

    answers: tuple[str, ...]
    critiques: tuple[tuple[str, ...], ...]

    @property
    def points(self) -> list[str]:
        """Every distinct point, in words."""
        return list(dict.fromkeys(words(each) for some in self.critiques for each in some))


def review(rounds: int = 40, seed: int = 6) -> Review:
    """Two or three points a round, every third one made before, in other capitals."""
    rng = random.Random(seed)
    made: list[str] = []
    critiques = []
    for _ in range(rounds):
        points: list[str] = []
        for _ in range(rng.randrange(2, 4)):
            known = made and rng.random() < 1 / 3
            points.append(rng.choice(made).upper() if known else _point(rng))
        made += points
        critiques.append(tuple(points))
    answers = tuple(_answer(rng) for _ in range(rounds + 1))
    return Review(answers, tuple(critiques))


def _point(rng: random.Random) -> str:
    kind = rng.choice(("misses the date of", "gives the wrong total for", "never explains"))
    return (
        f"Paragraph {rng.randrange(1, 40)} {kind} order PO-{rng.randrange(10_000, 99_999)} "
        f"of {rng.randrange(100, 9_999)} EUR from {rng.choice(CITIES)}"
    )


def _answer(rng: random.Random) -> str:
    """Some 300 tokens."""
    return "\n\n".join(_report(rng, at) for at in range(1, 3))


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def says(body: Any) -> tuple[str, str]:
    """The user's text in a request, and the role of its newest message."""
    asked = next(each["content"] for each in body["messages"] if each["role"] == "user")
    return asked, body["messages"][-1]["role"]
