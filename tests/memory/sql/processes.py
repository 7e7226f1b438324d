"""Programs that use a store in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import agentmaker

_PLACE = str(Path(agentmaker.__file__).parents[1])

COMMITTING = """
import sys, anyio
from agentmaker import Message, Scope, SessionStore
from agentmaker.memory.records import Entry, RunRecord

url, name, tasks, times = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chat = Scope(user="ann", session="chat")

async def commit(store, run):
    await store.begin(run)
    for n in range(times):
        turns = [Message(f"{run.id} {n} {part}") for part in "abc"]
        await store.commit(run, [Entry("step", {"n": n})] * 2, turns=turns)
        print(run.id, n, flush=True)

async def main():
    store = SessionStore(url)
    async with anyio.create_task_group() as group:
        for task in range(tasks):
            run = RunRecord(id=f"{name}{task}", agent="a", scope=chat, owner="me")
            group.start_soon(commit, store, run)
    await store.aclose()

anyio.run(main)
"""
"""Commits to the same session from several tasks, and says what was acknowledged."""


def start(program: str, *args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program, *map(str, args)],
        env={**os.environ, "PYTHONPATH": _PLACE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process: subprocess.Popen[str]) -> str:
    """What a process said until it ended well."""
    out, err = process.communicate(timeout=50)
    assert process.returncode == 0, err
    return out


def killed_after(process: subprocess.Popen[str], count: int) -> list[str]:
    """Kill a process when it has said *count* lines; the lines it said in all."""
    with process:
        lines = [process.stdout.readline() for _ in range(count)]
        process.kill()
        lines += process.stdout.read().splitlines(keepends=True)
    assert all(lines), "it was at work"
    return [line for line in lines if line.endswith("\n")]
