"""The prefix that is kept, by our figure and by what the server found in its cache.

Between cuts both are everything: our figure is 1, and the server finds the whole previous prompt
and what it answered. Our figure at a cut is by whole messages, so that the server may find more,
but less than the first message that differs.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from agentmaker.context.measure import messages_tokens
from agentmaker.messages import read_messages
from tests.real.asking import BYTES, TOOL, asking
from tests.real.gguf_model import ANSWER
from tests.real.talk import assistant, called, system, user

pytestmark = pytest.mark.anyio

SHARE = 0.01
"""As far may our figure, a share of JSON, be from the share of the server's tokens."""

UNCOUNTED = 1_000
"""Room for what the template prints around calls beyond what is counted."""


def talk():
    """What is asked, turn by turn."""
    messages = [system("Be brief.")]
    for nth in range(40):
        messages += [user(f"{nth}: " + "where is it? " * 25)]
        yield messages
        messages += [assistant(ANSWER)]


def tool_loop():
    messages = [system("Be brief."), user("Where is everything?")]
    yield messages
    for nth in range(40):
        messages += called(f"call_{nth:024d}", result=f"{nth}: " + "on its way " * 25)
        yield messages


async def replayed(llama, turns, **params):
    async with asking(llama, window=llama.window - UNCOUNTED) as asked:
        for messages in turns:
            await asked(messages, **params)
        steps = [*zip(asked.sent, asked.sink.records, strict=True)]
    return [*pairwise(steps)]


def common(before, now):
    """Tokens of the messages with which both requests begin, and of the first that differs."""
    same = 0
    for old, new in zip(before["messages"], now["messages"], strict=False):
        if old != new:
            break
        same += 1
    messages = read_messages(now["messages"])
    return messages_tokens(messages[:same], BYTES), messages_tokens(messages[: same + 1], BYTES)


async def test_a_talk_is_in_the_servers_cache_as_far_as_our_figure_says(alone):
    steps = await replayed(alone, talk())
    cuts = 0
    for (before, old), (now, new) in steps:
        if new.ledger.prefix_kept == 1:
            assert new.usage.cached_tokens == old.usage.prompt_tokens + len(ANSWER)
            continue
        cuts += 1
        whole, more = common(before, now)
        assert whole <= new.usage.cached_tokens < more
        assert new.ledger.prefix_kept == pytest.approx(whole / old.usage.prompt_tokens, abs=SHARE)
    assert 1 <= cuts <= 3


async def test_a_tool_loop_that_is_not_cut_is_all_in_the_servers_cache(alone):
    steps = await replayed(alone, tool_loop(), tools=[TOOL])
    grown = [(old, new) for (_, old), (_, new) in steps if new.ledger.prefix_kept == 1]
    assert len(grown) >= 36
    for old, new in grown:
        assert new.usage.cached_tokens == old.usage.prompt_tokens
