from __future__ import annotations

import os

import pytest
from hypothesis import settings

# Machines differ in speed: only pytest-timeout says what is too slow.
settings.register_profile("agentmaker", parent=settings.default, deadline=None)
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
