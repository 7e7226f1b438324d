"""What was learnt of how a server counts, by model, tool schemas and conversation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.messages import Message, has_media
from agentmaker.scope import Scope
from agentmaker.tokens.calibrated import (
    AGREEING,
    NO_TOOLS,
    Count,
    Rate,
    Rates,
    Sample,
    Scale,
    Schemas,
    is_within,
    newest,
    share_of_tools,
)

LOOK_BACK = 32
"""So many messages may be added between one request of a conversation and the next."""

CLOSE = 0.05
"""A count within this share of what was expected is as expected."""


class Place(NamedTuple):
    """Where a conversation stands: messages of one scope, told to one model."""

    model: str
    scope: Scope | None
    digest: bytes

    def __hash__(self) -> int:
        return hash(self.digest)  # the rest is seldom another, and dear to hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a model: rates of its messages and schemas, and of its last samples."""

    rates: Rates = field(default_factory=Rates)
    schemas: Rate = field(default_factory=Rate)
    samples: int = 0
    recent: tuple[float, ...] = ()
    error: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether the last prompts were enough, and all counted alike."""
        return _agree(self.recent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A prompt about to be sent, and what its server is expected to count.

    Attributes:
        count: as we count it.
        digest: of the tool schemas.
        conversation: all of it, whether it is sent or was cut.
        tokens: that the server is expected to count.
    """

    place: Place
    scale: Scale
    count: Count
    digest: int
    conversation: Sequence[Message]
    tokens: int

    @property
    def guessed(self) -> bool:
        """Whether pictures or sounds are counted, whose cost is a guess."""
        sample = self.scale.sample
        if sample is not None and sample.guessed:
            return True
        fresh = self.conversation[sample.length if sample else 0 :]
        return any(map(has_media, [each.content for each in fresh]))

    def teaches(self, reported: int, cached: int = 0) -> bool:
        """Whether a count can be learnt from: it is whole, and within bounds."""
        if cached > reported or not is_within(reported, self.count.total):
            return False
        if not cached or _is_close(reported, self.tokens):
            return True
        return not _is_close(reported + cached, self.tokens)

    def is_whole(self, before: Sample, reported: int) -> bool:
        """Whether a count is that of the whole prompt, as far as the one *before* tells.

        What comes to as much as others of the model do is, and what schemas that are not known
        come to hides what was cut.
        """
        scale, tools = self.scale, self.scale.tools
        if _is_close(reported, scale.rates.of(self.count) + tools.tokens):
            return True
        if before.digest != self.digest and not (tools.seen and scale.earlier.seen):
            return True
        return before.believes(self.count, reported, tools.tokens - scale.earlier.tokens)


