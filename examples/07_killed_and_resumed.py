"""A long run is killed with SIGKILL, and a new process goes on where it was.

This file starts itself twice: the first process is killed in the middle of a call, the second
one resumes its run. The model is a function of what it is sent.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio

from agentmaker import Agent, SessionStore, tool
from agentmaker.testing import ScriptedLLM

LETTERS = 6


def model(messages):
    """Send the next letter; where it is unknown whether one was sent, look first."""
    told = messages[-1]["content"]
    if "not known" in told:
        print(f"   the model is told: {told}")
        return ScriptedLLM.tool_call("last_sent", {})
    number = int(told.split()[1]) if messages[-1]["role"] == "tool" else 0
    if number == LETTERS:
        return f"All {LETTERS} letters are sent."
    return ScriptedLLM.tool_call("send", {"letter": number + 1})


def agent(folder: Path) -> Agent:
    outbox = folder / "outbox"

    @tool
    def send(letter: int) -> str:
        """Send a letter. What is sent cannot be called back."""
        with outbox.open("a") as file:
            file.write(f"letter {letter}\n")
        print(f"   letter {letter} goes out", flush=True)
        time.sleep(0.1 if letter < 3 or (folder / "killed").exists() else 30)
        return f"Letter {letter} was sent."

    @tool(idempotent=True)
    def last_sent() -> str:
        """Look which letter was sent last."""
        print("   the model looks", flush=True)
        return f"Letter {outbox.read_text().split()[-1]} was sent last."

    llm = ScriptedLLM(model, context_window=8_000)
    return Agent("clerk", llm, tools=[send, last_sent], store=SessionStore(folder / "store.db"))


async def work(folder: Path) -> None:
    clerk = agent(folder)
    left = await clerk.store.runs()
    result = await (clerk.resume(left[0].id) if left else clerk.arun("Send all letters."))
    print(f"   {result.output}")
    await clerk.store.aclose()


def start(folder: Path) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, __file__, folder])


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, outbox = Path(name), Path(name) / "outbox"
        print("--- a first process", flush=True)
        with start(folder) as first:
            while not (outbox.exists() and "letter 3" in outbox.read_text()):
                time.sleep(0.01)
            first.kill()
        (folder / "killed").touch()
        print(f"   killed, with {first.returncode}")
        print("--- a second one", flush=True)
        with start(folder) as second:
            second.wait()
        print("--- what went out")
        for line in outbox.read_text().splitlines():
            print("  ", line)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        anyio.run(work, Path(sys.argv[1]))
    else:
        main()
