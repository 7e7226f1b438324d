from __future__ import annotations

import functools
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from enum import StrEnum
from typing import Annotated, Any, Literal

import anyio
import pytest
from pydantic import AfterValidator, BaseModel, Field

from agentmaker.context.sources import Grant
from agentmaker.errors import ConfigError
from agentmaker.messages import ToolCall
from agentmaker.scope import Scope
from agentmaker.tokens import count_tokens
from agentmaker.tools import BadArguments, CallInfo, Tool, tool

GRANT = Grant(500, 3.0, count_tokens)
SCOPE = Scope(user="alice")


async def run(made: Tool, **arguments: Any) -> object:
    call = ToolCall(id="c1", name=made.name, arguments=json.dumps(arguments))
    return await made.run(arguments, CallInfo(call=call, grant=GRANT, scope=SCOPE))


class Place(BaseModel):
    """A place on a map."""

    title: str
    north: float = 0.0


@tool
def weather(city: str, days: Annotated[int, Field(description="How far ahead.", ge=1)] = 3) -> str:
    """The forecast for a city,
    in one line a day.

    More that the model need not read.

    Args:
        city (str): Its name,
            as on a map.
        days: Not used, as the annotation speaks.

    Returns:
        The text.
    """
    return f"{city}: sun for {days} days"


def test_a_function_becomes_a_schema_without_noise():
    assert weather.schema == {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "The forecast for a city, in one line a day.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Its name, as on a map."},
                    "days": {
                        "type": "integer",
                        "default": 3,
                        "minimum": 1,
                        "description": "How far ahead.",
                    },
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }


def test_the_schema_is_the_same_text_every_time():
    def one(b: dict[str, Place], a: Literal["x", "y"], c: list[Place] | None = None) -> None: ...

    texts = {json.dumps(tool(one).schema) for _ in range(3)}
    assert len(texts) == 1
    assert list(tool(one).parameters["properties"]) == ["b", "a", "c"]


def test_an_argument_called_title_stays_in_the_schema():
    def note(title: str, place: Place) -> None: ...

    parameters = tool(note).parameters
    assert parameters["properties"]["title"] == {"type": "string"}
    assert list(parameters["$defs"]["Place"]["properties"]) == ["title", "north"]
    assert "title" not in parameters["$defs"]["Place"]


def test_a_default_stays_in_the_schema_as_it_is():
    def note(options: dict[str, str] = {"title": "a"}) -> None: ...  # noqa: B006

    assert tool(note).parameters["properties"]["options"]["default"] == {"title": "a"}


def test_parameters_are_described_by_a_sphinx_docstring():
    def find(query: str, top: int = 5) -> None:
        """Find it.
        :param query: What to
            look for.
        :param int top: How many.
        :return: nothing
        """

    made = tool(find)
    assert made.description == "Find it."
    described = {key: each["description"] for key, each in made.parameters["properties"].items()}
    assert described == {"query": "What to look for.", "top": "How many."}


def test_a_function_without_parameters_or_docstring_has_a_schema():
    def now(): ...

    assert tool(now).description == ""
    assert "description" not in tool(now).schema["function"]
    assert tool(now).parameters == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_any_word_may_name_a_parameter():
    def odd(schema: str, model_config: int, _x: bool, json: str, self_: str = "") -> None: ...

    assert list(tool(odd).parameters["properties"]) == [
        "schema",
        "model_config",
        "_x",
        "json",
        "self_",
    ]


def test_a_default_without_a_json_form_is_left_out_of_the_schema():
    def odd(key: Any = object()) -> None: ...  # noqa: B008

    assert tool(odd).parameters["properties"] == {"key": {}}


@pytest.mark.anyio
async def test_the_function_is_called_with_what_the_model_wrote_in_the_types_it_wants():
    def move(place: Place, /, to: float, *, how: Literal["foot", "car"] = "foot") -> object:
        return place, to, how

    result = await run(tool(move), place={"title": "A"}, to="2.5")
    assert result == (Place(title="A"), 2.5, "foot")


