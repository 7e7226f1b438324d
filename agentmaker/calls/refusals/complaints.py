"""What a refusal says about the form of the history, and what could be done about it.

Servers share no codes for it, so their words are read: a role is named and said to be refused,
a key is named and said to be missing. What a server repeats of the request is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.refusals import verdicts as said
from agentmaker.calls.refusals.bodies import said_in
from agentmaker.calls.refusals.faults import fault_in

_STATUSES = (None, 200, 400, 404, 422)
_OTHERS = ("overflow", "rate_limit", "content_filter")
_TEMPLATE = re.compile(r"jinja|template", re.IGNORECASE)
_REPEATED = frozenset({"input", "ctx", "url", "failed_generation", "callstack"})


@dataclass(frozen=True, slots=True)
class Complaint:
    """A kind of refusal.

    Attributes:
        says: patterns, all of which are in its words.
        answers: changes of the dialect that may help; the first one that changes what is sent
            is made, and no second one for the same words.
        never: a pattern that is not in its words.
    """

    name: str
    says: tuple[str, ...]
    answers: tuple[Mapping[str, Any], ...]
    never: str = r"(?!)"

    def is_in(self, words: str) -> bool:
        """Whether *words* say this."""
        found = all(re.search(each, words, re.IGNORECASE | re.DOTALL) for each in self.says)
        return found and not re.search(self.never, words, re.IGNORECASE)


_TURNS = {"roles": "alternate"}
_NO_SYSTEM = {"system": "user"}
_NO_DEVELOPER = {"developer": "system"}
_NO_TOOLS = {"tools": "text"}
_NO_NULL = {"empty_content": "empty"}
_NO_PARTS = {"content": "text"}
_NEW_CAP, _OLD_CAP = {"cap": "max_completion_tokens"}, {"cap": "max_tokens"}

COMPLAINTS = (
    Complaint("the id of a call", (said.CALL_ID, said.A_FORM), ({"ids": "short"},)),
    Complaint("two caps", (said.OLD_CAP, said.NEW_CAP, said.NOT_BOTH), (_NEW_CAP, _OLD_CAP)),
    Complaint(
        "the cap's newer name",
        (said.OLD_CAP, said.REFUSED),
        (_NEW_CAP,),
        never=rf"{said.VALUE}|{said.FEATURES}|(?:use|try|mean|with|of)\W{{0,4}}max_tokens",
    ),
    Complaint(
        "the cap's older name",
        (said.NEW_CAP, said.REFUSED),
        (_OLD_CAP,),
        never=f"{said.VALUE}|{said.FEATURES}",
    ),
    Complaint(
        "missing thoughts", (said.THOUGHT, said.MISSING), ({"reasoning": "require"},), said.REFUSED
    ),
    Complaint("thoughts", (said.THOUGHT, said.REFUSED), ({"reasoning": "strip"},), said.RETURNED),
    Complaint(
        "an answer at the end",
        (said.AT_THE_END, r"\buser\b|assistant|prefill"),
        ({"ends": "asking"}, {"ends": "asking", **_TURNS}),
        never=r"alternat",
    ),
    Complaint(
        "a system message that is not first",
        (said.SYSTEM, said.AT_THE_BEGINNING),
        ({"system": "one"}, _NO_SYSTEM),
        never=r"alternat|optional system",
    ),
    Complaint(
        "roles that do not alternate",
        (said.NOTHING_BUT_TURNS,),
        ({**_TURNS, **_NO_SYSTEM, **_NO_TOOLS},),
        never=said.BUT_CALLS,
    ),
    Complaint(
        "a turn that is missing",
        (said.TURN, said.ALTERNATE),
        (
            _TURNS,
            {**_TURNS, "system": "one"},
            {**_TURNS, **_NO_SYSTEM},
            {**_TURNS, **_NO_SYSTEM, **_NO_TOOLS},
        ),
        never=said.PAIRS,
    ),
    Complaint(
        "a role beside user and assistant",
        (said.USER_AND_ASSISTANT,),
        ({**_NO_DEVELOPER, **_NO_SYSTEM, **_NO_TOOLS},),
    ),
    Complaint(
        "a role beside system, user and assistant",
        (said.SYSTEM_USER_AND_ASSISTANT,),
        ({**_NO_DEVELOPER, **_NO_TOOLS},),
    ),
    Complaint(
        "the developer role",
        (said.DEVELOPER, said.REFUSED),
        (_NO_DEVELOPER, _NO_SYSTEM),
    ),
    Complaint(
        "several calls at once",
        (said.SEVERAL_CALLS, rf"\bonly\b|{said.REFUSED}"),
        ({"calls": "single"},),
        never=said.FEATURES,
    ),
    Complaint(
        "calls without tools",
        (said.TOOL, f"{said.REFUSED}|{said.MISSING}"),
        (_NO_TOOLS,),
        never=said.PAIRS,
    ),
    Complaint(
        "the system role",
        (said.SYSTEM, said.REFUSED),
        (_NO_SYSTEM, {**_NO_SYSTEM, **_TURNS}),
        never=f"optional system|{said.FEATURES}",
    ),
    Complaint(
        "a role",
        (said.ROLE, said.REFUSED),
        ({**_NO_DEVELOPER, "system": "one"}, _NO_SYSTEM, {**_NO_SYSTEM, **_NO_TOOLS}),
        never=said.PAIRS,
    ),
    Complaint(
        "blank text",
        (said.TEXT, said.BLANK),
        ({"empty_content": "null", "blank_results": "text"},),
        never=said.DESCRIBED,
    ),
    Complaint(
        "content that is no string",
        (said.CONTENT, rf"{said.NO_STRING}|{said.NULL}"),
        (_NO_NULL, _NO_PARTS),
        never=said.PICTURE,
    ),
    # Of templates that trip over what they were not made for.
    Complaint("no content", (said.NULL_TRIPS,), (_NO_NULL,)),
    Complaint("content in parts", (said.PARTS_TRIP,), (_NO_PARTS,)),
    Complaint("too few messages", (said.MESSAGES_TRIP,), (_TURNS,)),
    Complaint("arguments that were parsed", (said.MAPPING_TRIPS,), (_NO_TOOLS,)),
)


def complaints_in(error: BaseException) -> tuple[Complaint, ...]:
    """What *error* may say about the form of the history; nothing when it is something else."""
    fault = fault_in(error)
    if fault is None or fault.kind in _OTHERS:
        return ()
    body = getattr(error, "body", None)
    words = " ".join(_words(body)) or fault.message
    if fault.status not in _STATUSES and not _TEMPLATE.search(words):
        return ()
    if _is_elsewhere(words, said_in(body, failed=True).fields):
        return ()
    return tuple(each for each in COMPLAINTS if each.is_in(words))


def answers(complaint: Complaint, dialect: Dialect) -> Iterator[Dialect]:
    """The dialects in which to say it again, none of which takes back an earlier answer."""
    for change in complaint.answers:
        changed = replace(dialect, **change)
        if dialect.system == "user":
            changed = replace(changed, system="user")
        if changed != dialect:
            yield changed


def _is_elsewhere(words: str, blamed: Sequence[str]) -> bool:
    """Whether *words*, or the fields that are *blamed*, are about another part of the request."""
    named = [field for field in blamed if re.fullmatch(said.PARAMETER, field) and field != "body"]
    if named:
        return not any(re.match(said.FIELD, field) for field in named)
    placed = re.search(said.PLACE, words, re.IGNORECASE)
    return not placed and bool(re.search(said.ELSEWHERE, words, re.IGNORECASE))


def _words(body: Any) -> Iterator[str]:
    """The texts of an error body, but for what it repeats of the request."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, Mapping):
        for key, value in body.items():
            if key not in _REPEATED:
                yield from _words(value)
    elif isinstance(body, (list, tuple)):
        for value in body:
            yield from _words(value)
