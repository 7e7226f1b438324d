"""The prompt slots as methods, of an agent and of a request alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from agentmaker.agents.slots import Slots

if TYPE_CHECKING:
    from agentmaker.agents.request import Request


class Slotted(ABC):
    """Each method fills one slot.

    With ``always=True`` it fills the agent's, for every request from now on, and gives back what
    it was called on; runs that are at work go on as they were asked. Without, it gives a `Request`
    of its own, which alone has it.
    """

    __slots__ = ()

    @overload
    def role(self, text: str, *, always: Literal[True]) -> Self: ...
    @overload
    def role(self, text: str, *, always: Literal[False] = False) -> Request: ...
    def role(self, text: str, *, always: bool = False) -> Self | Request:
        """Who the model is, in the system message: in the place of the role it had."""
        return self._filled(Slots.with_role, text, always)

    @overload
    def system(self, text: str, *, always: Literal[True]) -> Self: ...
    @overload
    def system(self, text: str, *, always: Literal[False] = False) -> Request: ...
    def system(self, text: str, *, always: bool = False) -> Self | Request:
        """A rule more in the system message, below the role."""
        return self._filled(Slots.with_system, text, always)

    @overload
    def info(self, value: Any, *, always: Literal[True]) -> Self: ...
    @overload
    def info(self, value: Any, *, always: Literal[False] = False) -> Request: ...
    def info(self, value: Any, *, always: bool = False) -> Self | Request:
        """Facts: a dictionary, other data or text, shown as YAML.

        What is always there stands in the system message, other facts in the user's. A later name
        replaces the same one before it; facts without a name follow in the order they came.

        Raises:
            ConfigError: a part of *value* cannot be shown, or it is nothing.
        """
        return self._filled(Slots.with_info, value, always)

    @overload
    def instruct(self, text: str, *, always: Literal[True]) -> Self: ...
    @overload
    def instruct(self, text: str, *, always: Literal[False] = False) -> Request: ...
    def instruct(self, text: str, *, always: bool = False) -> Self | Request:
        """How this kind of request is dealt with; the question, where there is no input."""
        return self._filled(Slots.with_instruct, text, always)

    @overload
    def examples(self, given: Any, *, always: Literal[True]) -> Self: ...
    @overload
    def examples(self, given: Any, *, always: Literal[False] = False) -> Request: ...
    def examples(self, given: Any, *, always: bool = False) -> Self | Request:
        """A list of pairs of an input and the output wanted for it, or of dictionaries.

        Raises:
            ConfigError: it is none.
        """
        return self._filled(Slots.with_examples, given, always)

    @overload
    def output(self, given: Any, *, always: Literal[True]) -> Self: ...
    @overload
    def output(self, given: Any, *, always: Literal[False] = False) -> Request: ...
    def output(self, given: Any, *, always: bool = False) -> Self | Request:
        """What the answer is read as: a type that pydantic knows, or a dictionary of them.

        As in ``{"severity": ("P0|P1", "how bad"), "days": int, "tags": [str]}``. The prompt says
        so in words as well, which the agent's own ``output=`` does not.

        Raises:
            ConfigError: it is none of these.
        """
        return self._filled(Slots.with_output, given, always)

    @overload
    def input(self, given: Any, *, always: Literal[True]) -> Self: ...
    @overload
    def input(self, given: Any, *, always: Literal[False] = False) -> Request: ...
    def input(self, given: Any, *, always: bool = False) -> Self | Request:
        """What the user says: text, content parts, a user message, or data, shown as info is.

        Raises:
            ConfigError: it is none of these, or empty.
        """
        return self._filled(Slots.with_input, given, always)

    @abstractmethod
    def _request(self) -> Request:
        """This as a request, without what is not filled yet."""

    def _filled(
        self, fill: Callable[[Slots, Any], Slots], given: Any, always: bool
    ) -> Self | Request:
        request = self._request()
        if not always:
            return replace(request, once=fill(request.once, given))
        request.agent.slots = fill(request.agent.slots, given)
        return self
