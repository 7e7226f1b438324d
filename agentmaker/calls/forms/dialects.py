"""Where servers differ in what they accept, as data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal, get_args, get_type_hints

from agentmaker.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a server wants of a request.

    Attributes:
        name: how it is called, in ``wrap(dialect=...)`` too.
        roles: ``"alternate"`` makes user and assistant take turns, the user first, calls and
            their results counted as neither: texts in a row become one message, and where
            none can be joined a few words stand for the missing turn; ``function_call`` and
            its result become calls and results of today. ``"any"`` leaves them.
        ends: ``"asking"`` ends with a user message or a result, never with an answer.
        system: ``"first"`` folds system messages in mid-list into the next user message,
            ``"anywhere"`` leaves them in place; ``"one"`` also joins those at the beginning,
            ``"user"`` puts them all into the first user message.
        developer: ``"keep"`` leaves that role as it is, ``"system"`` renames it.
        reasoning: ``"keep"`` sends what the model thought as given, ``"last_turn"`` only
            since the question, ``"strip"`` never; ``"require"`` also gives a blank thought
            to assistant messages that come without one.
        content: ``"text"`` sends content parts that are all text as one string.
        empty_content: what an assistant message with calls and no text carries.
        blank_results: ``"text"`` says in words that a result is blank.
        calls: ``"single"`` gives each call of a batch a message of its own, its result
            behind it.
        tools: ``"text"`` writes calls and results out as assistant and user text.
        ids: ``"short"`` gives calls ids of nine letters and digits.
        cap: the name under which an output cap leaves that the caller sent; none is added.
        block: where retrieved text stands: ``"inside"`` the question's message before
            its text, as content ``"parts"``, as a ``"message"`` of its own, or as a
            ``"system"`` message.
        usage: ``"ask"`` asks for the usage of a stream where the caller does not; the chunk that
            it comes in is not handed on.
        learns: whether what a server refuses is remembered for the model's next calls.

    Raises:
        ConfigError: a field has none of its values.
    """

    name: str = "default"
    roles: Literal["any", "alternate"] = "any"
    ends: Literal["any", "asking"] = "any"
    system: Literal["first", "anywhere", "one", "user"] = "first"
    developer: Literal["keep", "system"] = "keep"
    reasoning: Literal["keep", "last_turn", "strip", "require"] = "keep"
    content: Literal["any", "text"] = "any"
    empty_content: Literal["null", "empty"] = "null"
    blank_results: Literal["keep", "text"] = "keep"
    calls: Literal["batch", "single"] = "batch"
    tools: Literal["native", "text"] = "native"
    ids: Literal["keep", "short"] = "keep"
    cap: Literal["keep", "max_tokens", "max_completion_tokens"] = "keep"
    block: Literal["inside", "parts", "message", "system"] = "inside"
    usage: Literal["keep", "ask"] = "keep"
    learns: bool = False

    def __post_init__(self) -> None:
        for name, allowed in choices().items():
            value = getattr(self, name)
            if value not in allowed:
                known = ", ".join(map(repr, allowed))
                raise ConfigError(f"Dialect({name}={value!r}) is not known: use one of {known}")


@cache
def choices() -> dict[str, tuple[Any, ...]]:
    """The values of every field that has a few."""
    hints = get_type_hints(Dialect)
    return {field.name: get_args(hints[field.name]) or (True, False) for field in _chosen()}


def _chosen() -> list[Any]:
    return [field for field in fields(Dialect) if field.name != "name"]


def changes(dialect: Dialect) -> dict[str, Any]:
    """The fields in which *dialect* differs from the default."""
    return {
        field.name: getattr(dialect, field.name)
        for field in _chosen()
        if getattr(dialect, field.name) != field.default
    }


DEFAULT = Dialect()
LENIENT = Dialect(name="lenient", system="anywhere")
MISTRAL = Dialect(
    name="mistral",
    roles="alternate",
    ends="asking",
    system="one",
    developer="system",
    ids="short",
)
GEMMA = Dialect(name="gemma", roles="alternate", system="user", tools="text")
STRICT = Dialect(
    name="strict",
    roles="alternate",
    ends="asking",
    system="user",
    developer="system",
    reasoning="strip",
    content="text",
    empty_content="empty",
    blank_results="text",
    calls="single",
    tools="text",
    ids="short",
)
DIALECTS = {dialect.name: dialect for dialect in (DEFAULT, LENIENT, MISTRAL, GEMMA, STRICT)}
