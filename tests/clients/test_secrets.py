"""With the settings one begins with, no log line holds a key, content, or the words of an error."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
import structlog

import agentmaker
from agentmaker import CallableSource
from agentmaker.testing import ModelServer, ServerError, error_body
from agentmaker.testing.server import IN_PROCESS
from tests.clients.asking import TOOL, assistant, step, talk, user

# The SDK leaves generators open, which trio does not let pass.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["asyncio"]),
    pytest.mark.usefixtures("by_the_rule"),
]

CANARY = "sk-CANARY0123456789"
OTHERS = ("openai", "httpx", "httpcore", "asyncio")
"""Whose own logs are not ours to answer for."""


class Anywhere(httpx.AsyncBaseTransport):
    """Asks the server, whatever the address says."""

    def __init__(self, server: ModelServer) -> None:
        self.server = server.transport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.url = httpx.URL(f"{IN_PROCESS}/chat/completions")
        return await self.server.handle_async_request(request)


class Logs:
    """Everything that is logged at any level, by us or through structlog."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.caplog = caplog
        self.events = io.StringIO()

    def __str__(self) -> str:
        ours = [each for each in self.caplog.records if not each.name.startswith(OTHERS)]
        said = map(logging.Formatter("%(name)s %(message)s").format, ours)
        return "\n".join([*said, self.events.getvalue()])


@pytest.fixture
def logs(caplog: pytest.LogCaptureFixture) -> Iterator[Logs]:
    kept, before = Logs(caplog), structlog.get_config()
    structlog.configure(
        processors=[structlog.processors.JSONRenderer()],
        logger_factory=structlog.PrintLoggerFactory(kept.events),
    )
    with caplog.at_level(1):
        yield kept
    structlog.configure(**before)


def client_of(replies: Any, **wrapped: Any) -> Any:
    server = ModelServer(replies, window=None, strict=False, api_key=CANARY)
    raw = server.client(
        base_url=f"{IN_PROCESS}?key={CANARY}",
        http_client=httpx.AsyncClient(transport=Anywhere(server)),
        default_headers={"x-key": CANARY},
        default_query={"key": CANARY},
        max_retries=0,
    )
    return agentmaker.wrap(raw, **{"window": 8_000, **wrapped})


SECRET_TOOL = {**TOOL, "function": {**TOOL["function"], "description": CANARY}}
WORK = step(1, f"{CANARY} " + "seen " * 9_000, json.dumps({"key": CANARY}))
SYSTEM = {"role": "system", "content": CANARY}
CONVERSATIONS = {
    "short": [SYSTEM, user(CANARY)],
    "long": [SYSTEM, user(CANARY), assistant(CANARY), *talk(100), user(CANARY), *WORK],
    "crowded": [{"role": "system", "content": CANARY + " word" * 5_000}, user(CANARY)],
    "defective": [
        user(CANARY),
        *step(1, CANARY, f'{{"key": "{CANARY}'),
        {"role": "tool", "tool_call_id": "c9", "content": CANARY},
        {"role": "tool", "tool_call_id": "c1", "content": CANARY},
        {"role": "assistant", "content": "", "vendor": CANARY},
        SYSTEM,
        user(""),
    ],
}


def refusal(status: int, words: str, **facts: Any) -> ServerError:
    return ServerError(status, error_body(f"{words} {CANARY}", **facts))


def truncated(content: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "reasoning_content": CANARY}
    usage = {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3}
    finish = "stop" if content else "length"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"choices": [choice], "usage": usage}


REPLIES = {
    "an answer": CANARY,
    "cut prompts": truncated(CANARY),
    "thoughts alone": truncated(""),
    "an overflow": refusal(400, "too long:", code="context_length_exceeded"),
    "a quota": refusal(429, "on tokens per min (TPM): Limit 90, Requested 95:"),
    "a failure": refusal(500, "it broke:"),
    "no such key": refusal(401, "wrong key"),
    "in disguise": ServerError(200, error_body(CANARY)),
    "strict roles": refusal(400, "Conversation roles must alternate user/assistant"),
    "strict systems": refusal(400, "System message must be at the beginning."),
}


def fails(*_: Any) -> Any:
    raise ValueError(f"the key {CANARY} is wrong")


FAILING = {
    "summarizer": fails,
    "sources": [CallableSource("rag", fails), CallableSource("memory", lambda query: CANARY)],
}


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES.keys())
@pytest.mark.parametrize("conversation", CONVERSATIONS.values(), ids=CONVERSATIONS.keys())
async def test_case_95_no_line_holds_what_a_request_held(
    conversation: list[Any], reply: Any, stream: bool, logs: Logs
) -> None:
    notes: list[str] = []
    for wrapped in ({}, FAILING, {"dialect": "learning"}):
        client = client_of(reply, **wrapped)
        try:
            answer = await client.chat.completions.create(
                model="m", messages=conversation, tools=[SECRET_TOOL], stream=stream
            )
            if stream:
                async for _ in answer:
                    pass
        except openai.OpenAIError as error:
            notes += getattr(error, "__notes__", ())
    assert "agentmaker.request" in str(logs)
    assert CANARY not in str(logs)
    assert CANARY not in "".join(notes)


async def test_case_95_nor_does_any_warning(logs: Logs) -> None:
    """Each kind of line that is there to be written was written."""
    ask = {"model": "nobody-knows-this-one", "tools": [SECRET_TOOL]}
    for name, reply in (("crowded", "cut prompts"), ("long", "strict roles")):
        client = client_of(
            REPLIES[reply], window=None, fallback_window=8_000, sinks=[fails], **FAILING
        )
        try:
            await client.chat.completions.create(messages=CONVERSATIONS[name], **ask)
        except openai.OpenAIError:
            assert reply == "strict roles"
    said = str(logs)
    for words in (
        "crowd the window",
        "it seems to drop",
        "is not known: using fallback_window",
        "sink function failed: ValueError",
        "refused a request for",
    ):
        assert words in said
    assert CANARY not in said
