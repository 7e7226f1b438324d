"""Which result answers which call: by position and one batch at a time, never by a set of ids.

Servers start their ids anew each turn, lose them, and store a result twice. A result answers the
latest call with its id, and the first result wins; where the id is missing on one side, results
and calls of the latest batch are matched in order.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from agentmaker.calls.forms.content import encodable
from agentmaker.messages import Message


@dataclass(slots=True)
class Batch:
    """The calls of one assistant message.

    Attributes:
        index: where that message is.
        answers: for each call that has a result, by its place in the batch, where that is.
    """

    index: int
    ids: tuple[str, ...]
    answers: dict[int, int] = field(default_factory=dict)

    @property
    def results(self) -> list[tuple[int, int]]:
        """Call and result, in the order the results came."""
        return sorted(self.answers.items(), key=lambda answer: answer[1])

    @property
    def places_behind(self) -> range:
        """Where its results belong: right behind the message."""
        return range(self.index + 1, self.index + 1 + len(self.answers))

    def unanswered(self) -> Iterator[int]:
        return (nth for nth in range(len(self.ids)) if nth not in self.answers)


def batches(messages: Sequence[Message]) -> dict[int, Batch]:
    """Every batch of *messages* by where it is, with its answers."""
    found: dict[int, Batch] = {}
    left: list[tuple[Batch, int]] = []
    latest_with: dict[str, Batch] = {}
    for index, message in enumerate(messages):
        if message.tool_calls:
            ids = tuple(encodable(str(call.id)) for call in message.tool_calls)
            found[index] = latest = Batch(index, ids)
            latest_with |= dict.fromkeys(latest.ids, latest)
        elif message.role == "tool" and found:
            named = latest_with.get(message.tool_call_id or "")
            if named is None or not _answer(named, index, message.tool_call_id or ""):
                left.append((latest, index))
    for batch, index in left:
        _answer_by_order(batch, index, messages[index].tool_call_id)
    return found


def _answer(batch: Batch, index: int, id: str) -> bool:
    """Whether the batch has a call with *id* that waits; the result at *index* is its."""
    nth = next((nth for nth in batch.unanswered() if batch.ids[nth] == id), None)
    if nth is not None:
        batch.answers[nth] = index
    return nth is not None


def _answer_by_order(batch: Batch, index: int, id: str | None) -> None:
    for nth in batch.unanswered():
        if not id or not batch.ids[nth]:
            batch.answers[nth] = index
            return


class Ids:
    """The ids in use so far; hands out a free one for an id that is empty or taken."""

    def __init__(self, before: Container[object] = ()) -> None:
        self._before = before
        self._used: set[str] = set()
        self._uses: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """*wanted* itself the first time, then ``wanted_2``, ``wanted_3``, ..."""
        free = wanted or "call_1"
        base, uses = wanted or "call", self._uses.get(wanted, 1)
        while free in self._used or free in self._before:
            uses += 1
            free = f"{base}_{uses}"
        self._uses[wanted] = uses
        self._used.add(free)
        return free
