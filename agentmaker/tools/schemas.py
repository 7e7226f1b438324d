"""Models made of fields, and their JSON schema without noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmaker.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import BaseModel

_MAPS = ("properties", "patternProperties", "$defs")
_DATA = ("default", "enum", "const", "examples")


def model_of(name: str, defined: dict[str, Any]) -> type[BaseModel]:
    """A model of the fields *defined* for the tool *name*, which takes no others.

    Raises:
        ConfigError: pydantic knows nothing of a type.
    """
    from pydantic import ConfigDict, create_model
    from pydantic.errors import PydanticUserError

    try:
        return create_model("Arguments", __config__=ConfigDict(extra="forbid"), **defined)
    except PydanticUserError as error:
        raise _unusable(name, error) from error


def schema_of(name: str, model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of *model*, always that of an object with properties.

    Raises:
        ConfigError: a type has no JSON schema.
    """
    from pydantic.errors import PydanticInvalidForJsonSchema
    from pydantic.json_schema import GenerateJsonSchema

    class Quiet(GenerateJsonSchema):
        """Leaves a default out that has no JSON form, without a word."""

        ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    try:
        schema = model.model_json_schema(schema_generator=Quiet)
    except PydanticInvalidForJsonSchema as error:
        raise _unusable(name, error) from error
    return {"type": "object", "properties": {}, **untitled(schema)}


def untitled(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the titles, which say a name over again."""
    kept = {key: value for key, value in schema.items() if key != "title"}
    return {key: _untitled_in(key, value) for key, value in kept.items()}


def _untitled_in(key: str, value: Any) -> Any:
    if key in _DATA:
        return value
    if key in _MAPS and isinstance(value, dict):
        return {name: untitled(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_untitled_in("", each) for each in value]
    return untitled(value) if isinstance(value, dict) else value


def _unusable(name: str, error: Exception) -> ConfigError:
    why = str(error).partition("\n")[0]
    return ConfigError(
        f"tool {name!r}: {why}; type its parameters with str, int, list, dict, dataclasses or "
        "pydantic models"
    )
