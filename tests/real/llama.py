"""llama.cpp's own server, in this process, on a free port of loopback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import AsyncOpenAI

xllamacpp = pytest.importorskip("xllamacpp", reason="xllamacpp has no wheel for this platform")


@dataclass(frozen=True, kw_only=True)
class Llama:
    """A server that runs."""

    address: str
    window: int
    api_key: str = "any"

    def client(self, **given: Any) -> AsyncOpenAI:
        given = {"api_key": self.api_key, "max_retries": 0, **given}
        return AsyncOpenAI(base_url=f"{self.address}/v1", **given)

    def counted(self, body: Mapping[str, Any]) -> int:
        """Tokens of the request *body*, as the server counts them."""
        answer = self.http.post("/v1/chat/completions/input_tokens", json=body)
        return answer.raise_for_status().json()["input_tokens"]

    @property
    def busy(self) -> int:
        """How many slots are at work."""
        slots = self.http.get("/slots").raise_for_status().json()
        return sum(slot["is_processing"] for slot in slots)

    @cached_property
    def http(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.api_key}"}
        return httpx.Client(base_url=self.address, headers=headers)


@contextmanager
def serving(
    model: Path,
    *,
    window: int,
    slots: int = 1,
    template: str | None = None,
    api_keys: Sequence[str] = (),
) -> Iterator[Llama]:
    """Serve *model* with *window* tokens for each of so many slots."""
    server = xllamacpp.Server(_params(model, window, slots, template, api_keys))
    llama = Llama(address=server.listening_address, window=window, api_key=(*api_keys, "any")[0])
    try:
        yield llama
    finally:
        llama.http.close()
        del server  # which ends its threads


def _params(
    model: Path, window: int, slots: int, template: str | None, api_keys: Sequence[str]
) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = window * slots
    params.n_parallel = slots
    params.n_threads_http = 20  # each connection keeps one
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cache_ram_mib = 0
    params.chat_template = template or ""
    params.api_keys = list(api_keys)
    params.verbosity = -1  # nothing but what goes wrong at the start
    params.warmup = params.ui = params.fit_params = False
    return params
