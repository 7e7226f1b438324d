"""What is loaded when: an import that pulls in a heavy library slows every start."""

from __future__ import annotations

import json
import subprocess
import sys

import openai
import pytest

HEAVY = {
    "genai_prices",
    "numpy",
    "openai",
    "pydantic",
    "splintr",
    "starlette",
    "structlog",
    "typer",
    "uvicorn",
}


RUN_OF_AN_AGENT = """
import sys, anyio, openai, agentmaker

http = sys.modules.get("httpx2") or sys.modules["httpx"]
said = {"role": "assistant", "content": "Hello."}
reply = {
    "id": "c", "object": "chat.completion", "created": 0, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
}
transport = http.MockTransport(lambda request: http.Response(200, json=reply))
sdk = openai.AsyncOpenAI(api_key="k", http_client=http.AsyncClient(transport=transport))
agent = agentmaker.Agent("a", agentmaker.wrap(sdk, window=8_000, sinks=()), model="m")
assert anyio.run(agent.arun, "Hi").output == "Hello."
"""


def loaded_by(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after *statement*."""
    return {name.partition(".")[0] for name in modules_after(statement)}


def modules_after(statement: str) -> set[str]:
    source = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_importing_the_package_loads_no_dependency_at_all() -> None:
    assert not loaded_by("import agentmaker") & (HEAVY | {"anyio", "httpx"})


@pytest.mark.parametrize(
    "statement",
    [
        "from agentmaker import *",
        "import agentmaker; agentmaker.count_tokens('hello')",
        "import agentmaker.testing",
        "import agentmaker.cli",
    ],
)
def test_heavy_libraries_wait_until_they_are_used(statement: str) -> None:
    assert not loaded_by(statement) & HEAVY


def test_the_table_of_windows_waits_for_a_model_whose_window_is_not_given() -> None:
    fitted = "agentmaker.fit([{'role': 'user', 'content': 'Hi'}], model='m', window=8_000)"
    assert "genai_prices" not in loaded_by(f"import agentmaker; {fitted}")
    asked = "from agentmaker.clients.models import known_window; known_window('m')"
    assert "genai_prices" in loaded_by(asked)


def test_an_agent_has_no_more_in_memory_than_it_uses() -> None:
    loaded = modules_after(RUN_OF_AN_AGENT)
    assert "agentmaker.steps.fit" in loaded
    unused = ("agents.delegate", "agents.explain", "calls.refusals.faults", "clients.llm")
    more = ("context.builder", "context.mmr", "memory.notes.notes", "tools.mcp", "tools.recall")
    assert not loaded & {f"agentmaker.{name}" for name in (*unused, *more)}


@pytest.mark.skipif(openai.VERSION < "3", reason="openai 2 loads its resources with any of them")
def test_an_agent_does_not_load_the_resources_of_the_sdk() -> None:
    assert "openai.resources.chat.completions.completions" not in modules_after(RUN_OF_AN_AGENT)
