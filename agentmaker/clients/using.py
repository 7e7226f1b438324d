"""What one call needs beyond its messages: whose it is, its window, sources and limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmaker.clients.checks import read_run, read_scope, read_sources
from agentmaker.clients.models import check_tokens
from agentmaker.scope import Scope

if TYPE_CHECKING:
    from agentmaker.calls.limits import Run, RunPolicy
    from agentmaker.context.sources import ContextSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """Set for a while, over what the client was made with; None leaves that as it is."""

    scope: Scope | None = None
    window: int | None = None
    sources: tuple[ContextSource, ...] | None = None
    run: Run | None = None

    def over(self, other: Overrides) -> Overrides:
        """These, and *other* where these say nothing."""
        if other is NOTHING:
            return self
        return Overrides(
            scope=other.scope if self.scope is None else self.scope,
            window=other.window if self.window is None else self.window,
            sources=other.sources if self.sources is None else self.sources,
            run=other.run if self.run is None else self.run,
        )


NOTHING = Overrides()

_current: ContextVar[Overrides] = ContextVar("agentmaker_using", default=NOTHING)


def current() -> Overrides:
    """What ``using`` says here."""
    return _current.get()


def overrides(
    *,
    scope: Scope | None = None,
    window: int | None = None,
    sources: Sequence[ContextSource] | None = None,
    run: Run | RunPolicy | None = None,
) -> Overrides:
    """Read what a user gives; a policy starts a run of its own.

    Raises:
        ConfigError: *window* is not a positive number of tokens, or another is of a wrong kind.
    """
    check_tokens("window", window)
    return Overrides(
        scope=read_scope(scope),
        window=window,
        sources=None if sources is None else read_sources(sources),
        run=read_run(run),
    )


class Held:
    """What *inner* says holds inside, and what held before where it says nothing."""

    def __init__(self, inner: Overrides) -> None:
        self._inner = inner

    def __enter__(self) -> None:
        self._token = _current.set(self._inner.over(_current.get()))

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)


@contextmanager
def using(
    *,
    scope: Scope | None = None,
    window: int | None = None,
    sources: Sequence[ContextSource] | None = None,
    run: Run | RunPolicy | None = None,
) -> Iterator[Run | None]:
    """Set what the calls inside need; what an outer block says holds where this says nothing.

    Gives the run's meter when *run* is given. Other tasks are not touched. What a client was
    ``scoped`` with comes first, what it was wrapped with last.

    Raises:
        ConfigError: *window* is not a positive number of tokens, or another is of a wrong kind.
    """
    inner = overrides(scope=scope, window=window, sources=sources, run=run)
    with Held(inner):
        yield inner.run
