"""A window that is said to be larger than the server's: refused once, and answered."""

from __future__ import annotations

import openai
import pytest

import agentmaker
from tests.real.asking import asking
from tests.real.gguf_model import ANSWER
from tests.real.talk import system, talk, tool_loop, user

pytestmark = pytest.mark.anyio

BEYOND = 1.5
"""So many windows are asked for."""


async def text_of(answer):
    """What a completion or a stream of one says."""
    if hasattr(answer, "choices"):
        return answer.choices[0].message.content
    deltas = [chunk.choices[0].delta.content async for chunk in answer if chunk.choices]
    return "".join(filter(None, deltas))


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_a_prompt_beyond_the_servers_context_is_refused_once_and_then_fits(llama, stream):
    long = [system("Be brief."), *talk(int(BEYOND * llama.window / 200), size=100), user("Now?")]
    async with asking(llama, window=2 * llama.window) as asked:
        assert await text_of(await asked(long, stream=stream)) == ANSWER
        assert asked.statuses == [400, 200]
        first, second = map(llama.counted, asked.sent)
        assert first > llama.window >= second + 64

        # The limit is known now: the next call fits at once.
        longer = [*long, {"role": "assistant", "content": ANSWER}, user("And now?")]
        assert await text_of(await asked(longer, stream=stream)) == ANSWER
        assert asked.statuses == [400, 200, 200]


async def test_a_tool_loop_beyond_the_servers_context_is_refused_once_and_then_fits(llama):
    loop = [system("Be brief."), user("Where?"), *tool_loop(40, size=300)]
    async with asking(llama, window=2 * llama.window) as asked:
        assert await text_of(await asked(loop)) == ANSWER
    assert asked.statuses == [400, 200]


async def test_what_does_not_fit_even_then_is_the_sdks_bad_request_with_the_ledger(llama):
    question = user("x" * int(BEYOND * llama.window))
    async with asking(llama, window=2 * llama.window) as asked:
        with pytest.raises(openai.BadRequestError, match="exceeds the available") as refused:
            await asked([question])
    assert isinstance(refused.value, agentmaker.ContextOverflow)
    assert refused.value.ledger is not None
    assert refused.value.body["n_ctx"] == llama.window
    assert set(asked.statuses) == {400}
    assert len(asked.statuses) <= 2


async def test_a_conversation_that_outgrows_the_servers_window_is_never_refused(llama):
    async with asking(llama) as asked:
        messages = [system("Be brief.")]
        for nth in range(40):
            messages += [user(f"{nth}: " + "where is it? " * 25)]
            answer = await asked(messages)
            messages += [answer.choices[0].message]
    assert asked.statuses == [200] * 40
    assert asked.sink.last.ledger["history"].dropped > 0
