"""What is loaded when: an import that pulls in a heavy library slows every start."""

from __future__ import annotations

import json
import subprocess
import sys

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


def loaded_by(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after *statement*."""
    source = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


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
