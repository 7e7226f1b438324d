"""What a request is made of, each part in the slot that says what it is for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

from agentmaker.agents.given import read_question
from agentmaker.agents.outputs import Output, read_output
from agentmaker.context.rendering import Data, plain_data, to_yaml
from agentmaker.errors import ConfigError
from agentmaker.messages import ROLES, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """The prompt slots of an agent, or of one request.

    Attributes:
        role: who the model is.
        system: the rules it keeps to.
        info: facts, as plain data or text.
        instruct: how this kind of request is dealt with.
        examples: what was given and wanted before, as plain data.
        output: what the answer is to be read as.
        input: what changes with every call: what the user says.
    """

    role: str = ""
    system: tuple[str, ...] = ()
    info: tuple[Data, ...] = ()
    instruct: tuple[str, ...] = ()
    examples: tuple[Data, ...] = ()
    output: Output | None = None
    input: Message | None = None

    def with_role(self, text: str) -> Slots:
        """With *text* in the place of the role there is."""
        return replace(self, role=_text("role", text))

    def with_system(self, text: str) -> Slots:
        """With one more rule."""
        return replace(self, system=(*self.system, _text("system", text)))

    def with_info(self, value: Any) -> Slots:
        """With more facts: named ones in the place of those of the same name.

        Raises:
            ConfigError: *value* cannot be shown, or is nothing.
        """
        fact = _text("info", value) if isinstance(value, str) else plain_data(value, name="info")
        if fact is None or fact in ({}, []):
            raise ConfigError("info is empty: give facts, as a dictionary or as text")
        if fact == "":  # of a package in which nothing was found
            return self
        return replace(self, info=_merged((*self.info, fact)))

    def with_instruct(self, text: str) -> Slots:
        """With one more instruction."""
        return replace(self, instruct=(*self.instruct, _text("instruct", text)))

    def with_examples(self, given: Any) -> Slots:
        """With more examples: pairs of an input and its output, or dictionaries."""
        return replace(self, examples=(*self.examples, *map(_example, _each(given))))

    def with_output(self, given: Any) -> Slots:
        """With another type or contract for the answer."""
        output = read_output(given)
        if output is None:
            raise ConfigError("an answer is text where output says nothing: leave it out for text")
        return replace(self, output=output)

    def with_input(self, given: Any) -> Slots:
        """With another input: text, content parts, a user message, or data."""
        return replace(self, input=_input(given))

    def without(self, slot: str) -> Slots:
        """With nothing in *slot*."""
        return replace(self, **{slot: getattr(Slots(), slot)})

    def over(self, other: Slots) -> Slots:
        """These slots and *other*'s: the role, output and input of these, where they have one."""
        return Slots(
            role=self.role or other.role,
            system=(*other.system, *self.system),
            info=_merged((*other.info, *self.info)),
            instruct=(*other.instruct, *self.instruct),
            examples=(*other.examples, *self.examples),
            output=self.output or other.output,
            input=self.input or other.input,
        )


def info_text(info: Iterable[Data]) -> str:
    """Facts as a model reads them."""
    return "\n\n".join(each if isinstance(each, str) else to_yaml(each) for each in info)


def _merged(info: Iterable[Data]) -> tuple[Data, ...]:
    """Named facts as one dictionary, first; then the others as they came."""
    named: dict[Any, Data] = {}
    others: list[Data] = []
    for each in info:
        if isinstance(each, dict):
            named |= each
        else:
            others.append(each)
    return (named, *others) if named else tuple(others)


def _text(slot: str, given: Any) -> str:
    if isinstance(given, str) and given.strip():
        return given
    what = "nothing" if isinstance(given, str) else type(given).__name__
    raise ConfigError(f"{slot} is text, not {what}: facts belong in info, what is asked in input")


def _each(given: Any) -> Iterable[Any]:
    if isinstance(given, Mapping):
        return [given]
    if isinstance(given, Iterable) and not isinstance(given, str):
        return given
    raise ConfigError("examples is a list: write examples([(what is given, what is wanted)])")


def _example(given: Any) -> Data:
    if isinstance(given, (tuple, list)) and len(given) == 2:
        given = {"input": given[0], "output": given[1]}
    if not isinstance(given, Mapping):
        raise ConfigError(
            f"an example is a pair of an input and its output, or a dictionary; not {given!r}"
        )
    return plain_data(given, name="examples")


def _input(given: Any) -> Message:
    return read_question(to_yaml(plain_data(given, name="input")) if _is_data(given) else given)


def _is_data(given: Any) -> bool:
    """Whether *given* is to be shown as info is: it is neither words nor a message of them."""
    if isinstance(given, Mapping):
        return bool(given) and not (given.get("role") in ROLES and "content" in given)
    if isinstance(given, (type, Message)):
        return False
    return is_dataclass(given) or (hasattr(given, "model_dump") and not hasattr(given, "role"))
