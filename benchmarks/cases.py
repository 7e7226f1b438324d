"""Made-up conversations that wait for room, every unit and every candidate a small part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agentmaker import CallableSource, ContextSource, RetrievalResult
from benchmarks.texts import Message, Writer, chinese, english

LARGEST = 0.05
"""No unit and no candidate is a larger share of the room."""

LEAST = 12
SYSTEM = 200
OUTPUT_TOKENS = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One request to fill: more waits for the window than it can hold."""

    window: int
    messages: list[Message]
    sources: Sequence[ContextSource] = ()


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes the parts of one case, *most* tokens each at the largest."""

    writer: Writer
    most: int

    @property
    def size(self) -> int:
        return self.writer.random.randint(LEAST, self.most)

    def chat(self, amount: int) -> list[Message]:
        """Questions and answers."""
        roles = ("user", "assistant")
        return self._until(amount, lambda n: [self.writer.says(roles[n % 2], self.size)])[:-1]

    def steps(self, amount: int) -> list[Message]:
        """Calls with their results, which need some room each."""
        return self._until(amount, lambda n: self.writer.step(n, max(40, self.size)))

    def question(self) -> Message:
        return self.writer.says("user", self.size)

    def source(self, name: str, amount: int) -> ContextSource:
        candidates = [
            RetrievalResult(content=each["content"], score=1 / (rank + 1), source=name)
            for rank, each in enumerate(self.chat(amount))
        ]
        return CallableSource(name, lambda query: candidates)

    def _until(self, amount: int, made: Callable[[int], list[Message]]) -> list[Message]:
        """Parts until they exceed *amount* tokens, each taken to have half of the most."""
        parts = max(2, 2 * amount // self.most) // 2 * 2 + 1
        return [message for number in range(parts) for message in made(number)]


Kind = Callable[[Maker, int], tuple[list[Message], list[ContextSource]]]


def chat(maker: Maker, room: int) -> tuple[list[Message], list[ContextSource]]:
    return [*maker.chat(2 * room), maker.question()], []


def trajectory(maker: Maker, room: int) -> tuple[list[Message], list[ContextSource]]:
    return [maker.question(), *maker.steps(2 * room)], []


def mixed(maker: Maker, room: int) -> tuple[list[Message], list[ContextSource]]:
    """Chat, an earlier turn with tools, the question, its own steps."""
    earlier = [*maker.chat(room), maker.question(), *maker.steps(room)]
    answer = maker.writer.says("assistant", maker.size)
    return [*earlier, answer, maker.question(), *maker.steps(room // 2)], []


def chat_and_sources(maker: Maker, room: int) -> tuple[list[Message], list[ContextSource]]:
    messages, _ = chat(maker, room)
    return messages, [maker.source("rag", room), maker.source("memory", room)]


def trajectory_and_source(maker: Maker, room: int) -> tuple[list[Message], list[ContextSource]]:
    messages, _ = trajectory(maker, room)
    return messages, [maker.source("rag", 2 * room)]


def sources_alone(maker: Maker, room: int) -> tuple[list[Message], list[ContextSource]]:
    """A short conversation that leaves most of the window to what was found."""
    messages = [*maker.chat(room // 4), maker.question()]
    return messages, [maker.source("rag", 2 * room), maker.source("memory", room)]


KINDS: dict[str, Kind] = {
    "chat": chat,
    "tool steps": trajectory,
    "chat and tool steps": mixed,
    "chat, two sources": chat_and_sources,
    "tool steps, one source": trajectory_and_source,
    "short chat, two sources": sources_alone,
}


def cases(kind: Kind, window: int, number: int) -> Iterator[Case]:
    """*number* cases, English and Chinese in turn, from seeds of their own."""
    # The margin of the engine is not known here; it is far below the 5 %.
    room = window - OUTPUT_TOKENS - SYSTEM
    for writer in map(_writer, range(number)):
        maker = Maker(writer, int(room * LARGEST * 0.95))
        messages, sources = kind(maker, room)
        system = maker.writer.says("system", SYSTEM)
        yield Case(window=window, messages=[system, *messages], sources=sources)


def _writer(seed: int) -> Writer:
    return english(seed) if seed % 2 else chinese(seed)
