"""The agent of `bench_agent_loop`, in a process of its own; ``python -m benchmarks.loop_agent``."""

from __future__ import annotations

import sys
from typing import Any

import anyio
from openai import AsyncOpenAI

from agentmaker import Agent, LLMClient, RunPolicy, Session, tool, wrap
from agentmaker.agents.knobs import AgentConfig
from benchmarks.loop_script import MODEL, Steps, Task, read_task


def wrapped(task: Task) -> AsyncOpenAI:
    client = AsyncOpenAI(base_url=task.base_url, api_key="any")
    return wrap(client, window=task.window, sinks=())


def named(task: Task) -> LLMClient:
    return LLMClient(
        "local", model=MODEL, base_url=task.base_url, api_key="any", context_window=task.window
    )


CLIENTS = {"wrap": wrapped, "LLMClient": named}


async def main(client: str) -> None:
    task = read_task()
    steps = Steps(task.results)
    agent = Agent(
        "worker",
        _client(client, task),
        task.system,
        model=MODEL,
        tools=[tool(steps.look, description=task.description)],
        session=Session(),
        limits=RunPolicy(),
        config=AgentConfig(params={"max_tokens": task.output_tokens}),
    )
    result = await agent.arun(task.question)
    steps.end(result.output)


def _client(name: str, task: Task) -> Any:
    return CLIENTS[name](task)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])