@pytest.mark.anyio
async def test_a_field_may_be_the_default():
    def f(x: int = Field(5, description="A number.")) -> int:
        return x

    made = tool(f)
    assert made.parameters["properties"]["x"]["description"] == "A number."
    assert await run(made) == 5


@pytest.mark.anyio
async def test_an_async_function_runs_on_the_loop_and_a_sync_one_in_a_daemon_thread():
    async def here() -> object:
        return threading.current_thread()

    def there() -> object:
        return threading.current_thread()

    assert await run(tool(here)) is threading.current_thread()
    worker = await run(tool(there))
    assert worker is not threading.current_thread()
    assert worker.daemon


@pytest.mark.anyio
async def test_both_see_the_context_variables_of_the_caller():
    who = ContextVar("who", default="nobody")
    who.set("alice")

    async def here() -> str:
        return who.get()

    def there() -> str:
        return who.get()

    assert [await run(tool(here)), await run(tool(there))] == ["alice", "alice"]


@pytest.mark.anyio
async def test_a_sync_function_may_return_what_has_yet_to_be_awaited():
    async def wait() -> str:
        await anyio.lowlevel.checkpoint()
        return "now"

    def later() -> object:
        return wait()

    assert await run(tool(later)) == "now"


class Shelf:
    def __init__(self) -> None:
        self.name = "top"

    def take(self, book: str) -> str:
        """Take a book."""
        return f"{book} from {self.name}"

    async def __call__(self, book: str) -> str:
        """Look at a book."""
        return f"{book} on {self.name}"


@pytest.mark.anyio
async def test_a_generator_yields_its_result_where_the_function_runs():
    threads: list[object] = []

    @tool
    def pages() -> Iterator[int]:
        for number in (1, 2):
            threads.append(threading.current_thread())
            yield number

    @tool
    async def rows() -> AsyncIterator[str]:
        yield "a"
        yield "b"

    assert await run(pages) == [1, 2]
    assert threading.current_thread() not in threads
    assert await run(rows) == ["a", "b"]


@pytest.mark.anyio
async def test_bound_methods_callable_objects_and_partials_become_tools():
    take, look = tool(Shelf().take), tool(Shelf(), name="look")
    put = tool(functools.partial(Shelf().take, book="b"))
    assert (take.name, take.description) == ("take", "Take a book.")
    assert (tool(Shelf()).name, look.description) == ("Shelf", "Look at a book.")
    assert [await run(take, book="a"), await run(look, book="a")] == ["a from top", "a on top"]
    assert (put.name, put.description, await run(put)) == ("take", "Take a book.", "b from top")


def test_the_decorator_takes_options():
    @tool(
        name="read_file",
        description="Read it.",
        idempotent=True,
        confirm=True,
        timeout=2,
        artefact="path",
    )
    def read(path: str) -> str:
        """Not this."""
        return path

    assert (read.name, read.description, read.artefact) == ("read_file", "Read it.", "path")
    assert (read.idempotent, read.confirm, read.timeout) == (True, True, 2)
    assert tool(len_of, name="length").name == "length"


def len_of(text: str) -> int:
    return len(text)


def test_a_tool_cannot_be_changed():
    with pytest.raises(AttributeError):
        weather.name = "other"


# What the model may not say


@pytest.mark.anyio
async def test_a_parameter_named_grant_is_given_the_grant_and_is_not_in_the_schema():
    def sized(query: str, grant: Grant) -> object:
        return grant

    made = tool(sized)
    assert list(made.parameters["properties"]) == ["query"]
    assert await run(made, query="q") is GRANT
    with pytest.raises(BadArguments, match="grant: "):
        await run(made, query="q", grant={"tokens": 10**9})


@pytest.mark.anyio
@pytest.mark.parametrize("annotation", [Scope, Scope | None, "Scope", "Scope | None", None])
async def test_case_97_the_scope_comes_from_the_run_and_never_from_the_model(annotation):
    def notes(query: str, scope=None) -> object:
        return scope

    if annotation is not None:
        notes.__annotations__["scope"] = annotation
    made = tool(notes)
    assert list(made.parameters["properties"]) == ["query"]
    assert await run(made, query="x") is SCOPE
    with pytest.raises(BadArguments, match="scope: "):
        await run(made, query="x", scope={"user": "bob"})


