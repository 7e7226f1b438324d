"""Makes one block of text out of what the sources gave, within its room."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from agentmaker.context.allocation import ContextConfig, Demand, allocate
from agentmaker.context.counting import counted
from agentmaker.context.gather import Fetched
from agentmaker.context.mmr import ammr_select
from agentmaker.context.results import Block, RetrievalResult, SourceOutcome
from agentmaker.tokens import TokenCounter

_FIRST = ("memory", "rag", "history", "tool")

# A shorter text may stand inside another by chance.
_TELLING = 40


@dataclass(slots=True)
class _Section:
    """The candidates of one source, the best first, with what each costs."""

    fetched: Fetched
    heading: str
    items: tuple[str, ...]
    costs: tuple[int, ...]
    opening: int
    kept: set[int] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.fetched.outcome.name

    @property
    def cost(self) -> int:
        return self.opening + sum(self.costs[index] for index in self.kept) if self.kept else 0

    @property
    def text(self) -> str:
        lines = [_line(self.items[index]) for index in sorted(self.kept)]
        return "\n".join([self.heading, *lines])

    def price(self, index: int) -> int:
        return self.costs[index] + (0 if self.kept else self.opening)

    def waiting(self) -> Iterator[int]:
        return (index for index in range(len(self.items)) if index not in self.kept)


@dataclass(frozen=True, slots=True)
class BlockMaker:
    """Turns what was fetched into a block: selects, shares the room, lays out.

    *heading* names the section of a source.
    """

    config: ContextConfig
    counter: TokenCounter
    heading: Callable[[str], str]

    async def make(
        self, fetched: Sequence[Fetched], room: int, *, exclude: Collection[str] = ()
    ) -> Block:
        """The block of at most *room* tokens; texts that stand in *exclude* are not repeated.

        Sections stand in a fixed order: memory, rag, history, tool, then others as given.
        """
        ordered = sorted(fetched, key=lambda each: _place(each.outcome.name))
        said = _Said(exclude)
        sections = [await self._section(each, room, said) for each in ordered]
        self._share(sections, room)
        text, tokens = await self._settle([each for each in sections if each.items], room)
        outcomes = {each.name: _outcome(each) for each in sections}
        return Block(text, tokens, tuple(outcomes[each.outcome.name] for each in fetched))

    async def _section(self, fetched: Fetched, room: int, said: _Said) -> _Section:
        heading = self.heading(fetched.outcome.name)
        opening = self.counter(f"{heading}\n\n") if fetched.candidates else 0
        fresh = [each for each in fetched.candidates if each.content not in said]
        contents = dict.fromkeys(each.content for each in fresh)
        said.add(contents)
        lines = [f"{_line(content)}\n" for content in contents]
        costs = dict(zip(contents, await counted(lines, self.counter), strict=True))
        fitting = [each for each in fresh if opening + costs[each.content] <= room]
        items = tuple([each.content for each in await self._select(fitting)])
        return _Section(fetched, heading, items, tuple(costs[item] for item in items), opening)

    async def _select(self, candidates: list[RetrievalResult]) -> list[RetrievalResult]:
        return await ammr_select(
            candidates,
            lambda_=self.config.mmr_lambda,
            dedup_threshold=self.config.dedup_threshold,
        )

    def _share(self, sections: Sequence[_Section], room: int) -> None:
        quotas = self.config.quotas(room)
        demands = [
            Demand(
                name=each.name,
                quota=quotas[each.name],
                costs=each.costs,
                opening=each.opening,
            )
            for each in sections
        ]
        kept = allocate(demands, room, borrow=self.config.allow_borrow)
        for each in sections:
            each.kept.update(kept[each.name])

    async def _settle(self, sections: Sequence[_Section], room: int) -> tuple[str, int]:
        """Count the whole: counted one by one its parts cost a little more, seldom less."""
        text, tokens = await self._render(sections)
        while tokens > room:
            _drop_last(sections)
            text, tokens = await self._render(sections)
        while self.config.allow_borrow and (added := _top_up(sections, room - tokens)):
            fuller, count = await self._render(sections)
            if count > room:
                _take_back(added)
                break
            text, tokens = fuller, count
        return text, tokens

    async def _render(self, sections: Sequence[_Section]) -> tuple[str, int]:
        text = "\n\n".join(each.text for each in sections if each.kept)
        (tokens,) = await counted([text], self.counter) if text else (0,)
        return text, tokens


class _Said:
    """The texts that need not be said again."""

    def __init__(self, texts: Collection[str]) -> None:
        self._texts = {text.strip() for text in texts}
        self._long = [text for text in self._texts if len(text) > _TELLING]

    def __contains__(self, content: str) -> bool:
        content = content.strip()
        return content in self._texts or (len(content) >= _TELLING and self._inside(content))

    def add(self, contents: Iterable[str]) -> None:
        self._texts.update(content.strip() for content in contents)

    def _inside(self, content: str) -> bool:
        return any(content in text for text in self._long)


def _line(content: str) -> str:
    return f"- {content}"


def _place(name: str) -> int:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def _drop_last(sections: Sequence[_Section]) -> None:
    last = max((each for each in sections if each.kept), key=lambda each: max(each.kept))
    last.kept.remove(max(last.kept))


def _top_up(sections: Sequence[_Section], spare: int) -> list[tuple[_Section, int]]:
    """Keep what fits in *spare*, the best ranks first; returns what was added."""
    added: list[tuple[_Section, int]] = []
    waiting = [(index, each) for each in sections for index in each.waiting()]
    for index, section in sorted(waiting, key=lambda each: (each[0], each[1].name)):
        price = section.price(index)
        if price <= spare:
            spare -= price
            section.kept.add(index)
            added.append((section, index))
    return added


def _take_back(added: list[tuple[_Section, int]]) -> None:
    for section, index in added:
        section.kept.remove(index)


def _outcome(section: _Section) -> SourceOutcome:
    return replace(section.fetched.outcome, kept=len(section.kept), tokens=section.cost)
