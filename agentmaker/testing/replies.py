"""What a `ModelServer` is to answer, item by item, and what it does for each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from agentmaker.testing.completions import completion_of, is_completion
from agentmaker.testing.errors import ServerError, script_failed
from agentmaker.testing.gate import Gate

Body = Mapping[str, Any]
Item: TypeAlias = Any
"""Text, a message, a completion, a `Reply`, one of the classes below, or a function of the
request's body that returns one of these. None is the default reply."""
Read: TypeAlias = Callable[[Item, Body], Any]


@dataclass(frozen=True, slots=True)
class Delay:
    """Wait *until* (seconds, or an opened `Gate`), then answer with *then*.

    In a stream the wait comes when *after* deltas of the answer were sent.

    Delay(0.5, then="Sorry, I was thinking.")
    """

    until: float | Gate
    then: Item = None
    after: int = 0

    async def wait(self) -> None:
        import anyio

        if isinstance(self.until, Gate):
            await self.until.wait()
        else:
            await anyio.sleep(self.until)


@dataclass(frozen=True, slots=True)
class BrokenStream:
    """Send *after* deltas of *then*, and break the connection.

    With an *error* that body is sent as an event instead and the stream ends. A request
    that is no stream breaks in the middle of its body.

    BrokenStream(after=2, then="The answer is forty-two.")
    """

    after: int = 1
    then: Item = None
    error: Any = None


@dataclass(frozen=True, slots=True)
class RawStream:
    """Stream *chunks* as they are: for what only some server sends.

    RawStream([{"choices": None}, {"choices": [{"index": 0, "delta": {"content": "Hi"}}]}])
    """

    chunks: Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answer, decided: what is sent, after which waits, and where it breaks."""

    status: int = 200
    body: Any = None
    chunks: tuple[Any, ...] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delays: tuple[Delay, ...] = ()
    broken: BrokenStream | None = None

    @property
    def is_completion(self) -> bool:
        choices = self.body.get("choices") if isinstance(self.body, dict) else None
        return self.status == 200 and isinstance(choices, list) and bool(choices)


def completed(item: Item, body: Body) -> Any:
    """The chat completion that *item* stands for."""
    return completion_of(_default(body) if item is None else item)


def turn_of(item: Item, body: Body, read: Read = completed) -> Turn:
    """What *item* means for the request *body*; *read* makes the answer's body of what says it."""
    match item:
        case ServerError():
            return Turn(status=item.status, body=item.body, headers=item.headers)
        case Delay():
            turn = turn_of(item.then, body, read)
            return replace(turn, delays=(item, *turn.delays))
        case BrokenStream():
            return replace(turn_of(item.then, body, read), broken=item)
        case RawStream():
            return _raw(item, body)
    if callable(item):
        return turn_of(item(body), body, read)
    return Turn(body=read(item, body))


class Script:
    """The items a server answers with: a list once, anything else for every request.

    Safe to share between threads.
    """

    def __init__(self, replies: Item | Iterable[Item]) -> None:
        self._lock = threading.Lock()
        self._taken = 0
        self._always = None if _is_series(replies) else replies
        self._items: Iterator[Item] | None = iter(replies) if _is_series(replies) else None

    def turn(self, body: Body, read: Read = completed) -> Turn:
        """What the next item means for the request *body*; a fault of a script is an answer."""
        try:
            return turn_of(self.next(), body, read)
        except Exception as error:
            return turn_of(script_failed(error), body)

    def next(self) -> Item:
        """The next item.

        Raises:
            AssertionError: the list is used up.
        """
        with self._lock:
            if self._items is None:
                return self._always
            try:
                item = next(self._items)
            except StopIteration:
                raise AssertionError(
                    f"the server's {self._taken} scripted replies are used up: script more, or "
                    "give one reply or a function, which answers every request"
                ) from None
            self._taken += 1
            return item


def _raw(item: RawStream, body: Body) -> Turn:
    if not body.get("stream"):
        raise AssertionError("a RawStream answers only requests with stream=True")
    return Turn(chunks=tuple(item.chunks))


def _is_series(replies: object) -> bool:
    return isinstance(replies, Iterable) and not is_completion(replies)


def _default(body: Body) -> str:
    messages = body.get("messages")
    count = len(messages) if isinstance(messages, list) else 0
    return f"I have read {count} message{'' if count == 1 else 's'}."
