"""One way to ask, whatever client an agent was given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agentmaker.calls.call import Call, Reply
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.memory.conversations import Conversations
from agentmaker.calls.middleware import Model
from agentmaker.calls.sdk.posted import AS_SAID
from agentmaker.calls.setting import Setting
from agentmaker.calls.views import Views
from agentmaker.clients.engine import Engine
from agentmaker.clients.given import Given
from agentmaker.clients.options import Options
from agentmaker.clients.reading import Reader
from agentmaker.clients.using import NOTHING, Overrides, current
from agentmaker.context.folding import ASummarize
from agentmaker.errors import ConfigError
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry

if TYPE_CHECKING:
    from agentmaker.clients.budgeted import Budgeted

FALLBACK_WINDOW = 128_000
"""Tokens that a model with only a ``chat`` of its own is taken to hold where it does not say."""

Arguments = Mapping[str, Any]

_AS_SAID = frozenset({AS_SAID})


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A client and the model it is asked for.

    Attributes:
        engine: the engine its requests go through, made when first needed.
        ask: sends the arguments of a ``create``.
        prompts: the built-in texts, in the language the client was set to, where it can be set.
        bound: what the client was ``scoped`` with.
    """

    model: str
    engine: Callable[[], Engine]
    ask: Callable[[Arguments, Overrides], Awaitable[Reply]]
    prompts: Callable[[], PromptRegistry] = lambda: DEFAULT_PROMPTS
    bound: Overrides = NOTHING

    def held(self, overrides: Overrides = NOTHING) -> Overrides:
        """What holds for a request: *overrides* first, what the client was wrapped with last."""
        wrapped = Overrides(scope=self.engine().reader.options.scope)
        return overrides.over(self.bound).over(current()).over(wrapped)

    def scoped(self, overrides: Overrides) -> Chat:
        """The same, where *overrides* come before what the client was ``scoped`` with."""
        return replace(self, bound=overrides.over(self.bound))

    async def setting(self, overrides: Overrides) -> Setting:
        """How the window of a request is used where *overrides* hold.

        Raises:
            ConfigError: the window is not known.
        """
        reader = self.engine().reader
        await reader.load(self.model)
        return reader.setting(self.model, self.held(overrides))

    def summarizer(self, overrides: Overrides) -> ASummarize | None:
        """Who summarises where *overrides* hold; None for nobody."""
        return self.engine().summarizer(self.model, self.held(overrides))

    async def rehearse(self, arguments: Arguments, overrides: Overrides) -> Ledger:
        """Where the tokens of a request would go; nothing is sent, asked for or remembered.

        Raises:
            ContextWindowExceeded: what must be sent does not fit.
        """
        known = self.engine().reader
        reader = replace(known, views=Views(), conversations=Conversations(), summarizer=None)
        given = Given.from_arguments(arguments)
        call = await Engine(reader=reader).dry_run(given, replace(self.held(overrides), sources=()))
        if call.ledger is None:
            raise RuntimeError("the steps left no ledger")
        return call.ledger


def read_client(client: Any, model: str | None) -> Chat:
    """Read what a user gives as an agent's client.

    Raises:
        ConfigError: it is none, or does not say its model where *model* does not either.
    """
    return _of_sdk(client, model) or _of_llm(client, model) or _of_model(client, model)


def _of_llm(client: Any, model: str | None) -> Chat | None:
    from agentmaker.clients.llm import LLMClient

    if not isinstance(client, LLMClient):
        return None
    return Chat(
        model=model or client.model,
        engine=lambda: client.engine,
        ask=client.request,
        prompts=lambda: client.config.prompts,
    )


def _of_sdk(client: Any, model: str | None) -> Chat | None:
    import openai

    from agentmaker.clients.budgeted import Budgeted

    if not isinstance(client, (openai.AsyncOpenAI, openai.OpenAI)):
        return None
    if not isinstance(client, Budgeted):
        raise ConfigError(
            f"wrap the client first: client=agentmaker.wrap({type(client).__name__}())"
        )
    if not model:
        raise ConfigError("a wrapped client serves any model: pass model= with the one to ask")
    return Chat(
        model=model,
        engine=lambda: client.engine,
        ask=_by_create(client),
        prompts=lambda: client.engine.reader.options.config.prompts,
        bound=client.bound,
    )


def _by_create(client: Budgeted) -> Callable[[Arguments, Overrides], Awaitable[Reply]]:
    async def ask(arguments: Arguments, overrides: Overrides) -> Reply:
        engine = client.engine_by_create(arguments) or client.engine
        bound = overrides.over(client.bound)
        if engine is client.engine and not engine.middleware:  # nobody else sees the reply
            arguments = {**arguments, AS_SAID: True}
        return await engine.request(Given.from_arguments(arguments, _AS_SAID), bound)

    return ask


def _of_model(client: Any, model: str | None) -> Chat:
    if isinstance(client, type) or not isinstance(client, Model) or not callable(client.chat):
        raise ConfigError(
            f"client must be an LLMClient, a wrapped client or a model with chat, not {client!r}"
        )
    options = Options(
        window=getattr(client, "context_window", None), fallback_window=FALLBACK_WINDOW
    )
    engine = Engine(reader=Reader(options=options), send=_sends(client))

    async def ask(arguments: Arguments, overrides: Overrides) -> Reply:
        return await engine.request(Given.from_arguments(arguments), overrides)

    name = model or getattr(client, "model", None) or type(client).__name__
    return Chat(model=name, engine=lambda: engine, ask=ask)


def _sends(client: Model) -> Callable[[Call], Awaitable[Reply]]:
    async def send(call: Call) -> Reply:
        params = dict(call.params)
        if call.window.response_format is not None:
            params["response_format"] = call.window.response_format
        reply = await client.chat(list(call.messages), tools=call.window.tools or None, **params)
        if reply.deltas is None:
            reply.settle()
        return reply

    return send
