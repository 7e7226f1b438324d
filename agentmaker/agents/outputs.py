"""Answers that are values: asked for by a schema, read by pydantic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmaker.errors import ConfigError
from agentmaker.tools.faults import faults_in

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class Unreadable(Exception):
    """Raised when an answer is not of the wanted type; says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Output:
    """A pydantic type that answers are read as."""

    type: Any

    @property
    def response_format(self) -> dict[str, Any]:
        """The schema, as the API takes it."""
        schema = {"name": _name(self.type), "schema": self._adapter().json_schema()}
        return {"type": "json_schema", "json_schema": schema}

    def read(self, text: str) -> Any:
        """The value that *text* is.

        Raises:
            Unreadable: it is none.
        """
        from pydantic import ValidationError

        try:
            return self._adapter().validate_json(_unfenced(text))
        except ValidationError as error:
            raise Unreadable(faults_in(error)) from None

    def _adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(self.type)


def read_output(given: Any) -> Output | None:
    """Read what a user gives as an output type; None and ``str`` are plain text.

    Raises:
        ConfigError: pydantic can make no schema of it.
    """
    if given is None or given is str:
        return None
    from pydantic import PydanticSchemaGenerationError, PydanticUserError

    output = Output(given)
    try:
        output.response_format  # noqa: B018 (fails where the schema cannot be made)
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        raise ConfigError(f"output must be a type that pydantic knows: {error}") from None
    return output


def _name(type_: Any) -> str:
    name = getattr(type_, "__name__", "") or "answer"
    return "".join(each if each.isascii() and each.isalnum() else "_" for each in name)[:64]


def _unfenced(text: str) -> str:
    """*text* without the code fence that some models put round JSON."""
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and "\n" in bare:
        return bare[bare.index("\n") + 1 : -3]
    return bare
