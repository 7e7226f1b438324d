"""Questions with the passages that answer them, and the plain search to compare with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.data import read_json, read_lines

PARAPHRASES = Path(__file__).parent / "paraphrases.jsonl"

_RUNS = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+")


class Passage(NamedTuple):
    """What is searched; *key* names it."""

    key: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the *answers* of which one has to be found, and where: "" for anywhere."""

    text: str
    answers: tuple[str, ...]
    passage: str = ""

    def is_answered(self, shown: Iterable[tuple[str, str]]) -> bool:
        """Whether an answer stands in one of *shown*, each the key of a passage and a text."""
        return any(
            answer.casefold() in text.casefold()
            for key, text in shown
            if self.passage in ("", key)
            for answer in self.answers
        )


@dataclass(frozen=True, slots=True)
class Shelf:
    """Passages that are searched together, and the questions on them."""

    passages: Sequence[Passage]
    questions: Sequence[Question]


Search = Callable[[str, int], Sequence[tuple[str, str]]]
"""From a question and a budget to the keys and texts found, the best first."""


def nq_oracle(folder: Path) -> list[Shelf]:
    """Questions of people and the passage of Wikipedia that answers each; equal ones are one."""
    passages: dict[tuple[str, str], Passage] = {}
    questions = []
    for number, record in enumerate(read_lines(folder / "nq_oracle/nq_open_oracle.jsonl")):
        (gold,) = record["ctxs"]
        words = gold["title"], gold["text"]
        passage = passages.setdefault(words, Passage(str(number), *words))
        questions.append(Question(record["question"], tuple(record["answers"]), passage.key))
    return [Shelf([*passages.values()], questions)] if questions else []


def cmrc2018(folder: Path) -> list[Shelf]:
    """Chinese passages with questions whose answers stand in them."""
    read = read_json(folder / "cmrc2018/cmrc2018_trial_half.json", {"data": []})
    entries = [entry for article in read["data"] for entry in article["paragraphs"]]
    passages = [Passage(entry["id"], "", entry["context"]) for entry in entries]
    questions = [
        Question(asked["question"], tuple(each["text"] for each in asked["answers"]), entry["id"])
        for entry in entries
        for asked in entry["qas"]
    ]
    return [Shelf(passages, questions)] if questions else []


def bfcl_memory(folder: Path) -> list[Shelf]:
    """What each persona said, turn by turn, and questions on it."""
    golds = {each["id"]: each for each in read_lines(folder / "bfcl_memory/gold.jsonl")}
    asked = read_lines(folder / "bfcl_memory/questions.jsonl")
    shelves = []
    for path in sorted((folder / "bfcl_memory").glob("prereq_memory_*.jsonl")):
        turns = [turn["content"] for turn in _turns(path)]
        questions = [
            Question(each["question"][0][0]["content"], tuple(golds[each["id"]]["ground_truth"]))
            for each in asked
            if path.stem.endswith(each["scenario"])
        ]
        passages = [Passage(str(number), "", text) for number, text in enumerate(turns)]
        shelves.append(Shelf(passages, questions))
    return shelves


def _turns(path: Path) -> Iterator[Mapping[str, Any]]:
    for record in read_lines(path):
        for some in record["question"]:
            yield from some


def paraphrases() -> list[Shelf]:
    """Questions in other words than their passages, which are the project's own."""
    lines = PARAPHRASES.read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    passages = [Passage(str(at), "", pair["passage"]) for at, pair in enumerate(pairs)]
    questions = [
        Question(pair["question"], (pair["passage"],), str(at)) for at, pair in enumerate(pairs)
    ]
    return [Shelf(passages, questions)]


def words(text: str) -> list[str]:
    """Words in small letters; of Chinese each character and each pair, which finds the most."""
    found: list[str] = []
    for run in _RUNS.findall(text.lower()):
        if re.match("[\u3400-\u9fff]", run):
            found += [*run, *(run[at : at + 2] for at in range(len(run) - 1))]
        else:
            found.append(run)
    return found


def plain(passages: Sequence[Passage], most: int = 40) -> Search:
    """BM25 by rank-bm25 as it is, over whole passages with their titles."""
    from rank_bm25 import BM25Okapi

    ranking = BM25Okapi([words(each.whole) for each in passages])

    @cache
    def ranked(question: str) -> list[tuple[str, str]]:
        scores = ranking.get_scores(words(question))
        order = sorted(range(len(passages)), key=lambda at: -scores[at])[:most]
        return [(passages[at].key, passages[at].whole) for at in order]

    return lambda question, budget: ranked(question)


def shown(found: Iterable[tuple[str, str]], count: Callable[[str], int], budget: int) -> list[Any]:
    """What of *found* fits *budget* tokens, the best first; what does not fit is passed over."""
    kept = []
    for key, text in found:
        tokens = count(text)
        if tokens <= budget:
            kept.append((key, text))
            budget -= tokens
    return kept
