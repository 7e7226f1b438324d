"""An agent that works through more than its window holds.

``ModelServer`` stands in for a model with a window of 8,000 tokens; it asks for one record after
another and sums them up. With a model of your own, ``client`` is your wrapped ``AsyncOpenAI``.
"""

import json

import anyio

import agentmaker
from agentmaker import Agent, RunPolicy, tool
from agentmaker.testing import ModelServer

WINDOW = 8_000
RECORDS = 80


@tool(artefact="number")
def record(number: int) -> str:
    """Read one record of the archive."""
    story = "The clerk noted the weather, the visitors and the state of the roof. " * 12
    return f"Record {number}: the amount is {number * 3} euros. {story}"


def answer(body: dict) -> dict | str:
    """What the model does next: the record behind the newest it has seen."""
    results = [each for each in body["messages"] if each["role"] == "tool"]
    seen = int(results[-1]["content"].split()[1].rstrip(":")) if results else 0
    if seen == RECORDS:
        return f"I have read {RECORDS} records."
    function = {"name": "record", "arguments": json.dumps({"number": seen + 1})}
    call = {"id": f"call_{seen + 1}", "type": "function", "function": function}
    return {"tool_calls": [call]}


async def main() -> None:
    server = ModelServer(answer, window=WINDOW)
    client = agentmaker.wrap(server.client(), window=WINDOW, output_tokens=512, sinks=())
    agent = Agent(
        "archivist", client, model="gpt-4o", tools=[record], limits=RunPolicy(calls=RECORDS + 1)
    )
    result = await agent.arun("Read all records of the archive.")

    print(result.output)
    sent = [received.prompt_tokens for received in server.requests]
    print(f"{len(sent)} requests, the largest of {max(sent):,} tokens in a window of {WINDOW:,}")
    print(f"{result.usage.total_tokens:,} tokens in all\n")
    print(result.ledgers[-1])


if __name__ == "__main__":
    anyio.run(main)