class Calibrations:
    """A memory for the server of one client, of *maximum* models, schemas and samples each.

    Rates belong to a model, schemas to a model too, a sample to its conversation in its scope.
    Threads may share it.
    """

    def __init__(self, maximum: int = 1_000) -> None:
        self._known: Remembered[str, Known] = Remembered(maximum)
        self._schemas: Remembered[Hashable, Schemas] = Remembered(maximum)
        self._samples: Remembered[Place, Sample] = Remembered(maximum)

    def scale(
        self,
        model: str,
        scope: Scope | None,
        digests: Sequence[bytes],
        tools: Schemas = NO_TOOLS,
        digest: int = 0,
    ) -> Scale:
        """How the conversation with *digests* of its beginnings is counted, *tools* beside it."""
        known = self._known.get(model)
        if known is None:
            return Scale(tools=tools)
        sample = self._latest(model, scope, digests)
        tools = earlier = self._of(model, known.schemas, tools, digest)
        if sample is None:
            earlier = NO_TOOLS
        elif sample.digest != digest:
            earlier = self._of(model, known.schemas, sample.schemas, sample.digest)
        return Scale(
            rates=known.rates,
            tools=tools,
            sample=sample,
            earlier=earlier,
            samples=known.samples,
            recent=known.recent,
            error=sample.error if sample else known.error,
        )

    def learn(self, expected: Expected, reported: int, cached: int = 0) -> bool:
        """Learn from what a server counted for a prompt; whether there was anything to learn."""
        if not expected.teaches(reported, cached):
            return False
        before = expected.scale.sample
        if before and not expected.is_whole(before, reported):
            doubting = before.doubting(expected.count, reported)
            self._move(expected.place, replace(doubting, beginning=expected.place.digest), before)
            return False
        self._book(expected, reported)
        return True

    def forget_unsure(
        self, model: str, scope: Scope | None, digests: Sequence[bytes], digest: int = 0
    ) -> bool:
        """Forget what was learnt for a call, unless the last prompts agree on it; whether it was.

        A wrong report would refuse every call, and nothing would be learnt any more.
        """
        known, tools = self._known.get(model), self._schemas.get((model, digest))
        sample = self._latest(model, scope, digests)
        if unsure := sample is not None and not _agree(sample.recent):
            self._samples.drop(Place(model, scope, sample.beginning))
        if known is None or (known.agrees and (tools is None or tools.seen >= AGREEING)):
            return unsure
        self._known.drop(model)
        self._schemas.drop((model, digest))
        return True

    def _book(self, expected: Expected, reported: int) -> None:
        place, before, guessed = expected.place, expected.scale.sample, expected.guessed
        known = self._known.get(place.model) or Known()
        rates, schemas = known.rates, known.schemas
        if not guessed:
            rates, schemas = self._taught(known, expected, reported)
        tools = self._of(place.model, schemas, expected.scale.tools, expected.digest)
        density = (reported - tools.tokens) / max(1, expected.count.messages)
        error = (expected.tokens - reported) / reported
        sample = Sample(
            count=expected.count,
            digest=expected.digest,
            reported=reported,
            length=len(expected.conversation),
            beginning=place.digest,
            recent=newest(before.recent if before else known.recent, density),
            error=error,
            guessed=guessed,
            doubted=before.doubted if before else (),
        )
        learnt = Known(
            rates=rates,
            schemas=schemas,
            samples=known.samples + 1,
            recent=known.recent if guessed else newest(known.recent, density),
            error=error,
        )
        self._known.put(place.model, learnt)
        self._move(place, sample, before)

    def _move(self, place: Place, sample: Sample, before: Sample | None) -> None:
        """Keep *sample* at *place*, in the place of the one *before*.

        Whoever goes back there has the rates: one sample is kept of a conversation.
        """
        self._samples.put(place, sample)
        if before is not None and before.beginning != place.digest:
            self._samples.drop(Place(place.model, place.scope, before.beginning))

    def _taught(self, known: Known, expected: Expected, reported: int) -> tuple[Rates, Rate]:
        """The rates of messages and schemas after what the difference from the last sample says."""
        model, before, count = expected.place.model, expected.scale.sample, expected.count
        if before is None:
            now = self._of(model, known.schemas, expected.scale.tools, expected.digest)
            if not now.seen:
                off = reported - known.rates.of(count) - now.tokens
                now = now.guessed(now.tokens + off * share_of_tools(known.rates, count))
                self._put(model, expected.digest, now)
            return known.rates.taught(reported - now.tokens, count), known.schemas
        added, more = count.since(before.count), reported - before.reported
        if before.digest == expected.digest:
            return known.rates.taught(more, added), known.schemas
        now = self._of(model, known.schemas, expected.scale.tools, expected.digest)
        earlier = self._of(model, known.schemas, expected.scale.earlier, before.digest)
        rates = known.rates
        if now.seen and earlier.seen:
            rates = rates.taught(more - now.tokens + earlier.tokens, added)
            if not added.only_grew:
                return rates, known.schemas
        apart = more - known.rates.of(added)
        if not count.tools:
            measured, digest = earlier.measured(-apart), before.digest
        else:
            measured, digest = now.measured(earlier.tokens + apart), expected.digest
        self._put(model, digest, measured)
        return rates, known.schemas.taught(measured.tokens, measured.counted)

    def _of(self, model: str, others: Rate, tools: Schemas, digest: int) -> Schemas:
        """What *tools* come to: as measured, else by what others of their kind did."""
        if not tools.counted:
            return NO_TOOLS
        measured = self._schemas.get((model, digest))
        return measured or Schemas(tools.counted, tools.counted * others.value)

    def _put(self, model: str, digest: int, tools: Schemas) -> None:
        self._schemas.put((model, digest), tools)

    def _latest(self, model: str, scope: Scope | None, digests: Sequence[bytes]) -> Sample | None:
        """The sample of the longest beginning, among the last ones."""
        newest_first = islice(reversed(digests), LOOK_BACK)
        return self._samples.first(map(partial(Place, model, scope), newest_first))


def _agree(densities: Sequence[float]) -> bool:
    """Whether they are enough, and all alike."""
    most = max(densities, default=0.0)
    return len(densities) >= AGREEING and most - min(densities) <= CLOSE * most


def _is_close(tokens: float, expected: float) -> bool:
    return abs(tokens - expected) <= CLOSE * expected
