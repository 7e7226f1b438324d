"""Made-up text and conversations of a wanted size, the same for the same seed."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

from benchmarks.independent import tokens

Message = dict[str, Any]

ENGLISH = (
    "the agent looked at file number and found several lines which mention order id status "
    "pending value total amount city code"
)
CHINESE = "订单 航班 客户 要求 退款 因为 时间 变更 我们 需要 确认 城市 价格 日期 没有 已经"


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes what *random* and *words* come up with; every tenth word is an identifier."""

    random: random.Random
    words: list[str]

    def text(self, size: int) -> str:
        """A text of at most *size* tokens, and hardly less."""
        words = [self._word() for _ in range(size)]
        while (counted := tokens(" ".join(words))) > size:
            words = words[: min(len(words) - 1, len(words) * size // counted)]
        return " ".join(words)

    def says(self, role: str, size: int) -> Message:
        """A message of *size* tokens, its framing included."""
        return {"role": role, "content": self.text(max(1, size - 4))}

    def step(self, number: int, size: int) -> list[Message]:
        """A call and its result, *size* tokens together, a fifth of them in the call."""
        call_id = f"call_{number}"
        arguments = json.dumps({"q": self.text(max(1, size // 5 - 5))}, ensure_ascii=False)
        function = {"name": "look", "arguments": arguments}
        call = {"id": call_id, "type": "function", "function": function}
        asked = tokens(arguments) + 13
        return [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {**self.says("tool", size - asked), "tool_call_id": call_id},
        ]

    def _word(self) -> str:
        if self.random.random() < 0.1:
            return f"A{self.random.randrange(10**6)}"
        return self.random.choice(self.words)


def english(seed: int) -> Writer:
    return Writer(random.Random(seed), ENGLISH.split())


def chinese(seed: int) -> Writer:
    return Writer(random.Random(seed), CHINESE.split())
