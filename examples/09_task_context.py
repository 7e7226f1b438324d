"""What a task may see: a folder, read within a budget, and where the tokens went.

Nothing here needs a server: ``ScriptedLLM`` is a model that says what it is told to, and
``ModelServer`` counts what it is sent.
"""

import json
from pathlib import Path

import anyio

from agentmaker import Agent, FolderSource, ModelSelector, TaskContext, wrap
from agentmaker.observe import MemorySink
from agentmaker.testing import ModelServer, ScriptedLLM

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
QUESTION = "What happens when a summariser of a session fails?"


def choose(messages):
    """What a model might say: the key of the first candidate that is named for sessions."""
    lines = messages[-1]["content"].splitlines()
    return json.dumps([line.split()[0] for line in lines if "folder: session" in line][:1])


async def main():
    task = TaskContext()
    task.attach(FolderSource(DOCS if DOCS.is_dir() else HERE), binding_id="docs")
    task.put("Answer in one sentence.", title="House style", required=True)

    print("--- the best of the folder in 600 tokens")
    reader = task.reader(consumer="clerk", max_blocks=4, budget_tokens=600)
    package = await reader.read(QUESTION)
    for block in package.blocks:
        print(f"{block.tokens:5} {block.completeness:9} {block.size:7,} characters  {block.label}")
    print(package.coverage)
    print("left out:", package.omission_counts)
    print("read again, the same:", await reader.read(QUESTION) == package)

    print("\n--- a model may choose among the titles first, or take none of them")
    chooser = ModelSelector(ScriptedLLM(choose))
    strict = task.reader(consumer="clerk", budget_tokens=600, semantic_selector=chooser)
    package = await strict.read(QUESTION)
    print([block.label for block in package.blocks], package.omission_counts)

    print("\n--- the package in a prompt, and where its tokens go")
    llm = ScriptedLLM(["Nothing changes: the outcome is 'failed'."], context_window=16_000)
    request = Agent("clerk", llm, "You know this project.").info(package).input(QUESTION)
    print(await request.aexplain())
    print(await request.astart())

    print("\n--- or the reader as a source: it reads for each question, in the room there is")
    sink = MemorySink()
    server = ModelServer(["Nothing changes."], window=8_000)
    client = wrap(server.client(), window=8_000, sinks=[sink])
    agent = Agent("clerk", client, "You know this project.", model="gpt-4o", sources=[reader])
    print((await agent.arun(QUESTION)).output)
    print(sink.last.ledger)


anyio.run(main)
