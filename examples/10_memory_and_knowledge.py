"""What outlives a conversation: memories of a user, documents of a house, both in one prompt.

Nothing here needs a server: ``ScriptedLLM`` is a model that says what it is told to.
"""

import anyio

from agentmaker import Agent, CallableSource, KnowledgeBase, Memory, Scope, using
from agentmaker.memory.knowledge import cite
from agentmaker.testing import ScriptedLLM

MENU = """# Menu

## Desserts

Walnut cake contains nuts. Lemon sorbet contains no nuts and no milk.

## Drinks

Green tea costs 3.20 euros a pot.
"""


async def main():
    ann, bob = Scope(user="ann"), Scope(user="bob")
    memory, rag = Memory(), KnowledgeBase()
    await memory.add("Ann is allergic to nuts", importance=1.0, scope=ann)
    await memory.add("Bob likes walnut desserts", scope=bob)
    await rag.add(MENU, name="menu")

    for found in await rag.retrieve("Which desserts are without nuts?", top_k=1):
        print(cite(found))
        print(found.content)

    llm = ScriptedLLM(["The lemon sorbet.", "The walnut cake."], context_window=8_000)
    sources = [
        CallableSource("memory", memory.search, pass_scope=True),
        CallableSource("rag", rag.retrieve),
    ]
    agent = Agent("waiter", llm, "You serve in a tea room.", sources=sources)
    for guest in (ann, bob):
        with using(scope=guest):
            result = await agent.arun("Which desserts are without nuts, and which do I like?")
        print(f"\n--- {guest.user}: {result.output}")
        shown = llm.calls[-1]["messages"][-1]["content"]
        print(*(line for line in shown.splitlines() if line.startswith(("[", "- "))), sep="\n")


anyio.run(main)
