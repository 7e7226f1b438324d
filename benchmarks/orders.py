"""What the model of `clerk` says: it follows from the messages alone, however often it is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from agentmaker.prompts import DEFAULT_PROMPTS

ORDERS = 12
IN_FLIGHT = DEFAULT_PROMPTS.text("run.in_flight")
BOOKED = re.compile(r"Order (\d+) is booked, (\d+) in all")

LIST = re.compile(r"list (\d+)")

Json = Mapping[str, Any]


def answer(total: int) -> str:
    return f"All {ORDERS} orders are booked, {total} in all."


def reply(body: Json) -> Any:
    """The next order, a look where it is not known how far we are, or the answer."""
    if not body.get("tools"):
        return f"All is well so far. {_last(_text(body['messages'])).group()}."
    results = _newest_results(body["messages"])
    if any(IN_FLIGHT in each for each in results):
        return _calls(("look", {}))
    order, total = map(int, _last("\n".join(results)).groups())
    if order == ORDERS:
        return answer(total)
    following = {"order": order + 1}
    return _calls(("price", following), ("book", following))


def list_of(body: Json) -> int:
    """The number of the list that a request is about."""
    return int(LIST.findall(_text(body["messages"]))[-1])


def _last(text: str) -> re.Match[str]:
    found = [*BOOKED.finditer(text)]
    return found[-1] if found else re.fullmatch(BOOKED, "Order 0 is booked, 0 in all")  # type: ignore[return-value]


def _newest_results(messages: Sequence[Json]) -> list[str]:
    asked = [at for at, each in enumerate(messages) if each.get("tool_calls")]
    newest = messages[asked[-1] :] if asked else ()
    return [str(each["content"]) for each in newest if each["role"] == "tool"]


def _text(messages: Sequence[Json]) -> str:
    return "\n".join(str(each["content"]) for each in messages)


def _calls(*wanted: tuple[str, Json]) -> Json:
    calls = [
        {
            "id": uuid4().hex,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for name, arguments in wanted
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}
