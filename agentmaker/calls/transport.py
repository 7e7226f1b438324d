"""The door to openai: what leaves, and what comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from inspect import isawaitable
from typing import Any

from agentmaker.calls.call import Call, Delta, Reply
from agentmaker.calls.empty import LEAST_FULL
from agentmaker.calls.refusals.overflow import Overflow, PromptRefused
from agentmaker.calls.sdk.failures import answer_in, explain, failure_in, silence
from agentmaker.calls.sdk.posted import RAW, by_post
from agentmaker.calls.sdk.reading import body_in, reply_from_completion, text_in
from agentmaker.calls.sdk.settling import Settling

Ask = Callable[[Any, Call, Any], Any]
"""Sends a call through a target, its stream in a class of ours where it can be chosen."""


class Transport:
    """Send a fitted call through *target*: by default an ``AsyncOpenAI`` client.

    Raises:
        PromptRefused: the server found the prompt too long.
        openai.OpenAIError: whatever else the SDK raises, unchanged.
    """

    def __init__(self, target: Any, ask: Ask = by_post) -> None:
        self.target = target
        self.ask = ask

    async def __call__(self, call: Call) -> Reply:
        try:
            if call.stream:
                return await self._stream(call)
            answer = self.asked(call)
            return read(await answer if isawaitable(answer) else answer)
        except Exception as error:
            from agentmaker.calls.refusals.faults import fault_in

            fault = fault_in(error)
            if fault is None or fault.overflow is None:
                explain(error, fault)
                raise
            raise PromptRefused(fault.overflow, call.ledger, error) from error

    async def _stream(self, call: Call) -> Reply:
        asking = _asking_usage(call)
        reply = Reply(model=call.model, hides_usage=asking is not call)
        reply.raw = stream = await self.opened(asking, reply)
        if not isinstance(stream, Settling):
            # The caller asked for the raw response, and reads it without us.
            reply.settle()
            return reply
        if stream.is_silent:
            raise _silenced(call, reply.raw.response, stream.stray)
        reply.deltas = _deltas(self.pulled(stream))
        reply.close = partial(self.closed, stream)
        return reply

    def asked(self, call: Call) -> Any:
        """What the server answers, which may have to be awaited."""
        return self.ask(self.target, call, None)

    async def opened(self, call: Call, reply: Reply) -> Any:
        """The stream, begun and completing *reply*; what is no stream as it is."""
        from agentmaker.calls.sdk.adopted import adopted_stream
        from agentmaker.calls.sdk.streams import settling_stream

        answer = self.ask(self.target, call, settling_stream())
        stream = adopted_stream(await answer if isawaitable(answer) else answer)
        if isinstance(stream, Settling):
            await stream.begin(reply)
        return stream

    def pulled(self, stream: Any) -> AsyncIterator[Any]:
        """The chunks of *stream*."""
        return aiter(stream)

    async def closed(self, stream: Any) -> None:
        """Give the connection of *stream* back."""
        await stream.close()


def read(answer: Any) -> Reply:
    """What the server answered at once."""
    raw = answer_in(answer)
    reply = reply_from_completion(body_in(raw))
    reply.raw = raw
    reply.settle()
    return reply


def _asking_usage(call: Call) -> Call:
    """*call* with the usage asked for, where its server gives it and its caller does not ask."""
    asks = call.setting.dialect.usage == "ask" and call.params.get("stream_options") is None
    if not asks or RAW in (call.options.get("extra_headers") or {}):
        return call
    return replace(call, params={**call.params, "stream_options": {"include_usage": True}})


def _silenced(call: Call, response: Any, stray: Any) -> Exception:
    """What a stream without a word means: some servers end a prompt that is too long like that.

    Where something came that is no piece of an answer, it is what the server had to say.
    """
    failure = stray and failure_in(stray, response, failed=True)
    if failure:
        return failure
    error = silence(response)
    if call.ledger is None or call.ledger.estimate < LEAST_FULL:
        return error
    return PromptRefused(Overflow(message=str(error)), call.ledger, error, silent=True)


async def _deltas(stream: AsyncIterator[Any]) -> AsyncIterator[Delta]:
    async for chunk in stream:
        yield Delta(content=text_in(chunk), raw=chunk)
