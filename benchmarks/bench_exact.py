"""Exact counts: do they agree with others', how long do they take, and does the loop run on?"""

from __future__ import annotations

import gzip
import json
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio

import agentmaker
from agentmaker.calls.call import Call
from agentmaker.calls.setting import Setting
from agentmaker.calls.window import Window
from agentmaker.messages import read_messages
from agentmaker.steps import count
from agentmaker.tokens import CountMemo, ExactCounter, counter_for, exact, families
from agentmaker.tokens import remembered_counter as remembered
from agentmaker.tokens.tiktokens import _FILES as TIKTOKEN_FILES
from benchmarks import command
from benchmarks.awkward import megabytes, mixtures
from benchmarks.figures import Bar, Report, Table, share
from benchmarks.heartbeat import EVERY, longest_pause
from benchmarks.instant import Instant
from benchmarks.processes import spread
from benchmarks.references import REFERENCES, Encode, Reference, folder_of, of_folder

STRINGS = 4_000
SECONDS = 2.5
DIFFERENCE = 0.0001
PAUSE = 25.0
"""Milliseconds."""

Loop = tuple[str, str, Sequence[int]]

LOOPS: Sequence[Loop] = (
    ("asyncio", "gpt-4o", (8_000, 128_000, 2_000_000)),
    ("asyncio", "deepseek-chat", (128_000,)),
    ("trio", "gpt-4o", (128_000,)),
)
"""Event loops, models and windows; DeepSeek's is the vocabulary that takes longest."""

CACHE = "TIKTOKEN_CACHE_DIR"
MESSAGES = 5_000
FAMILIES = sorted({family for family, _ in families._RULES})

Texts = Mapping[str, str]
Request = dict[str, Any]
Found = list[tuple[str, str, list[float]]]
"""Text, place, and the pauses: the bare client's, then ours in each window."""


def loaded(family: str) -> ExactCounter | None:
    return exact._loaded(family)


# Agreement


def agreement(references: Sequence[Reference], strings: Sequence[str]) -> tuple[Table, list[Bar]]:
    """Our count of every string beside what others make of it."""
    known = {each.family for each in references}
    rows, bars = [], []
    for reference in references:
        counter, encode = loaded(reference.family), reference.loaded()
        if counter is None or encode is None:
            rows.append((reference.family, reference.packages, "not installed", "", ""))
            continue
        differ, tokens = _compared(counter, encode, strings)
        figures = (f"{len(strings):,}", f"{tokens:,}", f"{differ:,}")
        rows.append((reference.family, reference.packages, *figures))
        if reference.family in ("o200k_base", "cl100k_base"):
            claim = f"counts of {reference.family} equal the reference's on every string"
            bars.append(Bar(claim, f"{differ} differ", differ == 0))
    rows += [(each, "no package ships one", "", "", "") for each in FAMILIES if each not in known]
    columns = ("vocabulary", "reference", "strings", "tokens", "counts that differ")
    return Table("agreement", columns, rows), bars


def _compared(counter: ExactCounter, encode: Encode, strings: Sequence[str]) -> tuple[int, int]:
    pairs = [(counter(text), len(encode(text))) for text in strings]
    return sum(ours != theirs for ours, theirs in pairs), sum(theirs for _, theirs in pairs)


# Megabytes


def long_texts(texts: Texts, counters: Sequence[ExactCounter]) -> tuple[Table, list[Bar]]:
    """A million characters in pieces, beside the same text encoded as one."""
    rows, slowest, worst = [], 0.0, 0.0
    for name, text in texts.items():
        measured = {each.name: _in_pieces(each, text) for each in counters}
        slow = max(measured, key=lambda family: measured[family][1])
        off = max(measured.values(), key=lambda each: each[2])[2]
        slowest, worst = max(slowest, measured[slow][1]), max(worst, off)
        tokens, seconds, _ = measured["o200k_base"]
        figures = (f"{tokens:,}", f"{seconds:.2f}", f"{measured[slow][1]:.2f} ({slow})")
        rows.append((name, *figures, share(off, 4)))
    columns = ("text", "tokens, o200k", "s, o200k", "s, slowest", "largest difference")
    bars = [
        Bar(
            f"a million characters take at most {SECONDS} s in every vocabulary",
            f"{slowest:.2f} s",
            slowest <= SECONDS,
        ),
        Bar(
            "and count as the whole, within 0.01 %",
            share(worst, 4),
            worst <= DIFFERENCE,
        ),
    ]
    return Table("megabytes", columns, rows), bars


