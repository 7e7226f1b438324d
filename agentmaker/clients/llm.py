"""A model to ask, by the name of its provider. Made without a key and without a connection."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from agentmaker.calls.call import Reply
from agentmaker.clients.models import check_tokens, facts_of, known_window
from agentmaker.clients.profiles import profile_of
from agentmaker.errors import ConfigError, LLMResponseError
from agentmaker.messages import read_messages

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion


class LLMClient:
    """A chat model at *provider*, or at *base_url* where the provider is not a known one.

    The key is *api_key*, or the provider's environment variable, read with the first
    request. The window is *context_window*, else what is known about the model, else
    *fallback_window*.

    Raises:
        ConfigError: an unknown provider without *base_url*, no model, or a number of
            tokens that is not positive.
    """

    def __init__(
        self,
        provider: str = "deepseek",
        *,
        model: str | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
        context_window: int | None = None,
        max_output_tokens: int | None = None,
        fallback_window: int | None = None,
    ) -> None:
        check_tokens("context_window", context_window)
        check_tokens("max_output_tokens", max_output_tokens)
        check_tokens("fallback_window", fallback_window)
        self._profile = profile_of(provider, base_url)
        self.provider = provider
        self.model = model or self._profile.model
        self.base_url = base_url or self._profile.base_url
        self._windows = (context_window, fallback_window)
        self._max_output_tokens = max_output_tokens
        self._api_key = api_key
        self._sdk: AsyncOpenAI | None = None
        if not self.model:
            raise ConfigError(f"provider {provider!r} has no default model: pass model=")

    @property
    def context_window(self) -> int | None:
        """Tokens the model holds, None where nobody knows."""
        given, fallback = self._windows
        return known_window(self.model, client=given, provider=self.provider, fallback=fallback)

    @property
    def max_output_tokens(self) -> int | None:
        """The most tokens of one reply, None where nobody knows."""
        known = facts_of(self.model, provider=self.provider).max_output
        return self._max_output_tokens or known

    async def chat(
        self, messages: Sequence[Any], *, tools: Sequence[Any] | None = None, **params: Any
    ) -> Reply:
        """Ask the model and wait for the whole reply; *params* are the API's own.

        Raises:
            ConfigError: there is no key.
            LLMRequestError: the request failed.
            LLMResponseError: the reply cannot be used.
        """
        import openai

        from agentmaker.calls.transport import reply_from_completion, translated

        if tools:
            params["tools"] = list(tools)
        request: Any = {"model": self.model, **params, "messages": _wire(messages)}
        try:
            completion = await self.sdk.chat.completions.create(**request)
        except openai.OpenAIError as error:
            raise translated(error) from error
        if not completion.choices:
            raise LLMResponseError(f"the server answered without a reply: {_words(completion)}")
        reply = reply_from_completion(completion)
        reply.settle()
        return reply

    @property
    def sdk(self) -> AsyncOpenAI:
        """The SDK's client underneath, made at its first use.

        Raises:
            ConfigError: there is no key.
        """
        if self._sdk is None:
            from openai import AsyncOpenAI

            self._sdk = AsyncOpenAI(api_key=self._key(), base_url=self.base_url)
        return self._sdk

    async def aclose(self) -> None:
        """Close the connections; the next request opens new ones."""
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        host = urlsplit(self.base_url).hostname
        return f"LLMClient({self.provider!r}, model={self.model!r}, host={host!r})"

    def _key(self) -> str:
        key = (self._api_key or os.environ.get(self._profile.env, "")).strip()
        if not key and self._profile.needs_key:
            raise ConfigError(
                f"no key for {self.provider!r}: set the environment variable "
                f"{self._profile.env} or pass api_key="
            )
        if not (key.isascii() and key.isprintable()):
            raise ConfigError(f"the key for {self.provider!r} has characters no header can hold")
        return key or "none"


def _wire(messages: Sequence[Any]) -> list[dict[str, Any]]:
    return [message.to_wire() for message in read_messages(messages)]


def _words(completion: ChatCompletion) -> str:
    return str((completion.model_extra or {}).get("error") or "no choices, no error")
