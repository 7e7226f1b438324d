from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from agentmaker.tokens import TokenCounter, count_tokens, exact, remembered_counter
from agentmaker.tokens.estimated import estimate_for

# Machines differ in speed: only pytest-timeout says what is too slow.
# A run that others wait for has the same examples each time; those beside it look for new ones.
settings.register_profile(
    "agentmaker", parent=settings.default, deadline=None, derandomize="CI" in os.environ
)
settings.load_profile("agentmaker")


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(autouse=True)
def _no_accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the keys of whoever runs it, nor talks to their server."""
    for name in os.environ:
        if name.endswith(("_API_KEY", "_BASE_URL")):
            monkeypatch.delenv(name)


@pytest.fixture
def by_the_rule(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Models that nobody knows are counted by ``count_tokens``: its figures are known."""

    def ruled(family: str | None) -> TokenCounter:
        return estimate_for(family) if family else count_tokens

    monkeypatch.setattr(exact, "estimate_for", ruled)
    remembered_counter.cache_clear()
    yield
    remembered_counter.cache_clear()


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C interrupts, which a shell turns off for what it runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