def _in_pieces(counter: ExactCounter, text: str) -> tuple[int, float, float]:
    """Tokens, seconds of CPU, and how far it is from the text encoded as one."""
    started = time.process_time()
    tokens = counter(text)
    seconds = time.process_time() - started
    whole = len(counter.encode(text))
    return tokens, seconds, abs(tokens - whole) / whole


def second_backend(texts: Texts) -> tuple[list[Table], list[Bar]]:
    """tiktoken in the place of splintr, its cache filled from what bpe-openai ships."""
    columns = ("text", "s", "tokens, tiktoken", "tokens, splintr")
    first = loaded("o200k_base")
    with TemporaryDirectory() as cache:
        second = cached_tiktoken(Path(cache))
        if first is None or second is None:
            row = ("tiktoken or bpe-openai is not installed", "", "", "")
            return [Table("tiktoken", columns, [row])], []
        rows, slowest, off = [], 0.0, 0.0
        for name, text in texts.items():
            started = time.process_time()
            tokens, known = second(text), first(text)
            seconds = time.process_time() - started
            slowest, off = max(slowest, seconds), max(off, abs(tokens - known) / known)
            rows.append((name, f"{seconds:.2f}", f"{tokens:,}", f"{known:,}"))
    claim = f"so does tiktoken as second backend, in at most {SECONDS} s"
    met = slowest <= SECONDS and off <= DIFFERENCE
    bar = Bar(claim, f"{slowest:.2f} s, {share(off, 4)} apart", met)
    return [Table("tiktoken", columns, rows)], [bar]


def cached_tiktoken(cache: Path) -> ExactCounter | None:
    """tiktoken's o200k, its *cache* filled; None where a package is missing."""
    try:
        data = folder_of("bpe_openai") / "data"
    except ImportError:
        return None
    file = TIKTOKEN_FILES["o200k_base"]
    packed = (data / f"{file.encoding}.tiktoken.gz").read_bytes()
    (cache / file.name).write_bytes(gzip.decompress(packed))
    before = os.environ.get(CACHE)
    os.environ[CACHE] = str(cache)
    try:
        return exact._from_tiktoken("o200k_base")
    finally:
        os.environ.pop(CACHE)
        if before is not None:
            os.environ[CACHE] = before


# The event loop


def _user(text: str) -> Request:
    return {"role": "user", "content": text}


def _called(arguments: str, result: str) -> list[Request]:
    function = {"name": "look", "arguments": arguments}
    call = {"id": "c", "type": "function", "function": function}
    return [
        _user("Look."),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": result},
    ]


def _tool(description: str) -> Request:
    function = {"name": "look", "description": description, "parameters": {"type": "object"}}
    return {"type": "function", "function": function}


def requests_with(text: str) -> dict[str, Request]:
    """Requests that hold *text*, by where they do."""
    arguments = json.dumps({"a": text}, ensure_ascii=False)
    return {
        "user message": {"messages": [_user(text)]},
        "history": {"messages": [_user("Hi."), _answer(text), _user("And?")]},
        "tool result": {"messages": _called("{}", text), "tools": [_tool("x")]},
        "arguments": {"messages": _called(arguments, "seen"), "tools": [_tool("x")]},
        "tool schema": {"messages": [_user("Hi.")], "tools": [_tool(text)]},
    }


def _answer(text: str) -> Request:
    return {"role": "assistant", "content": text}


async def _asked(client: Any, model: str, request: Request) -> object:
    return await client.chat.completions.create(model=model, **request)


async def _asked_afresh(model: str, window: int, request: Request) -> object:
    """By a client that has counted nothing yet."""
    remembered.cache_clear()
    client = agentmaker.wrap(Instant().client(), window=window, sinks=[])
    await anyio.sleep(EVERY)  # to make a client takes time as well, but is no request
    return await _asked(client, model, request)


