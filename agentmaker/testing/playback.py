"""A decided turn as the bytes of an answer, with its waits and its break."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from typing import Any

from anyio.lowlevel import checkpoint

from agentmaker.testing.chunks import DONE, carries_text, chunks, event
from agentmaker.testing.http import Answer, ConnectionBroken, json_answer, json_bytes, text_answer
from agentmaker.testing.replies import Turn

_EVENTS = {"content-type": "text/event-stream"}


async def play(turn: Turn, *, stream: bool, include_usage: bool) -> Answer:
    """The answer to a request; a stream is only begun here, and made as it is pulled."""
    if stream and turn.status == 200:
        await _pause(turn, 0)
        content = _events(turn, include_usage)
        return Answer(headers=_EVENTS | dict(turn.headers), content=content)
    for delay in turn.delays:
        await delay.wait()
    if turn.broken:
        kind = {"content-type": "application/json"}
        return Answer(headers=kind, content=_half(json_bytes(turn.body)))
    if isinstance(turn.body, str):
        return text_answer(turn.body, status=turn.status, headers=turn.headers)
    return json_answer(turn.body, status=turn.status, headers=turn.headers)


async def _events(turn: Turn, include_usage: bool) -> AsyncGenerator[bytes]:
    said = 0
    for chunk in _chunks(turn, include_usage):
        if carries_text(chunk):
            if turn.broken and said >= turn.broken.after:
                break
            said += 1
        yield event(chunk)
        await checkpoint()
        if carries_text(chunk):
            await _pause(turn, said)
    if turn.broken and turn.broken.error is None:
        raise ConnectionBroken
    if turn.broken:
        yield event(turn.broken.error)
    yield DONE


def _chunks(turn: Turn, include_usage: bool) -> Iterator[Any]:
    if turn.chunks is not None:
        return iter(turn.chunks)
    if turn.is_completion:
        return chunks(turn.body, include_usage=include_usage)
    return iter(() if turn.body is None else (turn.body,))


async def _pause(turn: Turn, said: int) -> None:
    for delay in turn.delays:
        if delay.after == said:
            await delay.wait()


async def _half(body: bytes) -> AsyncGenerator[bytes]:
    yield body[: len(body) // 2]
    await checkpoint()
    raise ConnectionBroken
