"""An ordinary tool loop over this package's own source, and the script its model keeps to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import count
from typing import TYPE_CHECKING, Any

import agentmaker
from agentmaker.testing import ScriptedLLM

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from openai import AsyncOpenAI

    from agentmaker.calls.call import Reply

MODEL = "gpt-4o"
FOLDERS = ("calls", "steps", "context")
SYSTEM = "You explain a code base. Read a file before you speak of it."

Sources = Mapping[str, str]
"""The text of each file by its name, such as ``calls/call.py``."""


def read_sources() -> Sources:
    """The source files that every request goes through, from wherever the package is installed."""
    root = files(agentmaker)
    return {
        name: text for folder in FOLDERS for name, text in _texts(root.joinpath(folder), folder)
    }


async def loop(client: AsyncOpenAI, sources: Sources) -> list[Any]:
    """Ask about each folder; everything is appended, and all of it is sent every time."""
    messages: list[Any] = [{"role": "system", "content": SYSTEM}]
    for folder in FOLDERS:
        messages.append({"role": "user", "content": f"What is in {folder}/, and what is it for?"})
        while messages[-1]["role"] != "assistant":
            reply = await client.chat.completions.create(
                model=MODEL, messages=messages, tools=TOOLS
            )
            message = reply.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            messages += [_result(call, sources) for call in message.tool_calls or ()]
    return messages


def script(sources: Sources) -> Iterator[Reply | str]:
    """What the model says: list a folder, read its files one by one, answer."""
    numbers = count(1)
    for folder in FOLDERS:
        names = _names(sources, folder)
        yield _call("list_files", next(numbers), folder=folder)
        yield from (_call("read_file", next(numbers), path=name) for name in names)
        yield f"I have read the {len(names)} files of {folder}/."


def _texts(folder: Traversable, name: str) -> Iterator[tuple[str, str]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        path = f"{name}/{each.name}"
        if each.is_dir():
            yield from _texts(each, path)
        elif path.endswith(".py") and (text := each.read_text("utf-8")):
            yield path, text


def _names(sources: Sources, folder: str) -> list[str]:
    return [name for name in sources if name.startswith(f"{folder}/")]


def _call(name: str, number: int, **arguments: str) -> Reply:
    return ScriptedLLM.tool_call(name, arguments, call_id=f"call_{number}")


def _result(call: Any, sources: Sources) -> dict[str, str]:
    arguments = json.loads(call.function.arguments)
    if call.function.name == "list_files":
        content = "\n".join(_names(sources, arguments["folder"]))
    else:
        content = sources[arguments["path"]]
    return {"role": "tool", "tool_call_id": call.id, "content": content}


def _tool(name: str, description: str, argument: str) -> Any:
    schema = {
        "type": "object",
        "properties": {argument: {"type": "string"}},
        "required": [argument],
    }
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


TOOLS = [
    _tool("list_files", "List the source files of a folder.", "folder"),
    _tool("read_file", "Read one source file.", "path"),
]
