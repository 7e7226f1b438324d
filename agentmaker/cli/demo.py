"""``agentmaker demo``: a tool loop of many windows, first as it is and then wrapped.

The loop and the client are what any program has; only the model is a script, on a server that
counts every request and refuses what does not fit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from importlib.util import find_spec

import anyio
from rich.console import Console

import agentmaker
from agentmaker.calls.call import Call, Reply
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.middleware import Next
from agentmaker.cli import show
from agentmaker.cli.loop import MODEL, Sources, loop, read_sources, script
from agentmaker.context.measure import REPLY_PRIMING, messages_tokens, tools_tokens
from agentmaker.observe.report import totals
from agentmaker.observe.sinks import MemorySink
from agentmaker.testing import ModelServer
from agentmaker.testing.records import Received
from agentmaker.tokens import counter_for, counter_name

WINDOW = 8_000
OUTPUT_TOKENS = 1_000
STREAMS = ("system", "tools", "history", "question", "trajectory", "output", "free")
LINE = "{:>4} {:>8} {:>6}   {:>6} {:>5} {:>7} {:>8} {:>10} {:>6} {:>6}   {:>6}"

LEGEND = """\
Each line is a request: the tokens of the conversation as the loop sends it, of what is sent on,
and where those are. Prefix is the share of the request before that this one begins with.
"""


def run() -> None:
    """Print the demo; exits with 1 when the server refused a request of the wrapped client."""
    if anyio.run(_demo, Console(highlight=False, soft_wrap=True), read_sources()):
        raise SystemExit(1)


async def _demo(console: Console, sources: Sources) -> int:
    counter = counter_for(MODEL)
    size = sum(map(counter, sources.values()))
    console.print(
        f"A tool loop reads {len(sources)} source files of agentmaker: {size:,} tokens, "
        f"{size / WINDOW:.1f} windows of {WINDOW:,}.\n"
        f"Counted by {counter_name(counter)}. The model is a script: no key and no network.\n"
    )
    await _as_it_is(console, sources)
    return await _wrapped(console, sources)


async def _as_it_is(console: Console, sources: Sources) -> None:
    """Send the whole conversation each time, until the server refuses it."""
    import openai

    console.print("client = AsyncOpenAI(...)", style="bold")
    server = _server(sources)
    async with _listening(server), server.client() as client:
        try:
            await loop(client, sources)
        except openai.BadRequestError as error:
            words = error.response.json()["error"]["message"].partition(" Please")[0]
            number = len(server.requests)
            console.print(f"Request {number} is refused with {error.status_code}:\n{words}\n")


async def _wrapped(console: Console, sources: Sources) -> int:
    """The same through ``wrap``; how many requests the server refused."""
    console.print(
        f"client = agentmaker.wrap(AsyncOpenAI(...), window={WINDOW}, "
        f"output_tokens={OUTPUT_TOKENS})",
        style="bold",
    )
    console.print(LEGEND)
    console.print(LINE.format("", "asked", "sent", *STREAMS, "prefix"), style="bold")
    server, sink, watch = _server(sources), MemorySink(), Watch(console)
    async with _listening(server), server.client() as client:
        wrapped = agentmaker.wrap(
            client, window=WINDOW, output_tokens=OUTPUT_TOKENS, middleware=[watch], sinks=[sink]
        )
        await loop(wrapped, sources)
    sums = totals([record.fields() for record in sink])
    console.print()
    console.print(show.facts(sums, *_facts(server.requests, watch.asked, sources)))
    console.print()
    console.print(show.bars(sums.streams))
    return _refused(server.requests)


def _facts(requests: Sequence[Received], asked: int, sources: Sources) -> Iterator[tuple[str, str]]:
    last = json.dumps(requests[-1].messages)
    yield "requests", f"{len(requests)}"
    yield "  refused by the server", f"{_refused(requests)}"
    yield "  the largest, in tokens", f"{max(each.prompt_tokens for each in requests):,}"
    yield "files read", f"{len(sources)}"
    yield "  still named in the last request", f"{sum(name in last for name in sources)}"
    yield "tokens the loop asked to send", f"{asked:,}"


def _refused(requests: Sequence[Received]) -> int:
    return sum(request.status != 200 for request in requests)


class Watch:
    """Prints what each request asked to send beside what was sent: a middleware like any user's."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.requests = 0
        self.asked = 0

    async def __call__(self, call: Call, next: Next, /) -> Reply:
        reply = await next(call)
        asked = _tokens(call)
        self.requests += 1
        self.asked += asked
        if reply.ledger:
            self._print(asked, reply.ledger)
        return reply

    def _print(self, asked: int, ledger: Ledger) -> None:
        kept = ledger.prefix_kept
        used = (f"{ledger[name].used:,}" for name in STREAMS)
        shown = "" if kept is None else f"{kept:.0%}"
        self.console.print(
            LINE.format(self.requests, f"{asked:,}", f"{ledger.estimate:,}", *used, shown)
        )
        if kept is not None and kept < 1:
            said = "; ".join(ledger.reductions).replace(" units", "")
            self.console.print(f"     {said}", style="yellow")


def _tokens(call: Call) -> int:
    """Tokens of the request as the loop asked for it."""
    window, counter = call.window, call.setting.counter
    conversation = messages_tokens((*window.system, *window.conversation), counter)
    return conversation + tools_tokens(window.tools, counter) + REPLY_PRIMING


def _server(sources: Sources) -> ModelServer:
    return ModelServer(script(sources), window=WINDOW, model=MODEL)


def _listening(server: ModelServer) -> AbstractAsyncContextManager[object]:
    """*server* on loopback; in process where the packages for that are missing."""
    return server if find_spec("starlette") and find_spec("uvicorn") else nullcontext()
