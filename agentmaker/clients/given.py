"""One request as its caller gives it, by the API's own names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Self

from agentmaker.calls.sdk.posted import HOW
from agentmaker.context.knobs import kind_of
from agentmaker.plain import DEEPEST, is_absent, plain

_SDK_NAMES = {sdk: name for name, sdk in HOW.items()}
_GIVEN = frozenset({bool, dict, int, float, list, str, tuple, type(None)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What to ask, and how to send it.

    Attributes:
        model: "" where the caller did not say.
        params: the request's other parameters.
        options: extra headers and query, and the timeout; an extra body is among *params*,
            where the SDK would put it on the way out.
    """

    messages: Any = ()
    model: str = ""
    tools: Any = ()
    response_format: Any = None
    params: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any], beyond: Set[str] = frozenset()) -> Self:
        """Read the arguments of ``create``; those *beyond* the API's go along as options."""
        said = dict(arguments)
        options = {name: said.pop(name) for name in (*HOW, *beyond) if name in said}
        return cls.from_body(said, options)

    @classmethod
    def from_request(cls, body: Mapping[str, Any], options: Mapping[str, Any]) -> Self:
        """Read what the SDK is about to post."""
        named = {_SDK_NAMES.get(name, name): each for name, each in options.items()}
        return cls.from_body(body, named)

    @classmethod
    def from_body(cls, body: Mapping[str, Any], options: Mapping[str, Any]) -> Self:
        """Read a request's body and how to send it; what was not given is gone."""
        options = {name: each for name, each in options.items() if _says(name, each)}
        extra = options.pop("extra_body", {})
        if type(extra) is not dict and not isinstance(extra, Mapping):  # an ABC is slow
            raise TypeError(f"extra_body must be a dictionary, not {type(extra).__name__}")
        params = {
            name: each
            for name, each in {**body, **extra}.items()
            if type(each) in _GIVEN or not is_absent(each)
        }
        messages, model = params.pop("messages", ()), params.pop("model", None)
        tools, response_format = params.get("tools"), params.get("response_format")
        for name in ("tools", "response_format"):
            if params.get(name) is not None:
                del params[name]
        return cls(
            messages=messages,
            model=model or "",
            tools=tools or (),
            response_format=response_format,
            params=plain(params, DEEPEST + 1),
            options=options,
        )


def _says(name: str, value: Any) -> bool:
    # None means "as ever" for all of them but the timeout, where it means none.
    return not is_absent(value) and (value is not None or name == "timeout")


def checked_schemas(name: str, given: Any) -> list[Any]:
    """*given* as a list of what may be schemas.

    Raises:
        TypeError: it cannot be gone through, or is a single one.
    """
    if type(given) in (list, tuple):  # nearly all are, and an ABC is slow
        return list(given)
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list of schemas, not {type(given).__name__}")
    return list(given)


def schemas(name: str, given: Iterable[Any]) -> list[Any]:
    """A list of schemas as dictionaries, SDK objects among them.

    Raises:
        TypeError: an item is neither.
    """
    return [schema(f"{name}[{index}]", each) for index, each in enumerate(given)]


def schema(name: str, given: Any) -> Any:
    """A schema as a dictionary.

    Raises:
        TypeError: it is neither a dictionary nor an SDK object.
    """
    if isinstance(given, type) or not (isinstance(given, Mapping) or hasattr(given, "model_dump")):
        raise TypeError(f"{name} must be a dictionary as the API takes it, not {kind_of(given)}")
    return plain(given)
