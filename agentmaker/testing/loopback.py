"""An ASGI application on a loopback port, in a thread and an event loop of its own."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

import anyio
from anyio.from_thread import BlockingPortal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


@contextmanager
def loopback(app: ASGIApp) -> Iterator[int]:
    """Serve *app* inside the block; gives the port. Requests still running are cut at its end."""
    cut = _Cuttable(app)
    with _listening() as sock, _daemon_portal() as portal:
        server = _server(cut)
        # From here on the socket holds connections in its backlog: nobody has to wait for uvicorn.
        running = portal.start_task_soon(server.serve, [sock])
        try:
            yield sock.getsockname()[1]
        finally:
            server.should_exit = True
            portal.call(cut.cancel)
            running.result()


@contextmanager
def _daemon_portal() -> Iterator[BlockingPortal]:
    """A portal in a thread that does not hold up exit where nobody stopped the server."""
    started: Future[BlockingPortal] = Future()
    thread = Thread(target=anyio.run, args=(_hold, started), name="model-server", daemon=True)
    thread.start()
    portal = started.result()
    try:
        yield portal
    finally:
        portal.call(portal.stop)
        thread.join()


async def _hold(started: Future[BlockingPortal]) -> None:
    async with BlockingPortal() as portal:
        started.set_result(portal)
        await portal.sleep_until_stopped()


class _Cuttable:
    """Passes requests on to *app*, until all that run and all that come are cancelled."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.running: set[anyio.CancelScope] = set()
        self.closed = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with anyio.CancelScope() as cancel:
            self.running.add(cancel)
            if self.closed:
                cancel.cancel()
            try:
                await self.app(scope, receive, send)
            finally:
                self.running.discard(cancel)

    def cancel(self) -> None:
        self.closed = True
        for scope in self.running:
            scope.cancel()


@contextmanager
def _listening() -> Iterator[socket.socket]:
    # Only a socket that says it speaks TCP gets TCP_NODELAY from the event loop.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        yield sock


def _server(app: Any) -> Any:
    import uvicorn

    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        access_log=False,
        log_config=None,
        # A connection that a script breaks is no fault to be reported.
        log_level="critical",
        timeout_graceful_shutdown=30,
    )
    return uvicorn.Server(config)
