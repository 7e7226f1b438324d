"""What a stream does with its chunks, whoever pulls them."""

from __future__ import annotations

from collections import deque
from typing import Any

from agentmaker.calls.call import Reply
from agentmaker.calls.sdk.failures import failure_in
from agentmaker.calls.sdk.gathering import Gathering
from agentmaker.calls.sdk.raw import fields, get, items
from agentmaker.calls.sdk.reading import adds_something, says_something


class Listening:
    """Completes *reply* chunk by chunk.

    Attributes:
        ahead: chunks that were read and not yet handed on.
        stray: the first that is no piece of any answer, None without one.
    """

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.ahead: deque[Any] = deque()
        self.stray: Any = None
        self._gathering = Gathering(reply)

    @property
    def has_begun(self) -> bool:
        """Whether the newest chunk read ahead is a piece of an answer.

        A finish without any answer is none: it is read on to the end, where the usage stands,
        so that the reply can be judged as a whole.
        """
        return bool(self.ahead) and says_something(self.ahead[-1]) and not self._ends_empty

    @property
    def is_silent(self) -> bool:
        """Whether the stream ended without a word."""
        return self.reply.settled and not any(map(says_something, self.ahead))

    @property
    def _ends_empty(self) -> bool:
        return bool(self.reply.finish_reason) and not any(map(adds_something, self.ahead))

    def hear(self, chunk: Any, response: Any) -> bool:
        """Add *chunk* to the reply; False for one that is not to be handed on.

        Raises:
            openai.APIError: it is the server's word of an error.
        """
        if not items(chunk, "choices"):
            if failure := failure_in(chunk, response):
                raise failure
            if get(chunk, "usage") is None:
                self.stray = self.stray or chunk
            elif self.reply.hides_usage:
                self._gathering.add(chunk)
                return False
        if not fields(chunk):
            return False
        _mend(chunk)
        self._gathering.add(chunk)
        return True


def _mend(chunk: Any) -> None:
    """Give a chunk what the SDK's types promise and some servers leave out."""
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDelta

    if not isinstance(get(chunk, "choices"), list):
        chunk.choices = []
    for choice in chunk.choices:
        if choice is not None and get(choice, "delta") is None:
            choice.delta = ChoiceDelta()
    # The SDK's helpers pass over what does not say that it is a chunk; a filter's note is none.
    says = isinstance(chunk, ChatCompletionChunk) and (chunk.choices or chunk.usage)
    if says and get(chunk, "object") is None:
        chunk.object = "chat.completion.chunk"
