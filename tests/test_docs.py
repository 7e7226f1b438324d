"""Runs the code of README.md and docs/: a page is one program, its blocks run from top to bottom.

A ``text`` block right behind a ``python`` block is what that block prints.
"""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anyio
import pytest

from agentmaker.context import REDUCERS

ROOT = Path(__file__).parent.parent
PAGES = sorted(path for path in (ROOT / "README.md", *ROOT.glob("docs/*.md")) if path.exists())
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"^([\w-]+):", re.MULTILINE)
LEFTOVER = re.compile("|".join(("TO" + "DO", "FIX" + "ME")))

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)


def run(source: str, name: str, first_line: int, namespace: dict[str, Any]) -> None:
    code = compile(
        "\n" * (first_line - 1) + source,
        name,
        "exec",
        flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
        dont_inherit=True,
    )
    if code.co_flags & inspect.CO_COROUTINE:
        anyio.run(eval, code, namespace)
    else:
        exec(code, namespace)


def commands(page: Path, program: str) -> set[str]:
    """First words behind *program* in the console blocks of *page*."""
    consoles = (m["body"] for m in BLOCK.finditer(read(page)) if m["kind"] == "console")
    return set(re.findall(rf"^\$ {program} ([\w-]+)", "\n".join(consoles), re.MULTILINE))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.fixture
def own_reducers() -> Iterator[None]:
    """What a page registers is gone behind it."""
    with patch.dict(REDUCERS):
        yield


@each_page
@pytest.mark.usefixtures("own_reducers")
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    text, namespace = read(page), {"__name__": "__main__"}
    blocks = list(BLOCK.finditer(text))
    for block, after in zip(blocks, [*blocks[1:], None], strict=False):
        if block["kind"] != "python":
            continue
        run(block["body"], str(page), text.count("\n", 0, block.start("body")) + 1, namespace)
        printed = capsys.readouterr().out
        if after and after["kind"] == "text" and not text[block.end() : after.start()].strip():
            assert printed == after["body"]


@each_page
def test_every_make_target_a_page_names_exists(page: Path) -> None:
    assert commands(page, "make") <= set(TARGET.findall(read(ROOT / "Makefile")))


@each_page
def test_every_command_a_page_names_exists(page: Path) -> None:
    for command in commands(page, "agentmaker"):
        main = "from agentmaker.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", main, command, "--help"], capture_output=True, check=False
        )
        assert done.returncode == 0, f"agentmaker {command}: {done.stderr.decode()}"


def test_no_file_leaves_work_for_later() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout")
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in names.splitlines()]
    assert [path for path in paths if path.exists() and LEFTOVER.search(read(path))] == []
