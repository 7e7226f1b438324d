"""What a request is made of: each part in its slot, for every request or for one.

Nothing here needs a server: ``ScriptedLLM`` is a model that says what it is told to.
"""

import anyio

from agentmaker import Agent, Session, Table
from agentmaker.testing import ScriptedLLM

SHELVES = {
    "refund": [{"rule": "R1", "days": 14}, {"rule": "R2", "days": 30}],
    "shipping": [{"rule": "S1", "days": 3}],
}


async def main():
    llm = ScriptedLLM(
        ['{"answer": "30 days", "rules": ["R2"]}', '{"answer": "3 days", "rules": ["S1"]}'],
        context_window=8_000,
    )
    session = Session("visitor")
    agent = (
        Agent("clerk", llm, "You answer customers of a shop.", session=session)
        .info({"currency": "EUR", "languages": ["de", "en"]}, always=True)
        .instruct("Answer by the rules found, and name them.", always=True)
        .output({"answer": ("str", "one sentence"), "rules": [str]}, always=True)
    )

    for topic, question in (("refund", "Can I return a bed?"), ("shipping", "How long to Rome?")):
        request = agent.info({"rules found": Table(SHELVES[topic])}).input(question)
        print(f"--- {question}")
        print(await request.aexplain())
        print(await request.astart())

    print("\n--- what the session kept: what was said, not the prompts around it")
    for turn in await session.turns():
        print(f"{turn.role:10} {turn.text}")


anyio.run(main)
