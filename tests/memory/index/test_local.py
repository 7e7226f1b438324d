"""The embedder whose weights come with a library: no network is asked for."""

from __future__ import annotations

import socket
from importlib import util

import anyio
import pytest

from agentmaker import ConfigError, LocalEmbedder

pytestmark = pytest.mark.anyio

TEXTS = [
    "The cat sat on the sofa",
    "A kitten rests on the couch",
    "Quarterly revenue grew by 12%",
    "猫坐在沙发上",
    "小猫在沙发上休息",
    "公司第三季度收入增长",
    "",
    "half \ud800",
]


@pytest.fixture
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("a test asked for the network")

    pytest.importorskip("wordllama", reason="agentmaker-runtime[embed] brings it")
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.usefixtures("_offline")
@pytest.mark.parametrize("dimensions", [64, 128, 256])
async def test_what_means_the_same_is_nearer_than_what_does_not(dimensions: int) -> None:
    import numpy as np

    made = await LocalEmbedder(dimensions)(TEXTS)
    vectors = np.array(made.vectors)
    assert vectors.shape == (len(TEXTS), dimensions)
    assert np.isfinite(vectors).all()
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (vectors / np.maximum(lengths, 1e-9)) @ (vectors / np.maximum(lengths, 1e-9)).T
    assert cosines[0, 1] > 2 * abs(cosines[0, 2])
    assert cosines[3, 4] > 2 * abs(cosines[3, 5])


@pytest.mark.usefixtures("_offline")
async def test_it_serves_many_at_once() -> None:
    embedder, found = LocalEmbedder(), []

    async def embed() -> None:
        found.append(await embedder(["one", "two"]))

    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(embed)
    assert [len(made.vectors) for made in found] == [2] * 10
    assert len((await embedder([])).vectors) == 0


def test_dimensions_that_it_does_not_have_are_refused() -> None:
    with pytest.raises(ConfigError, match="256"):
        LocalEmbedder(100)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"agentmaker-runtime\[embed\]"):
        LocalEmbedder()
