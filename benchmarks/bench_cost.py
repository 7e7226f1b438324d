"""What a call costs: through a wrapped client, through the bare one, and through its ``post``.

CPU time of this process, the three of them in turn (``create`` in a few calls only) and over
loopback to a server in a process of its own. The speed of a shared machine changes from second to
second, so the sizes take turns, some calls at a time, and of the calls of each kind the lower
quartile counts. Each conversation grows by a turn from call to call and is sent as a whole; a text
has about 155 tokens, the window 8,000. Records go to a sink in memory. *Our share* is the whole
wrapped call less the SDK's own ``post`` of the same body.

A call that makes a new cut costs more than those after it, for which the cut stands; the figure
is that of a call for which it stands.
"""

from __future__ import annotations

import copy
import gc
import itertools
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import quantiles
from typing import Any

import anyio
from openai import AsyncOpenAI, AsyncStream, OpenAI
from openai.types.chat import ChatCompletion, ChatCompletionChunk

import agentmaker
from agentmaker.observe import MemorySink
from benchmarks import command
from benchmarks.figures import Bar, Report, Table
from benchmarks.loopback import loopback
from benchmarks.texts import Message, english

TOKENS = 153
"""Of a text at the most, its number not counted."""

WINDOW = 8_000
NO_LIMIT = 100_000_000
SIZES = (10, 100, 500, 1_000, 5_000)
WARM_UP = 4
ROUNDS = 6
CALLS = 10

MODEL = "gpt-4o"
Talk = list[Message]


