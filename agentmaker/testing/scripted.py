"""A model that answers from a script: for tests that need no server."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from agentmaker.calls.call import Reply
from agentmaker.messages import read_messages
from agentmaker.testing.completions import completion_of, is_completion, reply_of, tool_call

Item: TypeAlias = Any
"""Text, a message, a completion, a `Reply`, an exception to raise, or a function of the
messages that returns one of these."""


class ScriptedLLM:
    """A model that gives the items of *script*, one a call, and remembers what it was sent.

        >>> llm = ScriptedLLM([ScriptedLLM.tool_call("add", {"a": 1, "b": 2}), "3"])
        >>> llm.calls
        []

    One function instead of a list answers every call. ``calls`` holds one dictionary a call:
    the messages as plain dictionaries, the tools, and the other parameters. *context_window*
    is what an agent takes for its window; where it is None, nobody knows it.
    """

    def __init__(
        self,
        script: Iterable[Item] | Callable[[list[dict[str, Any]]], Item] | None = None,
        *,
        model: str = "test",
        provider: str = "test",
        context_window: int | None = 128_000,
    ) -> None:
        self.model = model
        self.provider = provider
        self.context_window = context_window
        self.max_output_tokens: int | None = None
        self.calls: list[dict[str, Any]] = []
        self._script = _items(script)

    @staticmethod
    def tool_call(name: str, args: Mapping[str, Any] | str, *, call_id: str = "call_1") -> Reply:
        """A scripted reply that calls one tool; *args* as text stays as it is, valid or not."""
        return reply_of(tool_call(name, args, call_id=call_id))

    async def chat(
        self, messages: Sequence[Any], *, tools: Sequence[Any] | None = None, **params: Any
    ) -> Reply:
        """The next reply of the script.

        Raises:
            AssertionError: the script is used up.
            BaseException: the script's item is an exception.
        """
        sent = [copy.deepcopy(message.to_wire()) for message in read_messages(messages)]
        self.calls.append({"messages": sent, "tools": copy.deepcopy(tools), "params": params})
        return _reply(self._next(), sent)

    def _next(self) -> Item:
        try:
            return next(self._script)
        except StopIteration:
            answered = len(self.calls) - 1
            raise AssertionError(
                f"ScriptedLLM was called {len(self.calls)} times, but its script has "
                f"{answered} replies: add one for this call, or find out why it was made "
                "(llm.calls[-1] holds what was sent)"
            ) from None


def _items(script: Any) -> Iterator[Item]:
    if script is None:
        return iter(())
    if callable(script):
        return iter(lambda: script, object())
    return iter([script] if is_completion(script) else script)


def _reply(item: Item, messages: list[dict[str, Any]]) -> Reply:
    if isinstance(item, BaseException) or _is_exception_class(item):
        raise item
    if callable(item):
        return _reply(item(messages), messages)
    return reply_of(completion_of(item))


def _is_exception_class(item: object) -> bool:
    return isinstance(item, type) and issubclass(item, BaseException)
