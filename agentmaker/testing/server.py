"""A strict OpenAI-compatible server for tests and demos, in process or on loopback."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import anyio.to_thread

from agentmaker.context.knobs import check_count
from agentmaker.testing.admission import Admission, Checker, checker, overflow_named
from agentmaker.testing.embeddings import Embeddings
from agentmaker.testing.endpoint import Endpoint
from agentmaker.testing.overflows import Overflow
from agentmaker.testing.records import Received
from agentmaker.testing.replies import Item, Script
from agentmaker.tokens import CountMemo, TokenCounter, counter_for

if TYPE_CHECKING:
    import httpx
    from openai import AsyncOpenAI
    from starlette.applications import Starlette

IN_PROCESS = "http://in-process.invalid/v1"


class ModelServer:
    """A model server that counts exactly, refuses what real ones refuse, and keeps to a script.

    In process:

        server = ModelServer(["Hello!"], window=8_000)
        client = agentmaker.wrap(server.client(), window=8_000)

    On loopback, for anything that speaks HTTP:

        with ModelServer(["Hello!"], overflow="vllm") as server:
            client = AsyncOpenAI(base_url=server.base_url, api_key="any")

    Args:
        replies: a list of replies, one a request; or one reply, or a function of the
            request's body, for every request. None answers with a short fixed text. A reply
            is text, a message, a whole completion, a `Reply`, `ServerError`, `Delay` or
            `BrokenStream`.
        embeddings: the same for requests for embeddings; a reply is a whole body, and None
            answers with vectors of words: those of texts that share words are near.
        window: tokens that prompt and requested output may have together; None for no limit.
        max_output_tokens: the largest output a request may ask for.
        counter: counts tokens; exact with ``agentmaker-runtime[exact]``, else the estimate.
        overflow: a wording out of `OVERFLOWS`, or a function of the prompt's tokens, the
            window and the output asked for that returns status and body.
        strict: refuse what `violations` finds; or a function like it.
        model: the name of the one model it lists.
        api_key: the key it wants; None takes any.
        keep: how many of the newest requests ``requests`` holds.

    Raises:
        ConfigError: a number is below 1, or there is no wording called *overflow*.
    """

    def __init__(
        self,
        replies: Item | Iterable[Item] = None,
        *,
        embeddings: Item | Iterable[Item] = None,
        window: int | None = 8_000,
        max_output_tokens: int | None = None,
        counter: TokenCounter | None = None,
        overflow: str | Overflow = "openai",
        strict: bool | Checker = True,
        model: str = "test-model",
        api_key: str | None = None,
        keep: int = 1_000,
    ) -> None:
        check_count("ModelServer(keep)", keep, least=1)
        for name, number in {"window": window, "max_output_tokens": max_output_tokens}.items():
            if number is not None:
                check_count(f"ModelServer({name})", number, least=1)
        counts = CountMemo(counter or counter_for("gpt-4o"))
        self._endpoint = Endpoint(
            script=Script(replies),
            embeddings=Embeddings(
                script=Script(embeddings),
                counter=counts,
                model=model,
                requests=deque(maxlen=keep),
            ),
            admission=Admission(
                window=window,
                max_output_tokens=max_output_tokens,
                overflow=overflow_named(overflow),
                check=checker(strict),
            ),
            counter=counts,
            model=model,
            api_key=api_key,
            requests=deque(maxlen=keep),
        )
        self._running: ExitStack | None = None
        self._port: int | None = None

    @property
    def requests(self) -> tuple[Received, ...]:
        """The chat requests received, oldest first."""
        return tuple(self._endpoint.requests)

    @property
    def embedded(self) -> tuple[Received, ...]:
        """The requests for embeddings received, oldest first."""
        return tuple(self._endpoint.embeddings.requests)

    @property
    def base_url(self) -> str:
        """Where it answers: on loopback once started, else only through ``transport()``."""
        return IN_PROCESS if self._port is None else f"http://127.0.0.1:{self._port}/v1"

    @cached_property
    def app(self) -> Starlette:
        """The server as a Starlette application."""
        from agentmaker.testing.app import application

        return application(self._endpoint)

    def transport(self) -> httpx.AsyncBaseTransport:
        """A transport for ``httpx.AsyncClient`` that answers in process."""
        from agentmaker.testing.direct import DirectTransport

        return DirectTransport(self._endpoint)

    def client(self, **options: Any) -> AsyncOpenAI:
        """An ``AsyncOpenAI`` that talks to this server: over loopback once it is started.

        *options* are those of ``AsyncOpenAI``.
        """
        import httpx
        from openai import AsyncOpenAI

        if self._port is None and "http_client" not in options:
            options["http_client"] = httpx.AsyncClient(transport=self.transport())
        key = self._endpoint.api_key or "test"
        return AsyncOpenAI(**{"base_url": self.base_url, "api_key": key, **options})

    def start(self) -> Self:
        """Listen on a free loopback port, in a thread; what ``with`` does.

        Raises:
            RuntimeError: it is running already.
        """
        if self._running:
            raise RuntimeError(f"this ModelServer already runs at {self.base_url}: stop it first")
        from agentmaker.testing.loopback import loopback

        with ExitStack() as stack:
            self._port = stack.enter_context(loopback(self.app))
            self._running = stack.pop_all()
        return self

    def stop(self) -> None:
        """Cut what is still running and end the thread; nothing when it does not run."""
        running, self._running, self._port = self._running, None, None
        if running:
            running.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return await anyio.to_thread.run_sync(self.start)

    async def __aexit__(self, *_: object) -> None:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self.stop)
