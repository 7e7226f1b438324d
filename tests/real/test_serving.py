"""The server of these tests starts when it is asked to, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.real.llama import serving
from tests.real.talk import user

THREADS = Path("/proc/self/task")

QUESTION = {"messages": [user("Where?")]}


def threads():
    return {thread.name for thread in THREADS.iterdir()}


@pytest.mark.skipif(not THREADS.exists(), reason="this platform does not list a process's threads")
def test_a_server_that_was_left_has_no_thread(llama, model):
    llama.counted(QUESTION)  # all threads of the one that stays have begun
    before = threads()
    with serving(model, window=llama.window) as other:
        assert other.counted(QUESTION) > 0
        assert threads() - before
    assert not threads() - before


def test_a_server_that_was_left_takes_no_connection(model):
    with serving(model, window=1_024) as other:
        pass
    with pytest.raises(httpx.ConnectError):
        httpx.get(other.address)


def test_a_server_goes_on_while_another_one_leaves(llama, model):
    with serving(model, window=llama.window):
        pass
    body = {**QUESTION, "stream": True, "temperature": 0}
    with llama.http.stream("POST", "/v1/chat/completions", json=body) as answer:
        assert answer.read().endswith(b"data: [DONE]\n\n")
