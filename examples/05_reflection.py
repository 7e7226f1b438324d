"""An agent that criticises its own draft and refines it until nothing is left to say.

``ScriptedLLM`` is a model that says what it is told to. With a model of your own it is an
``LLMClient``, or a wrapped ``AsyncOpenAI`` with ``model=`` beside it.
"""

import anyio

from agentmaker import ReflectionAgent, tool
from agentmaker.testing import ScriptedLLM


@tool
def price(city: str) -> str:
    """The price of a room."""
    return f"{city}: 112 EUR a night from 2024-05-03 on."


SCRIPT = [
    "Rooms in Lisbon are cheap.",
    "- Say what a room costs.\n- Say since when.",
    ScriptedLLM.tool_call("price", {"city": "Lisbon"}),
    "A room in Lisbon is 112 EUR a night.",
    "- say since when!\n- Name a hotel.",
    "A room in Hotel Alfa, Lisbon, is 112 EUR a night, from 2024-05-03 on.",
    "Every point is met.\nGOOD ENOUGH",
]


async def main() -> None:
    llm = ScriptedLLM(SCRIPT, context_window=8_000)
    agent = ReflectionAgent("writer", llm, "You write for travellers.", tools=[price])

    result = await agent.arun("What is a room in Lisbon?")

    print("What the model was asked to do the second time it refined:\n")
    print(llm.calls[5]["messages"][-1]["content"])
    print(f"\nThe answer, after {len(llm.calls)} requests:\n\n{result.output}")


if __name__ == "__main__":
    anyio.run(main)
