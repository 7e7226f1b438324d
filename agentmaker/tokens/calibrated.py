"""How a provider counts beside how we do, learnt from the prompts it has counted: arithmetic only.

- A prompt whose count is less than half of ours or more than twice of it teaches nothing.
- What was added between two prompts of one conversation says what a token of ours comes to; what
  tools answer is kept apart from other text, because it is counted most differently.
- What tool schemas come to shows where they come or go.
- All of a factor lies within the same bounds, whatever was learnt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

LEAST, MOST = 0.5, 2.0
"""Bounds of the provider's tokens for one of ours."""

PRIOR = 50.0
"""Tokens that a rate of one weighs before anything is learnt."""

HEAVIEST = 2_000
"""Tokens that one sample weighs at the most: the newest are to be heard."""

MEMORY = 0.9
"""What older samples of a rate weigh beside a new one."""

SETTLING = 0.25
"""Weight of a new measurement of tool schemas, once there are a few."""

TEMPLATE, INSTRUCTIONS = 1_000, 50
"""Tokens that a chat template may add to tools at the most, and about as many as it does."""

UNSURE = 0.15
"""How far from ours a count is before anything is learnt, as a share of it."""

SLACK = 16
"""Tokens by which two prompts may differ beyond what was added."""

AGREEING = 3
"""So many samples in a row say that less is counted, before a window is planned by it."""


def bounded(rate: float) -> float:
    """*rate* within the bounds."""
    if rate < LEAST:
        return LEAST
    return MOST if rate > MOST else rate


def is_within(reported: float, counted: float) -> bool:
    """Whether a provider that counts *reported* for *counted* of ours can be learnt from."""
    return LEAST * counted <= reported <= MOST * counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """One prompt as we count it, in tokens.

    Attributes:
        text: of all messages but what tools answered, and of the response format.
        results: of what tools answered.
        tools: of the schemas.
    """

    text: int = 0
    results: int = 0
    tools: int = 0

    @property
    def messages(self) -> int:
        return self.text + self.results

    @property
    def total(self) -> int:
        return self.text + self.results + self.tools

    def since(self, earlier: Count) -> Count:
        """What was added since *earlier*; negative where something was taken away."""
        return Count(text=self.text - earlier.text, results=self.results - earlier.results)

    @property
    def only_grew(self) -> bool:
        return self.text >= 0 and self.results >= 0


@dataclass(frozen=True, slots=True)
class Rate:
    """The provider's tokens for one of ours, as a ratio of what both counted."""

    reported: float = PRIOR
    counted: float = PRIOR
    value: float = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", bounded(self.reported / self.counted))

    def taught(self, reported: float, counted: float) -> Rate:
        """The rate with one sample more, older ones fading."""
        if counted <= 0:
            return self
        weight = min(counted, HEAVIEST) / counted
        return Rate(
            PRIOR + (self.reported - PRIOR) * MEMORY + reported * weight,
            PRIOR + (self.counted - PRIOR) * MEMORY + counted * weight,
        )


@dataclass(frozen=True, slots=True)
class Rates:
    """What text and what tools' results come to."""

    text: Rate = Rate()
    results: Rate = Rate()

    def of(self, count: Count) -> float:
        """Tokens of the provider for the messages of *count*."""
        return self.text.value * count.text + self.results.value * count.results

    def taught(self, reported: float, added: Count) -> Rates:
        """The rates after *reported* tokens for *added*, shared by what was expected of each."""
        messages = added.messages
        if not (added.only_grew and messages and is_within(reported, messages)):
            return self
        apart = reported / self.of(added)
        return Rates(
            self.text.taught(self.text.value * added.text * apart, added.text),
            self.results.taught(self.results.value * added.results * apart, added.results),
        )

    @property
    def evidence(self) -> float:
        """Tokens behind the rates, those of the prior among them."""
        return self.text.counted + self.results.counted - PRIOR


@dataclass(frozen=True, slots=True)
class Schemas:
    """What one set of tool schemas comes to: *counted* by us, *tokens* by the provider.

    *seen* is how often that was measured.
    """

    counted: int
    tokens: float
    seen: int = 0

    def measured(self, tokens: float) -> Schemas:
        """The same after they were measured to come to *tokens*."""
        seen = self.seen + 1
        off = self.guessed(tokens).tokens - self.tokens
        return Schemas(self.counted, self.tokens + max(SETTLING, 1 / seen) * off, seen)

    def guessed(self, tokens: float) -> Schemas:
        """The same, taken to come to *tokens* within bounds."""
        within = min(MOST * self.counted + TEMPLATE, max(LEAST * self.counted, tokens))
        return replace(self, tokens=within)


