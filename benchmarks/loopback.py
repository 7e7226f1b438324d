"""A server in a process of its own that answers every request alike, as fast as it can.

Who asks it pays for the sockets, as for any server, and for nothing else. The usage it reports,
but for a stream, is guessed from the length of what it was sent.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

import anyio
from anyio.abc import SocketAttribute, SocketStream

from benchmarks.instant import CHUNKS, COMPLETION

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n"

BYTES_A_TOKEN = 5


@contextmanager
def loopback() -> Iterator[str]:
    """The address of the server's API."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(theirs,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _run(told: Connection) -> None:
    anyio.run(_serve, told)


async def _serve(told: Connection) -> None:
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    told.send(listener.extra(SocketAttribute.local_port))
    await listener.serve(_answer)


async def _answer(stream: SocketStream) -> None:
    async with stream:
        received = b""
        while True:
            try:
                received += await stream.receive(1 << 20)
            except anyio.EndOfStream:
                return
            head, found, body = received.partition(b"\r\n\r\n")
            if not found or len(body) < _length(head):
                continue
            streams = b'"stream":true' in body
            answer = CHUNKS if streams else _completed(body)
            kind = b"text/event-stream" if streams else b"application/json"
            await stream.send(_HEAD % (kind, len(answer)) + answer)
            received = b""


def _completed(body: bytes) -> bytes:
    usage = {"prompt_tokens": len(body) // BYTES_A_TOKEN, "completion_tokens": 6}
    return COMPLETION[:-1] + b', "usage": %b}' % json.dumps(usage).encode()


def _length(head: bytes) -> int:
    lines = head.lower().split(b"\r\n")
    return int(next(line for line in lines if line.startswith(b"content-length:"))[15:])
