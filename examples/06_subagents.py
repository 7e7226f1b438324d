"""One agent hands tasks to another: each is worked on in a clean window and answered by a report.

Nothing here needs a server: ``ScriptedLLM`` is a model that says what it is told to.
"""

import anyio
import structlog

from agentmaker import Agent, RunPolicy
from agentmaker.testing import ScriptedLLM

SHELVES = {
    "meals": "Meals are capped at 80 per day, no receipt needed.",
    "hotels": "Hotels are capped at 500 per night, receipt required.",
}


def read_shelf(name: str) -> str:
    """Everything that is kept on one shelf of the policies."""
    return SHELVES[name]


def searcher_says(messages):
    task = messages[0]["content"].splitlines()[0]
    if messages[-1]["role"] == "tool":
        return f"Report on {task}: {messages[-1]['content']}"
    return ScriptedLLM.tool_call("read_shelf", {"name": task})


def both_tasks(messages):
    return {
        "tool_calls": [
            {
                "id": f"call_{task}",
                "type": "function",
                "function": {"name": "searcher", "arguments": f'{{"task": "{task}"}}'},
            }
            for task in ("meals", "hotels")
        ]
    }


async def main():
    searching = ScriptedLLM(searcher_says, context_window=8_000)
    searcher = Agent("searcher", searching, tools=[read_shelf])
    answer = "80 a day for meals, 500 a night for hotels."
    leading = ScriptedLLM([both_tasks, answer], context_window=8_000)
    lead = Agent(
        "lead",
        leading,
        tools=[
            searcher.as_tool(
                description="Searches the policies for one topic.", limits=RunPolicy(calls=10)
            )
        ],
        limits=RunPolicy(calls=30),
    )
    result = await lead.arun("What may I spend on a trip?")

    print("--- what the lead's window held: two reports, and nothing of the searching")
    for message in leading.calls[-1]["messages"]:
        print(f"{message['role']:10} {message['content'] or 'hands over two tasks'}")

    print("\n--- what each sub-agent cost")
    for each in result.delegated:
        print(f"{each.agent:10} {each.status}, {each.calls} calls")


# Each sub-agent that is over is one line of the program's log.
structlog.configure(processors=[structlog.processors.KeyValueRenderer(key_order=["event"])])
anyio.run(main)
