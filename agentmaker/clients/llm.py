"""A model to ask, by the name of its provider. Made without a key and without a connection."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from agentmaker.calls.call import Call, Delta, Reply
from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.translation import our_errors
from agentmaker.clients.checks import read_config, read_dialect, read_sinks
from agentmaker.clients.models import check_tokens, known_window, max_output_of
from agentmaker.clients.profiles import profile_of
from agentmaker.config import AgentmakerConfig
from agentmaker.errors import ConfigError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from agentmaker.calls.recording import Sink
    from agentmaker.clients.engine import Engine
    from agentmaker.clients.using import Overrides


class LLMClient:
    """A chat model at *provider*, or at *base_url* where the provider is not a known one.

    Its requests go through the engine like those of a wrapped client. The key is *api_key*,
    or the provider's environment variable, read with the first request. The window is
    *context_window*, else what is known about the model, else *fallback_window*.
    *config*, *sinks* and *dialect* are those of `wrap`.

    Raises:
        ConfigError: an unknown provider without *base_url*, no model, a number of tokens that
            is not positive, or another setting of a wrong kind.
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
        config: AgentmakerConfig | None = None,
        sinks: Sequence[Sink] | None = None,
        dialect: Dialect | str | None = None,
    ) -> None:
        check_tokens("context_window", context_window)
        check_tokens("max_output_tokens", max_output_tokens)
        check_tokens("fallback_window", fallback_window)
        self._profile = profile_of(provider, base_url)
        self.provider = provider
        self.model = model or self._profile.model
        self.base_url = base_url or self._profile.base_url
        self._context_window = context_window
        self._fallback_window = fallback_window
        self._max_output_tokens = max_output_tokens
        self._api_key = api_key
        self.config = read_config(config)
        self._sinks = None if sinks is None else read_sinks(sinks)
        self._dialect = read_dialect(dialect)
        self._kept: tuple[AsyncOpenAI, Engine] | None = None
        if not self.model:
            raise ConfigError(f"provider {provider!r} has no default model: pass model=")

    @property
    def context_window(self) -> int | None:
        """Tokens the model holds, None where nobody knows."""
        return known_window(
            self.model,
            client=self._context_window,
            provider=self.provider,
            fallback=self._fallback_window,
        )

    @property
    def max_output_tokens(self) -> int | None:
        """The most tokens of one reply, None where nobody knows."""
        return self._max_output_tokens or max_output_of(self.model, provider=self.provider)

    async def chat(
        self, messages: Sequence[Any], *, tools: Sequence[Any] | None = None, **params: Any
    ) -> Reply:
        """Ask the model; *params* are the API's own, ``stream=True`` among them.

        Raises:
            ConfigError: there is no key, or the model's window is not known.
            ContextWindowExceeded: what must be sent does not fit.
            LLMRequestError: the request failed.
            LLMResponseError: the reply cannot be used.
        """
        from agentmaker.clients.using import NOTHING

        asked = {"model": self.model, "messages": messages, "tools": tools or (), **params}
        return await self.request(asked, NOTHING)

    async def request(self, arguments: Mapping[str, Any], bound: Overrides) -> Reply:
        """Send the *arguments* of a ``create``; *bound* comes before what ``using`` says."""
        from agentmaker.clients.given import Given

        with our_errors():
            reply = await self.engine.request(Given.from_arguments(arguments), bound)
        return _usable(reply)

    @property
    def engine(self) -> Engine:
        """What its requests go through, made with the first of them."""
        return self._opened()[1]

    async def send(self, call: Call) -> Reply:
        """Send a call that is fitted already, as it is."""
        from agentmaker.calls.transport import Transport

        sdk, _ = self._opened()
        return await Transport(sdk)(call)

    async def aclose(self) -> None:
        """Close the connections; the next request opens new ones."""
        opened, self._kept = self._kept, None
        if opened is not None:
            await opened[0].close()

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

    def _opened(self) -> tuple[AsyncOpenAI, Engine]:
        if self._kept is None:
            self._kept = self._open()
        return self._kept

    def _open(self) -> tuple[AsyncOpenAI, Engine]:
        from openai import AsyncOpenAI

        from agentmaker.calls.transport import Transport
        from agentmaker.clients.engine import Engine
        from agentmaker.clients.options import Options
        from agentmaker.clients.reading import Reader
        from agentmaker.observe.sinks import StructlogSink

        options = Options(
            window=self._context_window,
            fallback_window=self._fallback_window,
            max_output=self._max_output_tokens,
            provider=self.provider,
            base_url=self.base_url,
            config=self.config,
            dialect=self._dialect,
            knob="context_window",
        )
        sdk = AsyncOpenAI(api_key=self._key(), base_url=self.base_url)
        engine = Engine(
            reader=Reader(options=options),
            send=Transport(sdk),
            retries=sdk.max_retries,
            sinks=(StructlogSink(),) if self._sinks is None else self._sinks,
        )
        return sdk, engine

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


def _usable(reply: Reply) -> Reply:
    """*reply*, its stream raising our errors."""
    if reply.deltas is not None:
        reply.deltas = _with_our_errors(reply.deltas)
    return reply


async def _with_our_errors(deltas: AsyncIterator[Delta]) -> AsyncIterator[Delta]:
    with our_errors():
        async for delta in deltas:
            yield delta
