"""The same loop with nothing but the SDK's ``post``; ``python -m benchmarks.loop_bare``.

What is sent is written once, the oldest steps are forgotten without a word, and nothing is
counted, checked or kept: no agent on the SDK can take less.
"""

from __future__ import annotations

import json
from typing import Any

import anyio
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

from benchmarks.loop_script import MODEL, Steps, Task, read_task

MOST_CHARACTERS = 26_000
"""Of the steps, about what a window of 8,000 tokens has room for."""

KEPT = 20
"""Messages that stay when it is full."""

JSON = {"headers": {"content-type": "application/json"}}


async def main() -> None:
    task = read_task()
    steps = Steps(task.results)
    client = AsyncOpenAI(base_url=task.base_url, api_key="any")
    first = [_written("system", task.system), _written("user", task.question)]
    said: list[str] = []
    while True:
        content = _body(task, [*first, *said])
        reply = await client.post(
            "/chat/completions", content=content, cast_to=ChatCompletion, options=JSON
        )
        message = reply.choices[0].message
        if not message.tool_calls:
            return steps.end(message.content or "")
        said.append(json.dumps(message.to_dict()))
        for call in message.tool_calls:
            result = steps.look(**json.loads(call.function.arguments))
            said.append(_written("tool", result, tool_call_id=call.id))
        if sum(map(len, said)) > MOST_CHARACTERS:
            said = said[-KEPT:]


def _written(role: str, content: str, **more: str) -> str:
    return json.dumps({"role": role, "content": content, **more})


def _body(task: Task, messages: list[str]) -> bytes:
    body = {"model": MODEL, "max_tokens": task.output_tokens, "tools": [_tool(task.description)]}
    return f'{json.dumps(body)[:-1]}, "messages": [{", ".join(messages)}]}}'.encode()


def _tool(description: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"q": {"type": "string"}}}
    function = {"name": "look", "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


if __name__ == "__main__":
    anyio.run(main)
