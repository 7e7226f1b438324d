"""LangChain's agent on the same loop; run by an interpreter that has langchain-openai."""

from __future__ import annotations

import asyncio

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI

from benchmarks.loop_script import MODEL, Steps, read_task

TRIGGER = 4_000
KEEP = 20


async def main() -> None:
    task = read_task()
    steps = Steps(task.results)
    model = ChatOpenAI(
        model=MODEL, base_url=task.base_url, api_key="any", max_tokens=task.output_tokens
    )
    look = StructuredTool.from_function(steps.look, name="look", description=task.description)
    summaries = SummarizationMiddleware(model, trigger=("tokens", TRIGGER), keep=("messages", KEEP))
    agent = create_agent(model, [look], system_prompt=task.system, middleware=[summaries])
    asked = {"messages": [{"role": "user", "content": task.question}]}
    said = await agent.ainvoke(asked, {"recursion_limit": 100_000})
    steps.end(said["messages"][-1].text)


if __name__ == "__main__":
    asyncio.run(main())
