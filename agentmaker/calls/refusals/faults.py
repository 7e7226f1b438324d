"""What a server says when it refuses: any server's words, none by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentmaker.calls.refusals.bodies import Said, said_in
from agentmaker.calls.refusals.concepts import Concept, is_filtered, is_throttled
from agentmaker.calls.refusals.kinds import Kind, Refusal, is_denied, is_the_server_s
from agentmaker.calls.refusals.overflow import Overflow, Quota
from agentmaker.calls.refusals.plain import plain
from agentmaker.calls.refusals.sizes import quota_in
from agentmaker.calls.refusals.wording import is_overflow
from agentmaker.errors import AgentmakerError

MOST_WORDS = 2_000
"""Characters of the server's words that are kept."""

_TELLING: Mapping[Kind, Concept] = {
    "overflow": is_overflow,
    "rate_limit": is_throttled,
    "auth": is_denied,
    "content_filter": is_filtered,
    "server": is_the_server_s,
    "bad_request": lambda text: False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A refusal, understood.

    Attributes:
        kind: what it means to the one who asked.
        message: the most telling words of the server, "" for none.
        status: the HTTP status; where that was a success, the one the body states.
        code: the server's own name for it; a number that repeats the status is none.
        overflow: the sizes, when the prompt is too long.
        quota: the sizes, when a rate limit states them.
    """

    kind: Kind
    message: str
    status: int | None
    code: str = ""
    overflow: Overflow | None = None
    quota: Quota | None = None


def fault_of(body: Any, status: int | None, *, failed: bool = False) -> Fault | None:
    """The fault that *body* reports, None when it is no error at all.

    *failed* says that it is one, whatever its status and its words.
    """
    failed = failed or (status is not None and status >= 400)
    said = said_in(body, failed=failed)
    fault = _understood(said, status)
    return fault if failed or said.is_error or fault.kind == "overflow" else None


def fault_in(error: BaseException) -> Fault | None:
    """The fault that an exception of the SDK reports, None where no server answered."""
    if not hasattr(error, "body") or _is_no_answer(error):
        return None
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status < 400:
        return fault_of(error.body, status)
    return _understood(_said_by(error), status if isinstance(status, int) else None)


def _understood(said: Said, status: int | None) -> Fault:
    http = status if status is not None and status >= 400 else None
    refusal = Refusal(said=said, http=http)
    kind = refusal.kind()
    message = _most_telling([*refusal.heard, *said.texts], _TELLING[kind])[:MOST_WORDS]
    return Fault(
        kind=kind,
        message=message,
        status=http or refusal.stated,
        code=_code(refusal, kind),
        overflow=Overflow(message=message, **refusal.sizes()) if kind == "overflow" else None,
        quota=quota_in("\n".join(refusal.texts)) if kind == "rate_limit" else None,
    )


def _most_telling(texts: list[str], telling: Concept) -> str:
    """The first text that says it; else the longest: "Provider returned error" says nothing."""
    said = (text for text in texts if telling(plain(text)))
    return next(said, None) or max(texts, key=len, default="")


def _code(refusal: Refusal, kind: Kind) -> str:
    """The name that tells the kind; else the first that is more than the status or "error"."""
    dull = {str(refusal.http), str(refusal.stated), "error"}
    codes = [code for code in refusal.said.codes if code.lower() not in dull]
    named = (code for code in codes if _TELLING[kind](plain(code)))
    return next(named, None) or next(iter(codes), "")


def _is_no_answer(error: BaseException) -> bool:
    import openai

    return isinstance(error, (AgentmakerError, openai.APIConnectionError))


def _said_by(error: Any) -> Said:
    """What the response of *error* says; where that cannot be had, its body or its message."""
    # The body that the SDK keeps is one field of what was sent, and the words may be in another.
    for source in (lambda: error.response.text, lambda: error.body, lambda: error.message):
        said = said_in(_guarded(source), failed=True)
        if said.texts or said.codes or said.lines:
            break
    for name in ("code", "type"):
        code = getattr(error, name, None)
        if isinstance(code, (str, int)) and str(code) not in said.codes:
            said.codes.append(str(code))
    return said


def _guarded(source: Callable[[], Any]) -> Any:
    # The text of a response that was streamed cannot be had before it is read.
    try:
        return source()
    except Exception:
        return None
