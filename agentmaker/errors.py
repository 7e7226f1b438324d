"""Every exception that reaches a caller.

AgentmakerError
├── ConfigError (ValueError)        a knob is out of range
├── ContextError
│   ├── ContextWindowExceeded       what must be sent does not fit the window
│   └── PairingError                a tool call without its result, in strict mode
├── LLMError
│   ├── LLMRequestError             the request failed
│   │   └── ContextOverflow         the server says the prompt is too long
│   └── LLMResponseError            the reply cannot be used
├── SourceError                     a required source gave nothing
├── EmbeddingError                  an embedder failed, or gave what cannot be used
├── SessionError                    a session or a run cannot go on as asked
├── StoreError                      what keeps sessions and runs cannot be read or written
├── LoadError                       a file cannot be taken in as knowledge
├── RunUnfinished                   a run has no answer yet: it waits, or a limit stopped it
├── ToolError                       a tool failed
└── RunStopped
    ├── RunLimitExceeded            a limit of the run was reached
    └── RunCancelled                the run was cancelled
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentmaker.calls.ledger import Ledger


class AgentmakerError(Exception):
    """Base class: catch this to catch everything the package raises by itself."""


class ConfigError(AgentmakerError, ValueError):
    """Raised when a knob is out of range or two settings contradict each other."""


class ContextError(AgentmakerError):
    """Base class for faults in what was to be sent."""


class ContextWindowExceeded(ContextError):
    """Raised when what must be sent does not fit, before anything is sent.

    Attributes:
        part: what is too large (``"tools"``, ``"question"``, ...).
        needed: tokens that part needs.
        room: tokens there are for it.
        ledger: where every token would have gone, when the engine raised it.
    """

    def __init__(
        self, part: str, needed: int, room: int, *, hint: str = "", ledger: Ledger | None = None
    ) -> None:
        self.part = part
        self.needed = needed
        self.room = room
        self.ledger = ledger
        hint = hint or "shorten it, split the task, or use a model with a larger window"
        super().__init__(f"no room for {part}: {needed} tokens where {room} are free; {hint}")


class PairingError(ContextError):
    """Raised when a tool call has no result (or the reverse) and strict mode forbids repair."""


class LLMError(AgentmakerError):
    """Base class for faults of the model or its server."""


class LLMRequestError(LLMError):
    """Raised when a request to the model failed.

    Attributes:
        status: the HTTP status, None when there was no response.
        retryable: whether the same request may succeed later.
    """

    def __init__(self, message: str, *, status: int | None = None, retryable: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.retryable = retryable


class ContextOverflow(LLMRequestError, ContextWindowExceeded):
    """Raised when the server refused the prompt as too long, and no smaller one went through.

    Attributes:
        ledger: where every token went.
        provider_message: the server's own words.
    """

    def __init__(
        self,
        provider_message: str,
        *,
        needed: int,
        room: int,
        status: int | None = None,
        ledger: Ledger | None = None,
        resent: bool = True,
    ) -> None:
        again = (
            "and the smaller one too"
            if resent
            else "and what must be sent cannot be made small enough: shorten the newest messages"
        )
        Exception.__init__(
            self,
            f"the server found the prompt too long ({needed} tokens), {again}; it said: "
            f"{provider_message!r}; set window= to what the server holds",
        )
        self.part = "the request"
        self.needed = needed
        self.room = room
        self.ledger = ledger
        self.status = status
        self.retryable = False
        self.provider_message = provider_message


class LLMResponseError(LLMError):
    """Raised when a reply arrived that cannot be used (no choices, an error body with 200)."""


class SourceError(AgentmakerError):
    """Raised when a source made with ``required=True`` failed or timed out.

    Attributes:
        source: the source's name.
        reason: what happened, in a few words.
    """

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(
            f"required source {source!r} failed ({reason}): "
            "mend it, give it a longer deadline, or make it with required=False"
        )
        self.source = source
        self.reason = reason


class EmbeddingError(AgentmakerError):
    """Raised when an embedder failed, was late, or gave what cannot be used."""


class SessionError(AgentmakerError):
    """Raised when a session or a run cannot go on as asked."""


class StoreError(AgentmakerError):
    """Raised when a store cannot be read or written: a full disk, a lost server.

    What was kept before is intact, and nothing of what failed is kept.
    """


class LoadError(AgentmakerError):
    """Raised when a file cannot be taken in as knowledge.

    Attributes:
        file: its path.
        reason: what is wrong with it, and what helps.
    """

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file} cannot be loaded: {reason}")
        self.file = file
        self.reason = reason


class ToolError(AgentmakerError):
    """Raised when a tool failed."""


class RunUnfinished(AgentmakerError):
    """Raised when an answer is wanted of a run that has none yet.

    Attributes:
        run_id: by which it is resumed.
        waiting: the ids of the calls that wait for an approval.
    """

    def __init__(
        self, run_id: str, *, waiting: tuple[str, ...] = (), why: RunStopped | None = None
    ) -> None:
        self.run_id = run_id
        self.waiting = waiting
        decided = ", ".join(f"{id!r}: True" for id in waiting)
        how = f"approvals={{{decided}}}" if waiting else "limits=RunPolicy(...)"
        reason = "waits for an approval" if waiting else f"was stopped ({why})"
        super().__init__(f"run {run_id} {reason}: go on by agent.resume({run_id!r}, {how})")


class RunStopped(AgentmakerError):
    """Base class for a run that ended before its answer."""


class RunLimitExceeded(RunStopped):
    """Raised when a limit of the run was reached.

    Attributes:
        limit: which one (``"calls"``, ``"tokens"``, ``"seconds"``).
        allowed: the configured value.
        used: what had been used when the call was refused.
    """

    def __init__(self, limit: str, *, allowed: float, used: float) -> None:
        super().__init__(
            f"the run's {limit} limit of {allowed:g} is reached ({used:g} used): "
            "raise it in RunPolicy or end the run"
        )
        self.limit = limit
        self.allowed = allowed
        self.used = used


class RunCancelled(RunStopped):
    """Raised when the run was cancelled through its policy."""
