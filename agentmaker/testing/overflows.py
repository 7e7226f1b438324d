"""How servers word their refusal of a prompt that is too long.

Each function takes the tokens of the prompt, the window and the output asked for (0 when
the request set no cap) and returns the HTTP status and the body.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from agentmaker.testing.errors import error_body

Overflow = Callable[[int, int, int], tuple[int, Any]]


def openai(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """The classic wording, with the code that most clients look for."""
    if prompt > window:
        message = (
            f"This model's maximum context length is {window} tokens. However, your messages "
            f"resulted in {prompt} tokens. Please reduce the length of the messages."
        )
    else:
        message = _requested(prompt, window, output)
    return 400, error_body(message, param="messages", code="context_length_exceeded")


def deepseek(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """OpenAI's words without its code."""
    return 400, error_body(_requested(prompt, window, output), code="invalid_request_error")


def vllm(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """Two wordings, by what is too long; the code is the HTTP status."""
    if prompt >= window:
        rest = (
            f"{prompt} input tokens. Please reduce the length of the input messages. "
            f"(parameter=input_tokens, value={prompt})"
        )
        param = "input_tokens"
    else:
        rest = (
            f"{prompt} input tokens plus {output} 'max_tokens'. Please reduce one or the other. "
            f"(parameter=input_tokens, max_tokens, value=({prompt}, {output}))"
        )
        param = "input_tokens, max_tokens"
    message = f"This model's maximum context length is {window} tokens. However, your request has "
    return 400, error_body(message + rest, type="BadRequestError", param=param, code=400)


def llama_cpp(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """Numbers beside the message, in fields of their own."""
    message = (
        f"request ({prompt} tokens) exceeds the available context size ({window} tokens), "
        "try increasing it"
    )
    kind = "exceed_context_size_error"
    numbers = {"n_prompt_tokens": prompt, "n_ctx": window}
    return 400, {"error": {"code": 400, "message": message, "type": kind, **numbers}}


def llama_cpp_500(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """An older server: the same fault as a 500, which clients resend unchanged."""
    message = (
        "the request exceeds the available context size. "
        "try increasing the context size or enable context shift"
    )
    kind = "exceed_context_size_error"
    numbers = {"n_prompt_tokens": prompt, "n_ctx": window}
    return 500, {"error": {"code": 500, "message": message, "type": kind, **numbers}}


def ollama(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """Says by how much it is too long, not how long it may be."""
    over = prompt + output - window
    return 400, error_body(f"prompt too long; exceeded max context length by {over} tokens")


def ollama_truncated(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """No refusal: the front of the prompt is dropped, and only the usage shows it."""
    kept, said = window // 2, "It looks like you shared a part of something."
    usage = {"prompt_tokens": kept, "completion_tokens": 10, "total_tokens": kept + 10}
    message = {"role": "assistant", "content": said}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return 200, {"choices": [choice], "usage": usage}


def lm_studio(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """The error is a string, so the SDK's exception has neither message nor code."""
    return 400, {
        "error": "The number of tokens to keep from the initial prompt is greater than the "
        f"context length (n_keep: {prompt}>= n_ctx: {window}). Try to load the model with a "
        "larger context length, or provide a shorter input."
    }


def openrouter(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """A relay in front of many hosts."""
    return 400, _relayed(prompt, window, output)


def openrouter_200(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """The same error as the body of a success."""
    return 200, _relayed(prompt, window, output)


def gemini(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """The whole body is a list; the output asked for is not counted in the message."""
    message = (
        f"The input token count ({prompt}) exceeds the maximum number of tokens allowed ({window})."
    )
    return 400, [{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}]


def relay(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """A gateway that puts the host's own answer, as text, into one that says nothing."""
    raw = json.dumps(deepseek(prompt, window, output)[1])
    metadata = {"provider_name": None, "raw": raw}
    error = {"message": "Provider returned error", "code": 400, "metadata": metadata}
    return 400, {"error": error}


def dashscope(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """The lengths allowed, and nothing on the length it was; the error is not nested."""
    message = f"Range of input length should be [1, {window}]"
    return 400, {"code": "InvalidParameter", "message": message, "request_id": "0"}


def chinese(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """Chinese words under a number of the server's own."""
    asked = f"{prompt} tokens" + (f"，输出 {output} tokens" if output else "")
    message = f"输入内容过长：本次输入 {asked}，超过模型的最大上下文长度 {window} tokens"
    return 400, {"code": 20015, "message": message, "data": None}


def plain_text(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """No JSON at all; the sum is left to the reader."""
    return 400, f"ValueError: Request length {prompt} + {output} is greater than {window}"


def responses_event(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """The error event of OpenAI's other API, as the body of a success or its only chunk."""
    message = (
        "Your input exceeds the context window of this model. Please adjust your input and "
        "try again."
    )
    code = "context_length_exceeded"
    return 200, {"type": "error", "code": code, "message": message, "param": None}


def finish_reason(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """An answer without a word, whose end gives the reason."""
    usage = {"prompt_tokens": prompt, "completion_tokens": 0, "total_tokens": prompt}
    message = {"role": "assistant", "content": ""}
    reason = "model_context_window_exceeded"
    return 200, {
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage,
    }


def empty_stream(prompt: int, window: int, output: int) -> tuple[int, Any]:
    """A stream that ends before its first chunk; for a plain request, a success that is null."""
    return 200, None


OVERFLOWS: Mapping[str, Overflow] = MappingProxyType(
    {
        "chinese": chinese,
        "dashscope": dashscope,
        "deepseek": deepseek,
        "empty-stream": empty_stream,
        "finish-reason": finish_reason,
        "gemini": gemini,
        "llama.cpp": llama_cpp,
        "llama.cpp-500": llama_cpp_500,
        "lm-studio": lm_studio,
        "ollama": ollama,
        "ollama-truncated": ollama_truncated,
        "openai": openai,
        "openrouter": openrouter,
        "openrouter-200": openrouter_200,
        "plain-text": plain_text,
        "relay": relay,
        "responses-event": responses_event,
        "vllm": vllm,
    }
)


def _requested(prompt: int, window: int, output: int) -> str:
    return (
        f"This model's maximum context length is {window} tokens. However, you requested "
        f"{prompt + output} tokens ({prompt} in the messages, {output} in the completion). "
        "Please reduce the length of the messages or completion."
    )


def _relayed(prompt: int, window: int, output: int) -> Any:
    message = (
        f"This endpoint's maximum context length is {window} tokens. However, you requested about "
        f"{prompt + output} tokens ({prompt} of text input, {output} in the output). Please reduce "
        'the length of either one, or use the "middle-out" transform to compress your prompt '
        "automatically."
    )
    return {"error": {"message": message, "code": 400, "metadata": {"provider_name": None}}}
