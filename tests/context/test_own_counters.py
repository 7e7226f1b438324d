"""A counter of the caller's own that refuses special tokens, as tiktoken's does, stops nobody."""

from __future__ import annotations

import pytest

from agentmaker import ContextBuilder, HistoryCompactor, KnowledgeBase, Memory, Notes, Session
from agentmaker.context.gssc import GSSCBuilder, compress, gather, select, structure
from agentmaker.context.reducers import reduce_agent, reduce_plan, reduce_reflection
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.tasks.context import TaskContext
from tests.context.mmr.naive import result
from tests.tasks.shelf import Shelf

pytestmark = pytest.mark.anyio

TEXT = "a question <|endoftext|> and more of it"
TALK = [{"role": role, "content": TEXT} for role in ("user", "assistant") * 8]
TAIL = {"budget": 300, "summarize": None}


def refusing(text: str) -> int:
    if "<|" in text:
        raise ValueError("disallowed special token")
    return len(text)


def found(query):
    return [result(TEXT, 1.0)]


async def built():
    task = TaskContext(counter=refusing)
    task.attach(Shelf({"a": TEXT}))
    builder = ContextBuilder(token_counter=refusing)
    return await builder.abuild_block(TEXT, sources=[task], budget=3_000)


async def read():
    task = TaskContext(counter=refusing)
    task.attach(Shelf({"a": TEXT}))
    return str(await task.afetch(TEXT))


async def compacted():
    return str(HistoryCompactor(None, trigger_tokens=0, token_counter=refusing).plan(TALK))


async def composed():
    return (await GSSCBuilder(rag=found, counter=refusing).abuild_context(TEXT)).text


async def composed_by_hand():
    gathered = await gather(TEXT, system_instructions=TEXT, rag=found, counter=refusing)
    chosen = select(gathered.packets, TEXT, counter=refusing)
    return compress(structure(chosen.packets, TEXT), 2_000, counter=refusing).text


async def reduced():
    return str(await reduce_agent(TALK, counter=refusing, **TAIL))


async def planned():
    return str(await reduce_plan([TEXT] * 20, counter=refusing, **TAIL))


async def reflected():
    entries = [{"kind": kind, "text": TEXT} for kind in ("draft", "critique", "refine") * 5]
    return str(await reduce_reflection(entries, counter=refusing, **TAIL))


async def said():
    session = Session(counter=refusing, max_length=1_000)
    await session.add(*TALK)
    return str(await session.history())


async def known():
    base = KnowledgeBase(counter=refusing)
    await base.add(TEXT, name="a")
    return str(await base.retrieve("question"))


async def remembered():
    memory = Memory(counter=refusing)
    await memory.add(TEXT)
    return str(await memory.search("question"))


async def noted():
    notes = Notes(MemoryStore())
    await notes.write(TEXT, TEXT)
    return await notes.index(1_000, refusing)


@pytest.mark.parametrize(
    "use",
    [
        *(built, read, compacted, composed, composed_by_hand, reduced, planned, reflected),
        *(said, known, remembered, noted),
    ],
)
async def test_case_65_a_text_with_special_tokens_is_counted_wherever_a_counter_is_given(use):
    assert "<|endoftext|>" in await use()