@pytest.mark.anyio
async def test_case_97_arguments_that_no_parameter_takes_are_refused_by_name():
    def search(query: str) -> None:
        raise AssertionError("it must not run")

    with pytest.raises(BadArguments, match="user_id: "):
        await run(tool(search), query="x", user_id="bob")


@pytest.mark.anyio
async def test_a_scope_of_another_meaning_is_the_models_to_say():
    def authorise(scope: Literal["read", "write"]) -> str:
        return scope

    assert await run(tool(authorise), scope="read") == "read"


@pytest.mark.anyio
async def test_a_class_of_the_same_name_is_the_models_to_say():
    class Scope(StrEnum):
        read = "read"

    def authorise(scope) -> str:
        return scope

    authorise.__annotations__["scope"] = Scope
    assert await run(tool(authorise), scope="read") is Scope.read


def checked(query: str, whose: OnlyForTypeCheckers.Scope | None, grant: OnlyForTypeCheckers):  # noqa: F821
    return whose, grant


@pytest.mark.anyio
async def test_what_the_run_gives_may_be_imported_for_type_checkers_alone():
    assert list(tool(checked).parameters["properties"]) == ["query"]
    assert await run(tool(checked), query="q") == (SCOPE, GRANT)


@pytest.mark.anyio
async def test_wrong_arguments_are_told_by_field_and_reason_without_noise():
    def f(a: int, place: Place, many: list[int] | None = None) -> None: ...

    with pytest.raises(BadArguments) as caught:
        await run(tool(f), a="x" * 500, place={"north": 1}, many=[1, "b"])
    text = str(caught.value)
    for expected in ("a: Input should be a valid integer", "place.title: Field required", "many.1"):
        assert expected in text
    assert "http" not in text
    assert "xxxx" not in text
    assert len(text) < 300


@pytest.mark.anyio
async def test_whatever_a_validator_raises_says_that_the_arguments_are_wrong():
    def fly(to: Annotated[str, AfterValidator({"Porto": "OPO"}.__getitem__)]) -> str:
        return to

    with pytest.raises(BadArguments, match="KeyError: 'Lisbon'"):
        await run(tool(fly), to="Lisbon")


@pytest.mark.anyio
async def test_only_the_first_wrong_arguments_are_told():
    def f(many: list[int]) -> None: ...

    with pytest.raises(BadArguments) as caught:
        await run(tool(f), many=["x"] * 1_000)
    assert len(str(caught.value)) < 1_000
    with pytest.raises(BadArguments) as caught:
        await run(tool(f), many=[], **{"x" * 100_000: 1})
    assert len(str(caught.value)) < 1_000


# What cannot work


def variadic(*things: str) -> None: ...


def keywords(**things: str) -> None: ...


def hidden(place: Elsewhere) -> None: ...  # noqa: F821


def untypable(lock: threading.Thread) -> None: ...


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tool(variadic), "name every parameter"),
        (lambda: tool(keywords), "name every parameter"),
        (lambda: tool(hidden), "outside of functions"),
        (lambda: tool(untypable), "type its parameters"),
        (lambda: tool(Shelf.take), "tool\\(it.take\\)"),
        (lambda: tool(lambda: 1), "give it a name"),
        (lambda: tool(5), "made of a function"),
        (lambda: tool(len_of, name="größe"), "give it a name"),
        (lambda: tool(len_of, name="x" * 65), "give it a name"),
        (lambda: tool(len_of, name="x\n"), "give it a name"),
        (lambda: tool(len_of, timeout=0), "timeout must be above 0"),
        (lambda: tool(len_of, confirm=1), "confirm must be True or False"),
        (lambda: tool(len_of, idempotent="yes"), "idempotent must be True or False"),
        (lambda: tool(len_of, artefact="path"), "use one of text"),
    ],
)
def test_what_cannot_work_is_refused_with_what_to_do(make, words):
    with pytest.raises(ConfigError, match=words):
        make()
