"""The door to openai: what leaves, what comes back, and whose errors those are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from typing import TYPE_CHECKING, Any

from agentmaker.calls.call import Call, Delta, Reply
from agentmaker.calls.overflow import PromptRefused, overflow_in
from agentmaker.calls.reading import reply_from_completion, text_in
from agentmaker.errors import ContextOverflow, LLMRequestError, LLMResponseError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

PATH = "/chat/completions"
HOW = {
    "extra_headers": "headers",
    "extra_query": "params",
    "extra_body": "extra_json",
    "timeout": "timeout",
}
"""Arguments of ``create`` that say how to send, and what the SDK's options call them."""


class Transport:
    """Send a fitted call through an ``AsyncOpenAI`` client.

    Raises:
        PromptRefused: the server found the prompt too long.
        openai.OpenAIError: whatever else the SDK raises, unchanged.
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        self.client = client

    async def __call__(self, call: Call) -> Reply:
        try:
            return await (self._stream(call) if call.stream else self._complete(call))
        except Exception as error:
            overflow = overflow_in(error)
            if overflow is None:
                raise
            raise PromptRefused(overflow, call.ledger, error) from error

    async def _complete(self, call: Call) -> Reply:
        from openai.types.chat import ChatCompletion

        raw = await self.client.post(
            PATH, body=body_of(call), cast_to=ChatCompletion, options=options_of(call)
        )
        reply = reply_from_completion(raw)
        reply.settle()
        return reply

    async def _stream(self, call: Call) -> Reply:
        from openai.types.chat import ChatCompletion, ChatCompletionChunk

        from agentmaker.calls.streams import settling_stream

        reply = Reply(model=call.model)
        reply.raw = stream = await self.client.post(
            PATH,
            body=body_of(call),
            cast_to=ChatCompletion,
            options=options_of(call),
            stream=True,
            stream_cls=settling_stream()[ChatCompletionChunk],
        )
        if not isinstance(stream, settling_stream()):
            # The caller asked for the raw response, and reads it without us.
            reply.settle()
            return reply
        await stream.begin(reply)
        reply.deltas, reply.close = _deltas(stream), stream.close
        return reply


def body_of(call: Call) -> dict[str, Any]:
    """The request's JSON body."""
    body = {"model": call.model, **call.params, "messages": list(call.messages)}
    if call.window.tools:
        body["tools"] = list(call.window.tools)
    if call.window.response_format is not None:
        body["response_format"] = call.window.response_format
    return body


def options_of(call: Call) -> Any:
    """The SDK's request options, as its own resource would set them.

    Its retries are off, ``calls/retry.py`` has them.
    """
    given = {HOW[name]: value for name, value in call.options.items() if name in HOW}
    return {"max_retries": 0, "security": {"bearer_auth": True}, **given}


async def _deltas(stream: AsyncIterator[Any]) -> AsyncIterator[Delta]:
    async for chunk in stream:
        yield Delta(content=text_in(chunk), raw=chunk)


def translated(error: Exception) -> Exception:
    """An openai error as one of ours; anything else as it is."""
    import openai

    if isinstance(error, openai.APIStatusError):
        retryable = error.status_code in (408, 409, 429) or error.status_code >= 500
        return LLMRequestError(str(error), status=error.status_code, retryable=retryable)
    if isinstance(error, openai.APIResponseValidationError):
        return LLMResponseError(f"the server's answer is no chat completion: {error}")
    if isinstance(error, openai.APIError):
        return LLMRequestError(str(error), retryable=isinstance(error, openai.APIConnectionError))
    return error


def as_bad_request(overflow: ContextOverflow, cause: Exception) -> Exception:
    """The overflow as an ``openai.BadRequestError`` too, so that existing handlers see it."""
    import openai

    if not isinstance(cause, openai.APIStatusError):
        return overflow
    error: Exception = _bad_request_class()(str(overflow), response=cause.response, body=cause.body)
    vars(error).update(vars(overflow))
    return error


@cache
def _bad_request_class() -> Any:
    import openai

    return type(
        "ContextOverflow",
        (ContextOverflow, openai.BadRequestError),
        {"__doc__": ContextOverflow.__doc__, "__init__": openai.BadRequestError.__init__},
    )
