"""An agent that plans, and whose plan fits its window however long it gets.

``ModelServer`` stands in for a model with a window of 4,000 tokens. It plans thirty steps, one of
which fails, and plans anew what is left. With a model of your own, ``client`` is your wrapped
``AsyncOpenAI``.
"""

import json
import re
from collections import defaultdict

import anyio

import agentmaker
from agentmaker import PlanAgent, RunPolicy, tool
from agentmaker.agents.events import TextDelta
from agentmaker.testing import ModelServer, ScriptedLLM

WINDOW = 4_000
HOTELS = 30
LOCKED = 12


@tool
def visit(hotel: int) -> str:
    """Look at a hotel."""
    return f"{90 + hotel} EUR a night, {hotel % 7 + 2} rooms left on 2024-05-{hotel:02d}."


def answer(body: dict) -> object:
    """What the model does next, from what it is asked to do now."""
    asked = body["messages"][-1]["content"]
    if "JSON alone" in asked:
        first = LOCKED + 1 if "[failed]" in asked else 1
        return json.dumps({"steps": [f"Visit hotel {at}" for at in range(first, HOTELS + 1)]})
    step = re.search(r"Carry out step (\d+)", asked)
    if step is None and body["messages"][-1]["role"] == "user":
        return "Hotel 1 is the cheapest, at 91 EUR a night; hotel 12 could not be seen."
    if step is None:
        return f"{asked} The lobby is bright, the stairs are steep and the owner is kind. " * 3
    if int(step[1]) == LOCKED:
        return "STEP FAILED: the door was locked."
    return ScriptedLLM.tool_call("visit", {"hotel": int(step[1])})


async def main() -> None:
    server = ModelServer(answer, window=WINDOW)
    client = agentmaker.wrap(server.client(), window=WINDOW, output_tokens=512, sinks=())
    agent = PlanAgent("scout", client, model="gpt-4o", tools=[visit], limits=RunPolicy(calls=200))

    said = defaultdict(str)
    async for event in agent.stream("Which hotel is the cheapest?"):
        if isinstance(event, TextDelta):
            said[event.part] += event.text
    for part in ("plan", "step 1", "step 12", "plan 2", "answer"):
        print(f"{part:8} {said[part][:80]}")

    sent = [received.prompt_tokens for received in server.requests]
    print(f"\n{len(sent)} requests, the largest of {max(sent):,} tokens in a window of {WINDOW:,}")
    print("\nWhat the last one showed the model:\n")
    lines = server.requests[-1].messages[-1]["content"].splitlines()
    for line in [*lines[4:8], "...", *lines[24:30], "...", *lines[-8:-3]]:
        print(line[:100])


if __name__ == "__main__":
    anyio.run(main)
