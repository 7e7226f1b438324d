"""What a stream that completes a reply is, whether its reader awaits or blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import ref

from agentmaker.calls.call import Reply
from agentmaker.calls.sdk.failures import in_sdk_terms
from agentmaker.calls.sdk.listening import Listening


class Settling:
    """Reads ahead to the first piece of the answer, then hands on every chunk as it came.

    Its reply settles once: at the end, at an error, or when the reader closes it.
    """

    listens: type[Listening] = Listening
    begin: Callable[[Reply], Any]
    _listening: Listening
    _reads = False

    def _listen(self, reply: Reply) -> Listening:
        self._listening = self.listens(reply)
        return self._listening

    def _settle_with(self, response: Any, close: str) -> None:
        """Settle when *response* is closed by its method *close*, as the SDK's helpers do."""
        closed, stream = getattr(response, close), ref(self)

        def closing() -> Any:
            settling = stream()
            if settling is not None and not settling._reads:
                settling._listening.reply.settle()
            return closed()

        setattr(response, close, closing)

    def _broken_by(self, error: BaseException, response: Any) -> BaseException:
        """*error* in the SDK's terms, by which the reply is settled."""
        failure = in_sdk_terms(error, response)
        self._listening.reply.settle(failure)
        return failure

    @contextmanager
    def _reading(self) -> Iterator[None]:
        # The SDK closes a response at its end as well, and what that end is shows a moment later.
        self._reads = True
        try:
            yield
        finally:
            self._reads = False

    @property
    def is_silent(self) -> bool:
        """Whether it ended without a word."""
        return self._listening.is_silent

    @property
    def stray(self) -> Any:
        """The first chunk that is no piece of any answer, None without one."""
        return self._listening.stray

    def __del__(self) -> None:
        # Left by its reader without being closed: its record is written all the same.
        with suppress(AttributeError):
            self._listening.reply.settle()
