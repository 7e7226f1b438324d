"""Where nothing has to be cut: does a wrapped client send what the bare one sends?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import anyio
import httpx
from openai import AsyncOpenAI

import agentmaker
from agentmaker import AgentmakerConfig
from benchmarks import command
from benchmarks.data import (
    REQUEST_SCHEMA,
    Conversation,
    cmrc2018,
    conversations,
    github_tools,
    nq_oracle,
    tau2_banking,
)
from benchmarks.figures import Bar, Report, Table
from benchmarks.independent import Json, Validator

WINDOW = 100_000_000
MODEL = "gpt-4o"
BODIES = AgentmakerConfig(send="body")

COLUMNS = (
    "conversations from",
    "requests",
    "messages",
    "not valid as they are",
    "different",
    "other bytes",
)

REPLY: Json = {
    "id": "c",
    "object": "chat.completion",
    "created": 0,
    "model": MODEL,
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Noted."}}
    ],
}


class Wire:
    """A server that keeps the body of the newest request, and a client of it."""

    def __init__(self) -> None:
        self.body: Json = {}
        self.content = b""
        http_client = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))
        self.client = AsyncOpenAI(
            base_url="http://in-process.invalid/v1", api_key="none", http_client=http_client
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.content = request.content
        self.body = json.loads(self.content)
        return httpx.Response(200, json=REPLY)


@dataclass(slots=True)
class Compared:
    """What came of the requests of one origin."""

    origin: str
    requests: int = 0
    messages: int = 0
    invalid: int = 0
    different: list[str] = field(default_factory=list)
    other_bytes: int = 0

    def add(self, bare: Wire, wrapped: Wire, posted: Wire) -> None:
        self.requests += 1
        self.messages += len(bare.body["messages"])
        if bare.body != wrapped.body:
            self.different.append(_difference(bare.body, wrapped.body))
        self.other_bytes += wrapped.content != posted.content

    def row(self) -> Sequence[str]:
        counts = (
            self.requests, self.messages, self.invalid, len(self.different), self.other_bytes,
        )  # fmt: skip
        return self.origin, *(f"{count:,}" for count in counts)


async def compared(
    origin: str, found: Iterable[Conversation], validator: Validator | None
) -> Compared:
    """Send every request by three clients; one that is not valid as it is, is only counted.

    One is bare, one wrapped, and one wrapped and told to post bodies only.
    """
    counts, plain, behind, bodies = Compared(origin), Wire(), Wire(), Wire()
    wrapped = agentmaker.wrap(behind.client, window=WINDOW, sinks=())
    posting = agentmaker.wrap(bodies.client, window=WINDOW, sinks=(), config=BODIES)
    for conversation in found:
        for asked in conversation.requests():
            given: dict[str, Any] = {"model": MODEL, "messages": asked}
            if conversation.tools:
                given["tools"] = conversation.tools
            if _repeats_an_id(asked) or (validator and validator.faults(asked, conversation.tools)):
                counts.invalid += 1
                continue
            await plain.client.chat.completions.create(**given)
            await wrapped.chat.completions.create(**given)
            await posting.chat.completions.create(**given)
            counts.add(plain, behind, bodies)
    return counts


def _repeats_an_id(messages: Sequence[Json]) -> bool:
    """Whether two calls have the same id, which some servers refuse."""
    ids = [call["id"] for each in messages for call in each.get("tool_calls") or ()]
    return len(ids) > len(set(ids))


def _difference(bare: Json, wrapped: Json) -> str:
    """Where the bodies part, in words without content."""
    keys = [key for key in {**bare, **wrapped} if bare.get(key) != wrapped.get(key)]
    pairs = zip(bare["messages"], wrapped["messages"], strict=False)
    first = next((n for n, (one, other) in enumerate(pairs) if one != other), None)
    return f"{', '.join(keys)}; first different message: {first}"


async def measured(folder: Path) -> Report:
    schema = folder / REQUEST_SCHEMA
    validator = Validator.from_file(schema) if schema.exists() else None
    found = sorted(_all(folder), key=lambda each: each.origin)
    tallies = [
        await compared(origin, group, validator)
        for origin, group in groupby(found, key=lambda each: each.origin)
    ]
    different = sum(len(each.different) for each in tallies)
    for each in tallies:
        for words in each.different[:3]:
            print(f"{each.origin}: {words}")
    requests = sum(each.requests for each in tallies)
    print(f"transparency: {requests:,} requests compared, {different:,} different")
    other = sum(each.other_bytes for each in tallies)
    bars = [
        Bar("every request leaves as without wrapping", f"{different} differ", different == 0),
        Bar("ready bytes are those of a body", f"{other} differ", other == 0),
    ]
    return Report([Table("transparency", COLUMNS, [each.row() for each in tallies])], bars)


def _all(folder: Path) -> list[Conversation]:
    """Every set; the tools of the GitHub server go with a copy of the first chats."""
    found = [
        *conversations(folder),
        *nq_oracle(folder),
        *cmrc2018(folder),
        *tau2_banking(folder),
    ]
    tools = github_tools(folder)
    with_tools = [replace(each, origin="with 117 tools", tools=tools) for each in found[:2]]
    return [*found, *with_tools] if tools else found


def measure(folder: Path | None) -> Report | None:
    return anyio.run(measured, folder) if folder else None


if __name__ == "__main__":
    command.run("transparency", measure)
