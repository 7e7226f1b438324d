"""The parameters of a function: their JSON schema, and arguments checked against it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

from agentmaker.context.sources import Grant
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope
from agentmaker.tools.docstrings import doc_of, parameters_of
from agentmaker.tools.faults import faults_in
from agentmaker.tools.schemas import model_of, schema_of
from agentmaker.tools.values import BadArguments, CallInfo

if TYPE_CHECKING:
    from pydantic import BaseModel

_Origin = Literal["model", "grant", "scope"]

_SCOPE = re.compile(r"\bScope\b")


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a function takes, and where each of it comes from.

    Arguments that no parameter takes are refused, not dropped: a misspelt option would
    change what the call does, and whose data it reads is not the model's to say.
    """

    origins: Mapping[str, _Origin]
    positional: frozenset[str]
    fields: Mapping[str, str]
    model: type[BaseModel]
    schema: Mapping[str, Any] = field(repr=False)

    def read(
        self, arguments: Mapping[str, Any], info: CallInfo
    ) -> tuple[list[object], dict[str, object]]:
        """What to call the function with.

        Raises:
            BadArguments: they do not fit the schema; names the fields.
        """
        try:
            checked = self.model.model_validate(arguments)
        except Exception as error:  # a validator of the user's raises what it likes
            raise BadArguments(faults_in(error)) from None
        values = {name: self._value(name, checked, info) for name in self.origins}
        args = [values.pop(name) for name in self.origins if name in self.positional]
        return args, values

    def _value(self, name: str, checked: BaseModel, info: CallInfo) -> object:
        origin = self.origins[name]
        return getattr(checked, self.fields[name]) if origin == "model" else getattr(info, origin)


def parameters_for(
    name: str, function: Callable[..., object], about: Mapping[str, str]
) -> Parameters:
    """The parameters of *function*, described by *about* first.

    Raises:
        ConfigError: no schema can be made of them.
    """
    found = _declared(name, function)
    known = _globals(function)
    hints = {each.name: _hint(name, each, known) for each in found}
    origins = {each.name: _origin(each.name, hints[each.name]) for each in found}
    asked = [each for each in found if origins[each.name] == "model"]
    # Fields have names of their own: any word may name a parameter, and models have methods.
    fields = {each.name: f"p{at}" for at, each in enumerate(asked)}
    said = parameters_of(doc_of(function))
    defined = {
        fields[each.name]: _field(each, hints[each.name], about.get(each.name), said.get(each.name))
        for each in asked
    }
    model = model_of(name, defined)
    return Parameters(
        origins=origins,
        positional=frozenset(x.name for x in found if x.kind is Parameter.POSITIONAL_ONLY),
        fields=fields,
        model=model,
        schema=schema_of(name, model),
    )


def _declared(name: str, function: Callable[..., object]) -> list[Parameter]:
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise ConfigError(f"tool {name!r}: wrap it in a function with typed parameters") from None
    if any(each.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD) for each in found):
        raise ConfigError(f"tool {name!r}: name every parameter instead of *args and **kwargs")
    if found and found[0].name in ("self", "cls") and found[0].annotation is Parameter.empty:
        raise ConfigError(f"tool {name!r} is a method: make the tool of it bound, tool(it.{name})")
    return found


def _origin(name: str, hint: object) -> _Origin:
    if name == "grant":
        return "grant"
    return "scope" if hint is Scope or Scope in get_args(hint) else "model"


def _hint(tool: str, parameter: Parameter, known: dict[str, Any]) -> object:
    if parameter.name == "grant":
        return Grant
    if parameter.annotation is Parameter.empty:
        return Scope if parameter.name == "scope" else Any

    def stub() -> None: ...

    stub.__annotations__ = {"it": parameter.annotation}
    try:
        return get_type_hints(stub, known, include_extras=True)["it"]
    except Exception as error:
        if isinstance(error, NameError) and _SCOPE.search(str(parameter.annotation)):
            return Scope  # imported for type checkers alone
        raise ConfigError(
            f"tool {tool!r}: the type of {parameter.name!r} cannot be read ({error}): define it in "
            "the module, outside of functions and of `if TYPE_CHECKING`"
        ) from error


def _globals(function: Callable[..., object]) -> dict[str, Any]:
    inner: Any = function.func if isinstance(function, partial) else function
    inner = inspect.unwrap(inner)
    if not hasattr(inner, "__globals__"):
        inner = getattr(inner, "__func__", type(inner).__call__)
    return getattr(inner, "__globals__", {})


def _field(parameter: Parameter, hint: Any, about: str | None, said: str | None) -> tuple[Any, Any]:
    from pydantic import Field
    from pydantic.fields import FieldInfo

    default = parameter.default
    if isinstance(default, FieldInfo):
        hint, default = Annotated[hint, default], Parameter.empty
    infos = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, FieldInfo)]
    described = any(each.description for each in infos)
    options: dict[str, Any] = {"alias": parameter.name}
    if description := about or (not described and said):
        options["description"] = description
    if default is not Parameter.empty:
        options["default"] = default
    return hint, Field(**options)