NO_TOOLS = Schemas(0, 0.0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A prompt that the provider has counted, in one conversation.

    Attributes:
        count: as we count it.
        digest: of the tool schemas.
        reported: tokens that the provider counted.
        length: messages of the conversation then; *beginning*, their digest.
        recent: what a token of its last messages came to, in the last prompts.
        error: by how much our estimate was off, as a share.
        guessed: whether pictures or sounds were counted, whose cost is a guess.
        doubted: the last prompts, and the provider's counts of them, that were not believed.
    """

    count: Count
    digest: int
    reported: int
    length: int = 0
    beginning: bytes = b""
    recent: tuple[float, ...] = ()
    error: float | None = None
    guessed: bool = False
    doubted: tuple[tuple[Count, int], ...] = ()

    @property
    def schemas(self) -> Schemas:
        return Schemas(self.count.tools, self.count.tools)

    def believes(self, count: Count, reported: int, tools: float = 0.0) -> bool:
        """Whether a later prompt was counted whole, whose schemas come to *tools* more.

        One that grew by more than the provider says may have been cut by it; the next one
        with as many schemas tells, which goes on from there.
        """
        added = count.since(self.count)
        least = self.reported + tools + LEAST * added.messages - SLACK - UNSURE * abs(tools)
        if not added.only_grew or reported >= least:
            return True
        return any(
            reported - before >= LEAST * count.since(earlier).messages - SLACK
            for earlier, before in self.doubted
            if earlier.tools == count.tools
        )

    def doubting(self, count: Count, reported: int) -> Sample:
        """The same after *reported* was not believed."""
        return replace(self, doubted=(*self.doubted, (count, reported))[-AGREEING:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How one conversation is counted, as far as is known.

    Attributes:
        tools: its schemas; *earlier*, those of its sample.
        sample: the last prompt of the conversation that was learnt from.
        samples: prompts of this model learnt from.
        recent: what a token of messages came to in the last of them.
        error: by how much our last estimate was off, as a share.
    """

    rates: Rates = Rates()
    tools: Schemas = NO_TOOLS
    sample: Sample | None = None
    earlier: Schemas = NO_TOOLS
    samples: int = 0
    recent: tuple[float, ...] = ()
    error: float | None = None

    def messages(self, count: Count) -> float:
        """Tokens of the provider for the messages of *count*."""
        added = count if self.sample is None else count.since(self.sample.count)
        return self._grown(added, count.messages)

    def _grown(self, added: Count, messages: int) -> float:
        """Tokens of the provider for *messages* of ours, *added* to the sample among them."""
        if self.sample is None:
            return self.rates.of(added)
        tokens = self.sample.reported - self.earlier.tokens + self.rates.of(added)
        return min(MOST * messages, max(LEAST * messages, tokens))

    def estimate(self, count: Count) -> int:
        """Tokens of the provider for the whole prompt."""
        return round(self.messages(count) + self.tools.tokens)

    def density(self, added: Count) -> float:
        """What a token of the messages comes to once *added* is there."""
        messages = added.messages + (self.sample.count.messages if self.sample else 0)
        return bounded(self._grown(added, messages) / messages) if messages else 1.0

    @property
    def cautious(self) -> float:
        """The highest density of the last prompts; a missing one is one."""
        recent = self.sample.recent if self.sample else self.recent
        return max(recent, default=1.0) if len(recent) >= AGREEING else max((1.0, *recent))


def newest(recent: tuple[float, ...], density: float) -> tuple[float, ...]:
    """*recent* with one more, the oldest left out."""
    return (*recent, bounded(density))[-AGREEING:]


def share_of_tools(rates: Rates, count: Count) -> float:
    """Of what a first prompt is off by, the part that lies with its tool schemas.

    By the squares of how unsure either count is: that of the messages gets surer.
    """
    text = UNSURE * count.messages * math.sqrt(PRIOR / rates.evidence)
    tools = UNSURE * count.tools + INSTRUCTIONS
    return tools * tools / (tools * tools + text * text)


def spread(parts: Mapping[str, int], total: int) -> dict[str, int]:
    """*total* shared out in proportion to *parts*, by largest remainder: it adds up."""
    whole = sum(parts.values())
    if not whole:
        return dict(parts)
    shares = {name: part * total // whole for name, part in parts.items()}
    left = total - sum(shares.values())
    for name in sorted(parts, key=lambda name: parts[name] * total % whole, reverse=True)[:left]:
        shares[name] += 1
    return shares
