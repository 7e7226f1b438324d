from __future__ import annotations

import json

import pytest

from agentmaker import Agent, RunPolicy, tool
from agentmaker.testing import ScriptedLLM

pytestmark = pytest.mark.anyio


async def played(steps: int, *, window: int = 4_000) -> tuple[ScriptedLLM, dict[str, str]]:
    """A loop that reads two files early on, and has them out of sight when it is cut."""
    files = {"a.txt": "first state of a", "b.txt": "first state of b"}

    @tool(artefact="path")
    def read(path: str) -> str:
        """Read a file."""
        return files[path]

    def look(at: int) -> str:
        """Look at something."""
        if at == 3:
            files["a.txt"] = "second state of a"
        return f"thing {at}: " + "nothing to see here, go on. " * 40

    llm = ScriptedLLM(
        [
            ScriptedLLM.tool_call("read", {"path": "a.txt"}),
            ScriptedLLM.tool_call("read", {"path": "b.txt"}),
            *(ScriptedLLM.tool_call("look", {"at": at}) for at in range(steps)),
            "done",
        ],
        context_window=window,
    )
    await Agent("reader", llm, tools=[read, look], limits=RunPolicy(calls=99)).arun("go")
    return llm, files


async def test_after_a_cut_what_was_read_last_is_shown_as_it_is_now():
    llm, _ = await played(12)

    shown = [json.dumps(call["messages"]) for call in llm.calls]
    first = next(each for each in shown if 'kind=\\"artefact\\"' in each)
    assert "second state of a" in first
    assert "first state of b" in first
    assert first.index('kind=\\"artefact\\"') < first.index("second state of a")


async def test_without_a_cut_nothing_is_shown_again():
    llm, _ = await played(2, window=64_000)

    assert "artefact" not in json.dumps(llm.calls[-1]["messages"])


async def test_what_needs_an_approval_is_not_read_again_without_one():
    read: list[str] = []

    @tool(artefact="path", confirm=True)
    def secret(path: str) -> str:
        """Read a secret."""
        read.append(path)
        return "the secret"

    def look(at: int) -> str:
        """Look at something."""
        return f"thing {at}: " + "nothing to see here, go on. " * 40

    llm = ScriptedLLM(
        [
            ScriptedLLM.tool_call("secret", {"path": "s.txt"}),
            *(ScriptedLLM.tool_call("look", {"at": at}) for at in range(12)),
            "done",
        ],
        context_window=4_000,
    )
    agent = Agent("reader", llm, tools=[secret, look], confirm=lambda call: False)
    assert (await agent.arun("go")).output == "done"

    assert read == []
    assert "the secret" not in json.dumps([call["messages"] for call in llm.calls])
