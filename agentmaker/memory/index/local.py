"""A small embedder that needs no server: its weights come with a library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from agentmaker.context.threads import DaemonThreads
from agentmaker.errors import ConfigError
from agentmaker.memory.index.embedding import Embedded

MODEL = "l2_supercat"
DIMENSIONS = (64, 128, 256)

_loading = Lock()


class LocalEmbedder:
    """Embeds with WordLlama, offline: a mean of word vectors, for examples, tests and small needs.

    It knows English best. Texts in other languages, Chinese among them, are compared by the
    pieces of words they share; a text and its translation are not near.

    The model is loaded by the first call, in a thread, and shared by all embedders: 0.4 s, 50 MB.

    Args:
        dimensions: the width of the vectors: 64, 128 or 256.

    Raises:
        ConfigError: there are no such dimensions, or ``agentmaker-runtime[embed]`` is missing.
    """

    def __init__(self, dimensions: int = 256) -> None:
        if dimensions not in DIMENSIONS:
            raise ConfigError(f"dimensions must be one of {DIMENSIONS}, not {dimensions!r}")
        _check_library()
        self.name = f"wordllama/{MODEL}/{dimensions}"
        self._dimensions = dimensions
        self._threads = DaemonThreads()

    def __repr__(self) -> str:
        return f"LocalEmbedder({self._dimensions})"

    async def __call__(self, texts: Sequence[str]) -> Embedded:
        given = [text.encode("utf-8", "replace").decode() for text in texts]
        return Embedded(await self._threads.run(lambda: self._embedded(given)))

    def _embedded(self, texts: list[str]) -> list[Any]:
        # The first dimensions are a smaller embedding by themselves.
        return [*_model()(texts)[:, : self._dimensions]]


def _check_library() -> None:
    from importlib.util import find_spec

    if find_spec("wordllama") is None:
        raise ConfigError(
            "a library of LocalEmbedder is missing: pip install 'agentmaker-runtime[embed]'"
        )


def _model() -> Callable[[list[str]], Any]:
    with _loading:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> Callable[[list[str]], Any]:
    import wordllama  # type: ignore[import-untyped]

    # The library looks for its tokenizer in a folder that its wheel calls otherwise; given as the
    # cache, its own folder has both, and nothing is downloaded.
    own = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(MODEL, cache_dir=own, disable_download=True)
    embed: Callable[[list[str]], Any] = model.embed
    return embed