async def pauses(texts: Texts, model: str, windows: Sequence[int]) -> Found:
    found: Found = []
    bare = Instant().client()
    await _asked(bare, model, requests_with("x")["user message"])
    counter_for(model)
    for name, text in texts.items():
        for place, request in requests_with(text).items():
            works: list[Callable[[], Awaitable[object]]] = [partial(_asked, bare, model, request)]
            works += [partial(_asked_afresh, model, window, request) for window in windows]
            found.append((name, place, [await longest_pause(work) for work in works]))
    return found


def loop(texts: Texts, each: Loop) -> tuple[Table, Bar]:
    """The pauses of one loop; with one vocabulary, as a program has, and not all the others."""
    logging.disable(logging.WARNING)  # a tool of a megabyte crowds its window, as is said
    backend, model, windows = each
    found = anyio.run(pauses, texts, model, windows, backend=backend)
    logging.disable(logging.NOTSET)
    rows = [tuple(_worst(found, name)) for name in texts]
    columns = ("text", "the client alone", *(f"window {window:,}" for window in windows), "where")
    worst = max(max(ours) for _, _, (_, *ours) in found)
    claim = f"no request with one holds the loop for over {PAUSE:.0f} ms: {model} on {backend}"
    bar = Bar(claim, f"{worst:.0f} ms", worst <= PAUSE)
    return Table(f"{model}-{backend}", columns, rows), bar


def _worst(found: Found, name: str) -> Iterator[str]:
    """The longest pauses with this text, over all its places."""
    yield name
    places = [(place, measured) for each, place, measured in found if each == name]
    for column in zip(*(measured for _, measured in places), strict=True):
        yield f"{max(column):.0f} ms"
    yield max(places, key=lambda each: max(each[1][1:]))[0]


async def _first_sight() -> float:
    """The longest pause while messages are counted that were never seen before."""
    words = [text.replace("\n", " ") for text in mixtures(MESSAGES, seed=2)]
    window = Window.from_messages(read_messages([_user(text * 9) for text in words]))

    async def work() -> object:
        counter = CountMemo(counter_for("gpt-4o"))
        setting = Setting(window=1_000_000, counter=counter)
        return await count.step(Call(window=window, setting=setting), _nobody)

    return await longest_pause(work)


async def _nobody(call: Call) -> Any:
    raise RuntimeError("counting asks nobody")


def many_messages() -> Bar:
    pause = anyio.run(_first_sight)
    claim = f"nor does counting {MESSAGES:,} messages at first sight"
    return Bar(claim, f"{pause:.0f} ms", pause <= PAUSE)


# Loading


async def _loading(family: str) -> tuple[float, float]:
    """Milliseconds of the longest pause, and of the whole."""

    async def work() -> object:
        exact._counters.pop(family, None)
        return await anyio.to_thread.run_sync(exact._loaded, family)

    started = time.process_time()
    pause = await longest_pause(work, times=1)
    return pause, (time.process_time() - started) * 1000


def loading(vocabularies: Sequence[str]) -> Table:
    rows = []
    for family in vocabularies:
        pause, whole = anyio.run(_loading, family)
        rows.append((family, f"{pause:.0f} ms", f"{whole:.0f} ms"))
    return Table("loading", ("vocabulary", "the loop waits", "until it counts"), rows)


def measure(folder: Path | None) -> Report:
    references = [*REFERENCES, *of_folder(folder)]
    return measured(references, list(mixtures(STRINGS)), megabytes(), FAMILIES)


def measured(
    references: Sequence[Reference],
    strings: Sequence[str],
    texts: Texts,
    vocabularies: Sequence[str],
) -> Report:
    loads = loading(vocabularies)
    agreed, bars = agreement(references, strings)
    counters = [counter for each in vocabularies if (counter := loaded(each))]
    long, bounds = long_texts(texts, counters)
    seconds, second = second_backend(texts)
    tables, bars = [agreed, long, *seconds, loads], [*bars, *bounds, *second]
    for table, bar in anyio.run(partial(spread, partial(loop, texts), LOOPS, workers=1)):
        tables.append(table)
        bars.append(bar)
    return Report(tables, [*bars, many_messages()])


if __name__ == "__main__":
    command.run("exact", measure)
