"""A client of the SDK's whose chat completions go through an engine, whichever way they are asked.

The SDK posts every request through the client's ``post``; chat completions are taken there.
Only ``create`` is met earlier, because the SDK's own walk over its parameters takes several
times as long as everything the engine does. What is here is the same for clients that await and
for clients that block: ``awaiting`` and ``blocking`` have their resources.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from agentmaker.calls.memory.remembered import Remembered
from agentmaker.clients.patches import Patch, patch_of
from agentmaker.clients.using import Overrides, overrides
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope

if TYPE_CHECKING:
    from agentmaker.calls.call import Reply
    from agentmaker.calls.limits import Run, RunPolicy
    from agentmaker.calls.transport import Transport
    from agentmaker.clients.engine import Engine
    from agentmaker.clients.given import Given
    from agentmaker.context.sources import ContextSource

T = TypeVar("T")

UNBUDGETED = "/responses"

_making = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request on its way to an engine, and how its caller wants the answer."""

    engine: Engine
    given: Given
    bound: Overrides
    parse: Callable[[Any], Any] | None = None

    async def reply(self) -> Reply:
        return await self.engine.request(self.given, self.bound)

    def answer(self, reply: Reply) -> Any:
        """The server's own object: a ``ChatCompletion``, or a stream of chunks.

        Raises:
            ConfigError: a middleware answered a stream by itself.
        """
        if reply.raw is None and self.given.params.get("stream"):
            raise ConfigError(
                "a middleware answered a stream with a whole reply: let streams pass to next"
            )
        raw = _completion_of(reply) if reply.raw is None else reply.raw
        return raw if self.parse is None else _parsed(raw, self.parse)


