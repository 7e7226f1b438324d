from __future__ import annotations

import pytest

from agentmaker.calls.setting import Setting, SummaryModel
from agentmaker.context.measure import REPLY_PRIMING, message_tokens
from agentmaker.errors import LLMResponseError
from agentmaker.scope import Scope
from agentmaker.steps.summarise import Asker, asker
from agentmaker.tokens import count_tokens
from tests.steps.line import Summariser, call_of, nobody

pytestmark = pytest.mark.anyio

QUESTION = {"role": "user", "content": "q"}


def asking(window: int, ask: Summariser) -> Asker:
    model = SummaryModel(model="small", window=window)
    setting = Setting(window=100_000, summary=model)
    found = asker(call_of([QUESTION], setting, scope=Scope(user="mia"), run_id="run"), ask)
    assert found is not None
    return found


def test_without_a_model_nobody_is_asked() -> None:
    assert asker(call_of([QUESTION], Setting(window=4_000)), nobody) is None


async def test_a_summary_call_belongs_to_the_run_and_scope_of_the_call_that_needs_it() -> None:
    ask = Summariser("short")
    assert await asking(4_000, ask)("a long text " * 50, "Summarise.") == "short"
    (call,) = ask.asked
    assert (call.purpose, call.model, call.run_id) == ("summary", "small", "run")
    assert call.scope == Scope(user="mia")
    assert call.setting.window == 4_000
    assert call.setting.sources == ()


async def test_a_text_over_the_models_window_goes_in_piece_by_piece() -> None:
    ask = Summariser("so far")
    text = "words of a long conversation " * 2_000
    await asking(2_000, ask)(text, "Summarise.")
    chunk = min(call.window.question.content.count("words") for call in ask.asked[:-1])
    assert len(ask.asked) <= 2_000 / chunk + 1
    for call in ask.asked:
        messages = (*call.window.system, call.window.question)
        prompt = sum(message_tokens(each, count_tokens) for each in messages) + REPLY_PRIMING
        assert prompt + 500 <= 2_000


async def test_a_reply_that_was_cut_is_an_error() -> None:
    with pytest.raises(LLMResponseError, match="length"):
        await asking(4_000, Summariser("half", finish_reason="length"))("text", "Summarise.")


async def test_case_34_thoughts_are_no_summary() -> None:
    with pytest.raises(LLMResponseError):
        await asking(4_000, Summariser(None))("text", "Summarise.")
