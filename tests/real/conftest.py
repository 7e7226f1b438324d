from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.real.llama import Llama

WINDOW = 8_192


@pytest.fixture
def anyio_backend() -> str:
    """The SDK leaves its generators to the garbage collector, which trio reports as a fault."""
    return "asyncio"


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.real.gguf_model import write_model

    path = tmp_path_factory.mktemp("model") / "fine.gguf"
    write_model(path)
    return path


@pytest.fixture(scope="session")
def llama(model: Path) -> Iterator[Llama]:
    """A server with four slots."""
    from tests.real.llama import serving

    with serving(model, window=WINDOW, slots=4) as server:
        yield server


@pytest.fixture
def alone(model: Path) -> Iterator[Llama]:
    """A server with one slot, which has seen nothing yet."""
    from tests.real.llama import serving

    with serving(model, window=WINDOW) as server:
        yield server
