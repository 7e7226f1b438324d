"""Answers that are values: asked for by a schema, read by pydantic."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentmaker.agents.contracts import type_of, words_of
from agentmaker.agents.shapes import shape_of
from agentmaker.digests import sha256_of
from agentmaker.errors import ConfigError
from agentmaker.plain import dumps
from agentmaker.tools.faults import faults_in

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter

CONTRACTS = (Mapping, list, tuple)
"""What is no type itself, but says in words what an answer is to be."""

VALUE = "value"
"""The one property of the object that is asked for where a type is none: servers want objects."""


class Unreadable(Exception):
    """Raised when an answer is not of the wanted type; says what is wrong with it."""


@dataclass(frozen=True)  # without slots: what is made once is kept
class Output:
    """A pydantic type that answers are read as.

    Attributes:
        contract: what the type was made of, as JSON; None where it was given, or has no words.
    """

    type: Any
    contract: Any = field(default=None, compare=False)

    @property
    def shape(self) -> str:
        """What an answer looks like, in words for a prompt."""
        return shape_of(self.response_format["json_schema"]["schema"])

    @property
    def digest(self) -> str:
        """By which outputs of one schema are known as the same."""
        return sha256_of(dumps(self.response_format))

    @cached_property
    def response_format(self) -> dict[str, Any]:
        """The schema, as the API takes it."""
        bare = self._adapter.json_schema()
        schema = bare if _is_object(bare) else self._wrapped.model_json_schema()
        return {"type": "json_schema", "json_schema": {"name": _name(self.type), "schema": schema}}

    def read(self, text: str) -> Any:
        """The value that *text* is, by itself or in the object that was asked for.

        Raises:
            Unreadable: it is none.
        """
        faults = ""
        for read in self._forms(bare := _unfenced(text)):
            try:
                return read(bare)
            except Exception as error:  # a validator of the user's raises what it likes
                faults = faults or faults_in(error)
        raise Unreadable(faults)

    def _forms(self, text: str) -> Iterator[Callable[[str], Any]]:
        """How *text* may be read, the likelier way first."""
        if _holds_value_alone(text) and not _is_object(self._adapter.json_schema()):
            yield self._read_wrapped
        yield self._adapter.validate_json

    def _read_wrapped(self, text: str) -> Any:
        return getattr(self._wrapped.model_validate_json(text), VALUE)

    @cached_property
    def _wrapped(self) -> type[BaseModel]:
        from pydantic import create_model

        fields: dict[str, Any] = {VALUE: (self.type, ...)}
        return create_model(_name(self.type), **fields)

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(self.type)


def read_output(given: Any) -> Output | None:
    """Read what a user gives as an output type or a contract; None and ``str`` are plain text.

    Raises:
        ConfigError: pydantic can make no schema of it.
    """
    if given is None or given is str:
        return None
    if isinstance(given, str):
        raise ConfigError(
            f"output must be a type that pydantic knows, or a dictionary of them, not {given!r}: "
            "write a type without quotes"
        )
    from pydantic import PydanticSchemaGenerationError, PydanticUserError

    try:
        output = _of_contract(given) if isinstance(given, CONTRACTS) else Output(given)
        output.response_format  # noqa: B018 (fails where the schema cannot be made)
    except RecursionError:
        raise ConfigError(
            "output contains itself or is nested too deep: describe it as a pydantic model"
        ) from None
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        raise ConfigError(f"output must be a type that pydantic knows: {error}") from None
    return output


def _of_contract(contract: Any) -> Output:
    return Output(type_of(contract), contract=words_of(contract))


def _is_object(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "object" and "anyOf" not in schema


def _holds_value_alone(text: str) -> bool:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(read, dict) and read.keys() == {VALUE}


def _name(type_: Any) -> str:
    name = getattr(type_, "__name__", "") or "answer"
    return "".join(each if each.isascii() and each.isalnum() else "_" for each in name)[:64]


def _unfenced(text: str) -> str:
    """*text* without the code fence that some models put round JSON."""
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and "\n" in bare:
        return bare[bare.index("\n") + 1 : -3]
    return bare
