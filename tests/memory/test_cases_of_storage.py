"""Storage as agents use it: at once, for long, and with any version of the SDK."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

import agentmaker
from agentmaker import Agent, Session, SessionStore
from agentmaker.agents.run import LEDGERS
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.store import Store
from agentmaker.messages import Message
from agentmaker.scope import Scope
from agentmaker.testing import ScriptedLLM


def look() -> str:
    """Look."""
    return "seen"


def answers(turns: int) -> list[object]:
    return [each for _ in range(turns) for each in (ScriptedLLM.tool_call("look", {}), "fine")]


@pytest.mark.anyio
async def test_case_115_eight_agents_open_a_new_store_at_once_and_lose_no_turn(tmp_path: Path):
    stores = [SessionStore(tmp_path / "new.db") for _ in range(8)]

    async def work(number: int) -> None:
        session = Session(f"s{number}", store=stores[number])
        agent = Agent("worker", ScriptedLLM(answers(4)), tools=[look], session=session)
        for turn in range(4):
            await agent.arun(f"{number} {turn}")

    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(work, number)

    for number, store in enumerate(stores):
        turns = await Session(f"s{number}", store=stores[0]).turns()
        assert [each.role for each in turns] == ["user", "assistant", "tool", "assistant"] * 4
        assert [each.text for each in turns[::4]] == [f"{number} {turn}" for turn in range(4)]
        await store.aclose()


@pytest.mark.anyio
async def test_case_115_agents_of_one_session_in_several_stores_keep_their_turns_together(
    tmp_path: Path,
):
    stores = [SessionStore(tmp_path / "new.db") for _ in range(4)]

    async def work(number: int) -> None:
        session = Session("shared", store=stores[number])
        agent = Agent("worker", ScriptedLLM(answers(3)), tools=[look], session=session)
        for turn in range(3):
            await agent.arun(f"{number} {turn}")

    async with anyio.create_task_group() as group:
        for number in range(4):
            group.start_soon(work, number)

    turns = await Session("shared", store=stores[0]).turns()
    assert [each.role for each in turns] == ["user", "assistant", "tool", "assistant"] * 12
    asked = [each.text.split() for each in turns[::4]]
    for number in range(4):
        assert [turn for who, turn in asked if who == str(number)] == ["0", "1", "2"]
    for store in stores:
        await store.aclose()


@pytest.mark.anyio
async def test_case_116_agents_for_ever_in_one_process_keep_no_more_than_the_maxima():
    """What waits for somebody is not what makes room."""
    store: Store = MemoryStore(max_sessions=10, max_runs=10, max_documents=10, max_turns=100)

    @agentmaker.tool(confirm=True)
    def pay() -> str:
        """Pay."""
        return "paid"

    llm = ScriptedLLM([ScriptedLLM.tool_call("pay", {}), "done"])
    kept = Session("kept", store=store)
    await kept.add(Message("hello"), Message("hi", "assistant"))
    waiting = await Agent("payer", llm, tools=[pay], session=kept).arun("pay")
    assert waiting.status == "waiting"

    for number in range(60):
        session = Session(f"s{number}", store=store)
        agent = Agent("worker", ScriptedLLM(answers(1)), tools=[look], session=session)
        await agent.arun("go")

    assert len(await store.runs()) <= 11
    assert len(await store.sessions(Scope())) <= 11
    resumed = Agent("payer", llm, tools=[pay], session=kept)
    result = await resumed.resume(waiting.run_id, approvals={waiting.waiting[0].id: True})
    assert result.output == "done"
    assert [each.text for each in await kept.turns()][:3] == ["hello", "hi", "pay"]


@pytest.mark.anyio
async def test_case_116_a_long_run_tells_of_its_latest_requests_only():
    steps = [ScriptedLLM.tool_call("look", {}) for _ in range(LEDGERS + 20)]
    limits = agentmaker.RunPolicy(calls=len(steps) + 1)
    agent = Agent("worker", ScriptedLLM([*steps, "done"]), tools=[look], limits=limits)

    result = await agent.arun("go")

    assert (result.output, len(result.ledgers)) == ("done", LEDGERS)


PACKAGE = Path(agentmaker.__file__).parent


def sources() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        if not name.startswith("testing/"):
            yield name, ast.parse(file.read_text(encoding="utf-8"))


def test_case_118_nothing_the_sdk_raises_or_answers_is_taken_for_a_type_of_one_http_library():
    """The SDK brings ``httpx`` up to version 2 and ``httpx2`` from 3 on."""
    looked_at = 0
    for name, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and node.type is not None:
                asked = ast.unparse(node.type)
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "isinstance",
                "issubclass",
            ):
                asked = ast.unparse(node.args[1])
            else:
                continue
            looked_at += 1
            assert "httpx" not in asked, f"{name}:{node.lineno}"
    assert looked_at > 100


@pytest.mark.parametrize("layer", ["agents", "tools", "memory", "observe", "context"])
def test_case_118_no_agent_tool_or_store_knows_of_an_http_library(layer: str):
    for name, tree in sources():
        if name.startswith(f"{layer}/"):
            for node in ast.walk(tree):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    assert "httpx" not in ast.unparse(node), f"{name}:{node.lineno}"