class Later(Generic[T]):
    """What *make* makes when it is first asked for; threads share it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: list[T] = []
        self._lock = Lock()

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


class Budgeted:
    """What stands before a client's own class: everything else is that class's.

    Attributes:
        plain: the client that was wrapped.
        made: makes the engine of the client that was wrapped first.
        engines: one for each server that copies ask, by its URL, with what was learnt of it.
        warn: says once that something is not budgeted.
    """

    bound: Overrides
    plain: Any
    made: Later[Engine]
    max_retries: int
    base_url: Any
    engines: Remembered[str, Engine]
    warn: Callable[[], None]

    @property
    def engine(self) -> Engine:
        """What the requests go through, made with the first of them."""
        engine: Engine | None = vars(self).get("_engine")
        if engine is None:
            with _making:
                engine = self.engine = through(self, self.made())
        return engine

    @engine.setter
    def engine(self, engine: Engine) -> None:
        vars(self)["_engine"] = engine

    @abstractmethod
    def transport(self, *how: Any) -> Transport:
        """The door of this client's colour."""

    def scoped(
        self,
        scope: Scope | None = None,
        *,
        window: int | None = None,
        sources: Sequence[ContextSource] | None = None,
        run: Run | RunPolicy | None = None,
    ) -> Self:
        """This client for one scope, window, set of sources or run.

        Raises:
            ConfigError: *window* is not a positive number of tokens, or another is of a wrong
                kind.
        """
        inner = overrides(scope=scope, window=window, sources=sources, run=run)
        scoped = fresh(self, type(self))
        scoped.engine = self.engine
        scoped.bound = inner.over(self.bound)
        return scoped

    def copy(self, **changes: Any) -> Self:
        """As the SDK's; the copy goes through an engine that shares what this one has learnt.

        What was learnt of a server's limits holds for that server only.
        """
        copied: Self = super().copy(**changes)  # type: ignore[misc]
        copied.bound, copied.warn, copied.engines = self.bound, self.warn, self.engines
        copied.plain, copied.made = fresh(copied, type(self.plain)), self.made
        return copied

    with_options = copy

    def asked_by_create(self, arguments: Mapping[str, Any]) -> Asked | None:
        """What *arguments* ask; None leaves them to the SDK."""
        from agentmaker.calls.sdk.created import parameters
        from agentmaker.clients.given import Given

        engine = self.engine_by_create(arguments)
        if engine is None:
            return None
        given = Given.from_arguments(arguments, arguments.keys() - parameters())
        return Asked(engine=engine, given=given, bound=self.bound)

    def engine_by_create(self, arguments: Mapping[str, Any]) -> Engine | None:
        """What *arguments* go through; None leaves them to the SDK.

        Where one is missing or misspelt the SDK says so, and it calls a ``post`` that was put on
        this client.
        """
        from agentmaker.calls.sdk.created import parameters

        patch = patch_of(self.plain)
        unknown = not patch and not arguments.keys() <= parameters()
        misread = isinstance(arguments.get("response_format"), type) or unknown
        if misread or not arguments.keys() >= {"model", "messages"} or "post" in vars(self):
            return None
        engine = self.engine
        way = patch or ("class" if engine.reader.options.config.send == "create" else None)
        return self._by_patch[way] if way else engine

    def asked_by_post(self, path: str, given: Mapping[str, Any]) -> Asked | None:
        """What a post asks; None for one that is no chat completion."""
        from agentmaker.calls.sdk.posted import PATH, RAW
        from agentmaker.clients.given import Given

        body, options = given.get("body"), dict(given.get("options") or {})
        if path != PATH or not isinstance(body, Mapping):
            return None
        raw = RAW in (options.get("headers") or {})
        parse = None if raw else options.pop("post_parser", None)
        engine, retries = self.engine, options.pop("max_retries", self.engine.retries)
        return Asked(
            engine=engine if retries == engine.retries else replace(engine, retries=retries),
            given=Given.from_request(body, {**options, "cast_to": given.get("cast_to")}),
            bound=self.bound,
            parse=parse,
        )

    @cached_property
    def _by_patch(self) -> Mapping[Patch, Engine]:
        """Engines that send through a ``create``: the SDK's own, or one in the place of it.

        One on the instance belongs to a client whose retries cannot be switched off from here:
        that client has them then, and the engine none.
        """
        from agentmaker.calls.sdk.created import by_create

        return {
            "class": replace(self.engine, send=self.transport(self._bare_create, by_create)),
            "instance": replace(
                self.engine, send=self.transport(self._plain_create, by_create), retries=0
            ),
        }

    def _bare_create(self) -> Any:
        unwrapped = fresh(self, type(self.plain))
        unwrapped.max_retries = 0
        return unwrapped.chat.completions.create

    def _plain_create(self) -> Any:
        return self.plain.chat.completions.create


def through(client: Budgeted, engine: Engine) -> Engine:
    """*engine*, sending through *client* as often as that tries, to the server it asks."""
    from agentmaker.calls.sdk.posted import by_body, by_post

    server = str(client.base_url)
    known = client.engines.get(server)
    if known is None:
        known = engine.at(server)
        client.engines.put(server, known)
    post = by_body if engine.reader.options.config.send == "body" else by_post
    return replace(known, send=client.transport(behind(client), post), retries=client.max_retries)


def behind(client: Budgeted) -> Any:
    """What is behind the engine: the ``post`` of the client's own class, or one in its place."""
    return client.plain if "post" in vars(client.plain) else super(Budgeted, client)


def fresh(client: Any, kind: type[T]) -> T:
    """A copy of *client* as one of *kind*, without what holds on to the original."""
    twin = object.__new__(kind)
    vars(twin).update((name, each) for name, each in vars(client).items() if not _bound(kind, name))
    return twin


def _bound(kind: type[Any], name: str) -> bool:
    """Whether the attribute is bound to its client: a resource, or a ``post`` put in its place."""
    return name == "post" or isinstance(getattr(kind, name, None), cached_property)


def _completion_of(reply: Reply) -> Any:
    from agentmaker.clients.completions import completion_of

    return completion_of(reply)


def _parsed(raw: Any, parse: Callable[[Any], Any]) -> Any:
    parsed = parse(raw)
    parsed._request_id = getattr(raw, "_request_id", None)
    return parsed