class Texts:
    """Makes messages of about as many tokens; of 199 texts, each time with a new number."""

    def __init__(self) -> None:
        writer = english(3)
        self.texts = itertools.cycle([writer.text(TOKENS) for _ in range(199)])
        self.number = itertools.count(1)

    def says(self, role: str, **beside: Any) -> Message:
        return {"role": role, "content": f"{next(self.number)} {next(self.texts)}", **beside}

    def chat(self, messages: int) -> Talk:
        """Questions and answers, a question last."""
        return [self.says(("user", "assistant")[nth % 2]) for nth in range(messages // 2 * 2 - 1)]

    def loop(self, messages: int) -> Talk:
        """A question, and behind it calls with their results."""
        steps = (self.step() for _ in range(messages // 2))
        return [self.says("user"), *itertools.chain.from_iterable(steps)]

    def turn(self) -> Talk:
        return [self.says("assistant"), self.says("user")]

    def step(self) -> Talk:
        name = f"call_{next(self.number)}"
        arguments = json.dumps({"order": name, "fields": ["status", "city"]})
        call = {"id": name, "type": "function", "function": {"name": "t0", "arguments": arguments}}
        asked = {"role": "assistant", "content": None, "tool_calls": [call]}
        return [asked, self.says("tool", tool_call_id=name)]


@dataclass(frozen=True, slots=True)
class Case:
    """How a conversation is sent.

    Attributes:
        remade: whether every call is given a list that was read from JSON anew.
        cuts: whether the window is the small one.
    """

    name: str
    loops: bool = False
    remade: bool = False
    tools: int = 0
    stream: bool = False
    blocks: bool = False
    cuts: bool = True
    dialect: str | None = None

    def given(self, talk: Talk, tools: Sequence[Any]) -> dict[str, Any]:
        messages = json.loads(json.dumps(talk)) if self.remade else talk
        given = {"model": MODEL, "messages": messages}
        if self.tools:
            given["tools"] = copy.deepcopy(list(tools)) if self.remade else tools
        return given | ({"stream": True} if self.stream else {})


CASES = (
    Case("a chat"),
    Case("the list read anew each time", remade=True),
    Case("a tool loop", loops=True),
    Case("a tool loop read anew, 14 tools", loops=True, remade=True, tools=14),
    Case("streamed", stream=True),
    Case("OpenAI, which blocks", blocks=True),
    Case("nothing is cut", cuts=False),
    Case("a tool loop, dialect strict", loops=True, dialect="strict"),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU milliseconds of a call, and the milliseconds that the record calls ours."""

    first: float
    wrapped: float
    post: float
    create: float
    own: float

    @property
    def share(self) -> float:
        return self.wrapped - self.post

    @property
    def times(self) -> float:
        return self.create / self.wrapped


@dataclass(frozen=True, slots=True)
class _Spent:
    """CPU milliseconds of calls."""

    wrapped: list[float] = field(default_factory=list)
    post: list[float] = field(default_factory=list)
    create: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)

    def take(self, more: _Spent) -> None:
        """Those of *more* that come behind the first."""
        self.wrapped.extend(more.wrapped[WARM_UP:])
        self.post.extend(more.post[WARM_UP:])
        self.own.extend(more.own[WARM_UP:])


class Bench:
    """One conversation sent again and again in the three ways."""

    def __init__(self, case: Case, size: int, url: str, texts: Texts) -> None:
        kind = OpenAI if case.blocks else AsyncOpenAI
        self.case, self.size, self.texts = case, size, texts
        self.sink, self.tools = MemorySink(), _tools(case.tools)
        self.plain: Any = kind(base_url=url, api_key="any", max_retries=0)
        self.wrapped: Any = agentmaker.wrap(
            self.plain,
            window=WINDOW if case.cuts else NO_LIMIT,
            sinks=[self.sink],
            dialect=case.dialect,
        )
        self.begun = self.talk = (texts.loop if case.loops else texts.chat)(size)
        self.sent = b""
        self.first, self.spent = 0.0, _Spent()
        self.plain._client.event_hooks["request"].append(self._note if case.blocks else self._anote)

    async def begin(self) -> None:
        self.first = await self._wrapped()

    async def go_on(self) -> None:
        """Some calls; not counted are the first, as others had the machine before."""
        spent, self.talk = _Spent(), list(self.begun)
        for nth in range(WARM_UP + CALLS):
            self.talk += self.texts.step() if self.case.loops else self.texts.turn()
            spent.wrapped.append(await self._wrapped())
            spent.own.append(self.sink.last.own_ms if self.sink.last else 0.0)
            spent.post.append(await self._post(self.sent))
            if nth == WARM_UP:
                self.spent.create.append(await self._create())
        self.spent.take(spent)

    async def cost(self) -> Cost:
        await (
            anyio.to_thread.run_sync(self.plain.close) if self.case.blocks else self.plain.close()
        )
        spent = self.spent
        usual = map(_usual, (spent.wrapped, spent.post, spent.create, spent.own))
        return Cost(self.first, *usual)

    async def _wrapped(self) -> float:
        given = self.case.given(self.talk, self.tools)
        return await _spent(
            lambda: self.wrapped.chat.completions.create(**given), blocks=self.case.blocks
        )

    async def _create(self) -> float:
        given = self.case.given(self.talk, self.tools)
        return await _spent(
            lambda: self.plain.chat.completions.create(**given), blocks=self.case.blocks
        )

    async def _post(self, sent: bytes) -> float:
        """The SDK's ``post`` of a body that a wrapped client has sent."""
        body = json.loads(sent)
        streamed = {"stream": True, "stream_cls": AsyncStream[ChatCompletionChunk]}
        how: Any = streamed if self.case.stream else {}
        return await _spent(
            lambda: self.plain.post("/chat/completions", body=body, cast_to=ChatCompletion, **how),
            blocks=self.case.blocks,
        )

    def _note(self, request: Any) -> None:
        self.sent = request.content

    async def _anote(self, request: Any) -> None:
        self._note(request)


async def _spent(ask: Callable[[], Any], *, blocks: bool = False) -> float:
    """CPU milliseconds until *ask* was answered and read; who blocks does so in a thread."""
    started = time.process_time()
    answer = await (anyio.to_thread.run_sync(ask) if blocks else ask())
    if hasattr(answer, "__aiter__") and not isinstance(answer, ChatCompletion):
        async for _ in answer:
            pass
    return (time.process_time() - started) * 1000


def _usual(values: Sequence[float]) -> float:
    return quantiles(values, n=4, method="inclusive")[0]


def _tools(number: int) -> list[Any]:
    writer = english(4)
    properties = {name: {"type": "string", "description": writer.text(8)} for name in "abcd"}
    parameters = {"type": "object", "properties": properties, "required": ["a"]}
    functions = (
        {"name": f"t{nth}", "description": writer.text(30), "parameters": parameters}
        for nth in range(number)
    )
    return [{"type": "function", "function": each} for each in functions]


async def costs(case: Case, sizes: Sequence[int], url: str, texts: Texts) -> list[Cost]:
    benches = [Bench(case, size, url, texts) for size in sizes]
    gc.collect()
    for bench in benches:
        await bench.begin()
    for _ in range(ROUNDS):
        for bench in benches:
            await bench.go_on()
    return [await bench.cost() for bench in benches]


async def measured() -> Report:
    texts, found = Texts(), dict[str, list[Cost]]()
    with loopback() as url:
        # The first hundreds of calls of a process are dearer, whoever makes them.
        (cold,) = await costs(CASES[0], SIZES[:1], url, texts)
        for case in CASES:
            found[case.name] = await costs(case, SIZES, url, texts)
    chat = found[CASES[0].name]
    chat[0] = replace(chat[0], first=cold.first)
    tables = [_calls(chat), _beside(chat), _cases(found), _first(found)]
    return Report(tables, _bars(found))


def _calls(chat: Sequence[Cost]) -> Table:
    rows = {
        "`AsyncOpenAI.chat.completions.create`": [cost.create for cost in chat],
        "`post` of the body that the wrapped client sends": [cost.post for cost in chat],
        "the wrapped call": [cost.wrapped for cost in chat],
        "our share of it": [cost.share for cost in chat],
        "`own_ms` in its record": [cost.own for cost in chat],
    }
    return Table("calls", _columns(), [(name, *map(_ms, row)) for name, row in rows.items()])


def _beside(chat: Sequence[Cost]) -> Table:
    bare = ("`AsyncOpenAI`", *(_ms(cost.create) for cost in chat))
    wrapped = ("wrapped, a window of 8,000", *(_ms(cost.wrapped) for cost in chat))
    return Table("beside", _columns(), [bare, wrapped])


def _columns() -> Sequence[str]:
    return ("CPU ms a call, messages given", *(f"{size:,}" for size in SIZES))


def _cases(found: dict[str, list[Cost]]) -> Table:
    columns = ("wrapped, of `create`; our share", *(f"{size:,}" for size in SIZES), "5,000 of 500")
    rows = [
        (
            name,
            *(f"1/{cost.times:.1f}; {_ms(cost.share)} ms" for cost in row),
            f"{_growth(row):.2f}",
        )
        for name, row in found.items()
    ]
    return Table("cases", columns, rows)


def _growth(row: Sequence[Cost]) -> float:
    """How many times as much 5,000 messages cost as 500."""
    return row[SIZES.index(5_000)].wrapped / row[SIZES.index(500)].wrapped


def _first(found: dict[str, list[Cost]]) -> Table:
    columns = ("CPU ms of the first call, never seen", *(f"{size:,}" for size in SIZES))
    names = [case.name for case in CASES if not (case.stream or case.blocks)]
    return Table(
        "first", columns, [(name, *(_ms(cost.first) for cost in found[name])) for name in names]
    )


def _bars(found: dict[str, list[Cost]]) -> list[Bar]:
    cut = {case.name: found[case.name] for case in CASES if case.cuts}
    bars = []
    for size, least in ((10, 1.0), (1_000, 20.0), (5_000, 40.0)):
        place = SIZES.index(size)
        worst = min(row[place].times for row in cut.values())
        claim = f"{size:,} messages: at most 1/{least:.0f} of `create`, in every case that is cut"
        bars.append(Bar(claim, f"1/{worst:.1f}", worst >= least))
    chat = {CASES[0].name: found[CASES[0].name]}
    for rows, cut_rows, where in ((chat, chat, "a chat"), (found, cut, "every case")):
        for size, most in ((10, 1.0), (5_000, 3.0)):
            shares = {name: row[SIZES.index(size)].share for name, row in rows.items()}
            claim = f"{size:,} messages: our share is at most {most:.0f} ms, in {where}"
            bars.append(_worst(claim, shares, most, " ms"))
        growths = {name: _growth(row) for name, row in cut_rows.items()}
        claim = f"5,000 messages cost at most 1.5 times as much as 500, in {where} that is cut"
        bars.append(_worst(claim, growths, 1.5, ""))
    return bars


def _worst(claim: str, values: dict[str, float], most: float, unit: str) -> Bar:
    """A bar for every case, with the figure of the worst and how many miss it."""
    name = max(values, key=lambda name: values[name])
    over = sum(value > most for value in values.values())
    missed = f"; {over} of {len(values)} cases miss it" if over else ""
    return Bar(claim, f"{values[name]:.2f}{unit}, {name}{missed}", not over)


def _ms(value: float) -> str:
    return f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"


def measure(folder: Path | None) -> Report:
    return anyio.run(measured)


if __name__ == "__main__":
    command.run("cost", measure)
