"""Recorded conversations to replay, read from a folder that does not belong to the project."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Messages = list[dict[str, Any]]
Tools = list[dict[str, Any]]

REQUEST_SCHEMA = "openai_spec/openai_chat_request.schema.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Recorded messages, and how many of them each call sends."""

    origin: str
    messages: Messages
    calls: tuple[int, ...]
    tools: Sequence[dict[str, Any]] = ()

    def requests(self) -> Iterator[Messages]:
        """The messages of each call, as an application would hand them over."""
        return (self.messages[:length] for length in self.calls)


def recorded(origin: str, messages: Messages, tools: Sequence[dict[str, Any]] = ()) -> Conversation:
    """Each of the assistant's messages was the reply to the messages before it."""
    calls = tuple(n for n, each in enumerate(messages) if n and each["role"] == "assistant")
    return Conversation(origin=origin, messages=messages, calls=calls, tools=tools)


def conversations(folder: Path) -> list[Conversation]:
    """Every conversation under *folder*, of the sets that are there."""
    return [*tau_airline(folder), *bfcl_memory(folder), *memorybank(folder)]


def tau_airline(folder: Path) -> list[Conversation]:
    """Tool trajectories with the airline's policy as their system prompt."""
    tools = read_json(folder / "tau_airline/tools.json", [])
    records = read_lines(folder / "tau_airline/trajectories.jsonl")
    return [recorded("tau_airline", record["traj"], tools) for record in records]


def bfcl_memory(folder: Path) -> Iterator[Conversation]:
    """Each persona's monologue, as it is and with an assistant who takes note of every turn."""
    for path in sorted((folder / "bfcl_memory").glob("prereq_*.jsonl")):
        turns = [
            each for record in read_lines(path) for turn in record["question"] for each in turn
        ]
        alone = tuple(range(1, len(turns) + 1))
        yield Conversation(origin="bfcl_memory", messages=turns, calls=alone)
        noted = [each for turn in turns for each in (turn, _says("assistant", "Noted."))]
        asked = tuple(range(1, len(noted), 2))
        yield Conversation(origin="bfcl_memory, noted", messages=noted, calls=asked)


def memorybank(folder: Path) -> Iterator[Conversation]:
    """Ten days of chat of each user, in English and in Chinese."""
    for language in ("en", "cn"):
        users = read_json(folder / f"memorybank/memory_bank_{language}.json", {})
        for user in users.values():
            yield recorded(f"memorybank {language}", list(_chat(user["history"].values())))


def nq_oracle(folder: Path) -> Iterator[Conversation]:
    """Questions, each behind the passages that were found for it."""
    for record in read_lines(folder / "nq_oracle/nq_open_oracle.jsonl"):
        passages = "\n\n".join(f"{each['title']}\n{each['text']}" for each in record["ctxs"])
        asked = _says("user", f"{passages}\n\n{record['question']}?")
        messages = [asked, _says("assistant", record["answers"][0])]
        yield Conversation(origin="nq_oracle", messages=messages, calls=(1,))


def cmrc2018(folder: Path) -> Iterator[Conversation]:
    """Chinese passages, the questions on each asked in turn."""
    records = read_json(folder / "cmrc2018/cmrc2018_trial_half.json", {"data": []})["data"]
    for passage in (each for record in records for each in record["paragraphs"]):
        said = [_says("system", passage["context"])]
        for each in passage["qas"]:
            said += [_says("user", each["question"])]
            said += [_says("assistant", each["answers"][0]["text"])]
        yield recorded("cmrc2018", said)


def tau2_banking(folder: Path) -> Iterator[Conversation]:
    """A bank's knowledge, one document after the other read aloud, and its customers' briefs."""
    documents = read_lines(folder / "tau2_banking/documents.jsonl")
    tasks = read_lines(folder / "tau2_banking/tasks.jsonl")
    for document, task in zip(documents, tasks, strict=False):
        brief = task["user_scenario"]["instructions"]
        messages = [_says("developer", document["content"]), _says("user", f"{brief}")]
        yield Conversation(origin="tau2_banking", messages=messages, calls=(2,))


def github_tools(folder: Path) -> Tools:
    """The tools of the GitHub server as OpenAI tools."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["inputSchema"],
            },
        }
        for tool in read_lines(folder / "github_mcp_tools/tools.jsonl")
    ]


def read_json(path: Path, missing: Any) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else missing


def read_lines(path: Path) -> list[Any]:
    if not path.exists():
        return []
    # Not splitlines(): texts may hold separators that JSON does not escape.
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _chat(days: Iterable[list[dict[str, str]]]) -> Iterator[dict[str, str]]:
    for exchange in (each for day in days for each in day):
        yield _says("user", exchange["query"])
        yield _says("assistant", exchange["response"])


def _says(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}
