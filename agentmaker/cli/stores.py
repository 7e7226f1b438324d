"""The store a command is about, and how what goes wrong with it is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from agentmaker.cli.places import store_at
from agentmaker.errors import AgentmakerError, ConfigError, SessionError, StoreError

if TYPE_CHECKING:
    from agentmaker.memory.sql.store import SessionStore

T = TypeVar("T")

BAD_USAGE = 2

DEFAULT = "agentmaker.db"

LONGEST = 60
"""Characters of a text that are shown."""

StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store", envvar="AGENTMAKER_STORE", help=f"A path or a URL; {DEFAULT} by default."
    ),
]


async def with_store(url: str, work: Callable[[SessionStore], Awaitable[T]]) -> T:
    """What *work* makes of the store at *url*, which must be there.

    Raises:
        StoreError: a file is named that is not there; none is made.
    """
    store = store_at(url)
    try:
        return await work(store)
    finally:
        await store.aclose()


def short(text: str) -> str:
    """*text* on one line that a terminal can show."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


@contextmanager
def refusing() -> Iterator[None]:
    """Errors in one line: what was asked for wrongly ends with 2, a run that failed with 1."""
    from openai import OpenAIError

    try:
        yield
    except (AgentmakerError, OpenAIError) as error:
        for line in (f"agentmaker: {error}", *getattr(error, "__notes__", ())):
            typer.echo(line, err=True)
        usage = isinstance(error, (ConfigError, SessionError, StoreError))
        raise typer.Exit(BAD_USAGE if usage else 1) from None
