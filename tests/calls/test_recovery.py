from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import BadRequestError

import agentmaker
from agentmaker import ContextOverflow, ContextWindowExceeded
from agentmaker.calls.call import Call, Reply
from agentmaker.calls.memory.learnt import LASTING
from agentmaker.calls.middleware import compose
from agentmaker.calls.recovery import Recovery, SummaryRecovery, halved
from agentmaker.calls.refusals.overflow import Overflow, PromptRefused
from agentmaker.calls.room import OUTPUT_CAPS, output_cap
from agentmaker.calls.setting import Setting
from agentmaker.calls.smaller import LEAST_WINDOW
from agentmaker.sync import run
from agentmaker.testing import MemorySink, ModelServer, ServerError, error_body
from agentmaker.tokens import count_tokens
from tests.calls.talk import Server, assistant, call_of, ledger_of, settled, system, user
from tests.steps.line import STEPS

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("by_the_rule")]

TALK = [
    message
    for turn in range(30)
    for message in (user(f"question {turn} " * 20), assistant(f"answer {turn} " * 20))
]
ASK = [system("rules"), *TALK, user("and now?")]


def refusal(**stated: Any) -> PromptRefused:
    return PromptRefused(Overflow(message="too long", **stated), None, ValueError("refused"))


class Counting:
    """A server that counts every text *times* as we do, and says so when it refuses."""

    def __init__(self, window: int, times: Any = 1.0, says: str = "all") -> None:
        self.window = window
        self.times = times if callable(times) else lambda text: times
        self.says = says
        self.calls: list[Call] = []
        self.prompts: list[int] = []

    async def __call__(self, call: Call) -> Reply:
        prompt = sum(self._tokens(str(each["content"])) for each in call.messages)
        self.calls.append(call)
        self.prompts.append(prompt)
        if prompt + (output_cap(call.params) or 1) <= self.window:
            return settled()
        counted = {"all": "prompt", "total": "total"}.get(self.says)
        stated = {"limit": self.window, counted: prompt} if counted else {}
        raise PromptRefused(Overflow(message="no", **stated), call.ledger, ValueError("refused"))

    def _tokens(self, text: str) -> int:
        return int(count_tokens(text) * self.times(text))


async def send(call: Call, server: Any, recovery: Recovery | None = None) -> Reply:
    async def prepared(call: Call) -> Reply:
        for step in STEPS:
            call = await step(call, server)
        return await server(call)

    return await (recovery or Recovery())(call, prepared)


async def test_what_is_not_refused_is_sent_once_as_it_is():
    server, call = Server(), call_of(user())
    await Recovery()(call, server)
    assert server.calls == [call]


async def test_an_error_of_another_kind_passes():
    with pytest.raises(OSError, match="gone"):
        await Recovery()(call_of(user()), Server(OSError("gone")))


async def test_case_49_the_second_payload_is_strictly_smaller_and_there_is_no_third():
    server = Counting(1)
    with pytest.raises(ContextOverflow) as error:
        await send(call_of(*ASK, window=4_000), server)
    assert len(server.calls) == 2
    assert server.prompts[1] < server.prompts[0]
    assert isinstance(error.value.__cause__, ValueError)
    assert error.value.provider_message == "no"


async def test_a_window_set_too_large_is_corrected_once_and_then_known():
    server, recovery = Counting(2_000), Recovery()
    await send(call_of(*ASK, window=6_000, model="m"), server, recovery)
    assert len(server.calls) == 2
    assert recovery.limits.of("m") == 2_000
    await send(call_of(*ASK, user("more?"), window=6_000, model="m"), server, recovery)
    assert len(server.calls) == 3
    assert server.calls[2].setting.window == 2_000


@pytest.mark.parametrize("says", ["all", "total"])
async def test_a_limit_is_known_in_our_own_count_where_the_server_counts_more(says):
    server, recovery = Counting(3_000, times=2.0, says=says), Recovery()
    talk = call_of(*ASK, window=6_000, model="m")
    await send(talk, server, recovery)
    assert len(server.calls) == 2
    assert recovery.limits.of("m") in range(1_300, 1_600)
    await send(call_of(*ASK, user("more?"), window=6_000, model="m"), server, recovery)
    assert len(server.calls) == 3


async def test_what_is_known_of_one_model_does_not_hold_for_another():
    server, recovery = Counting(2_000), Recovery()
    await send(call_of(*ASK, window=6_000, model="small"), server, recovery)
    await send(call_of(*ASK, window=6_000, model="other"), server, recovery)
    assert server.calls[2].setting.window == 6_000


async def test_a_limit_by_which_nothing_fitted_is_not_remembered():
    recovery = Recovery()
    server = Server(refusal(limit=2_000, prompt=3_000), refusal(limit=2_000, prompt=2_100))
    with pytest.raises(ContextOverflow):
        await recovery(call_of(user()), server)
    assert recovery.limits.of("") is None


@pytest.mark.parametrize("limit", [LEAST_WINDOW - 1, 8_000, 9_000])
async def test_a_limit_out_of_bounds_is_not_remembered(limit):
    recovery = Recovery()
    await recovery(call_of(user(), window=8_000), Server(refusal(limit=limit, prompt=90_000)))
    assert recovery.limits.of("") is None


async def test_a_limit_is_forgotten_when_its_server_may_have_been_started_anew():
    now = [0.0]
    server, recovery = Counting(2_000), Recovery(clock=lambda: now[0])
    await send(call_of(*ASK, window=6_000, model="m"), server, recovery)
    now[0] += LASTING
    server.window = 6_000
    await send(call_of(*ASK, window=6_000, model="m"), server, recovery)
    assert server.calls[2].setting.window == 6_000


async def test_case_50_where_only_the_reply_is_too_large_the_messages_stay():
    server = Counting(4_000)
    call = call_of(*ASK, window=6_000, params={"max_tokens": 3_000})
    await send(call, server)
    first, second = server.calls
    assert second.messages == first.messages
    assert 512 <= second.params["max_tokens"] < 3_000


async def test_case_50_failed_attempts_leave_the_caller_s_history_alone():
    before = copy.deepcopy(ASK)
    with pytest.raises(ContextOverflow):
        await send(call_of(*ASK, window=4_000, params={"max_tokens": 900}), Counting(1))
    assert before == ASK


async def test_where_no_smaller_call_can_be_made_the_server_s_error_is_what_is_raised():
    server = Counting(700)
    question = user("word " * 900)
    with pytest.raises(ContextOverflow) as error:
        await send(call_of(question, window=8_000), server)
    assert len(server.calls) == 1
    assert (error.value.needed, error.value.room) == (server.prompts[0], 700)
    assert isinstance(error.value.__cause__, ValueError)


async def test_what_does_not_fit_before_anything_is_sent_is_no_overflow():
    with pytest.raises(ContextWindowExceeded) as error:
        await send(call_of(user("word " * 9_000), window=2_000), Counting(2_000))
    assert not isinstance(error.value, ContextOverflow)


def unlike(text: str) -> float:
    """A tenth more or less, the same for the same text."""
    return 0.9 + (len(text) * 7 % 5) / 20


ratios = st.one_of(st.floats(1, 2), st.just(unlike))


@given(ratios, st.integers(2_000, 9_000), st.integers(1_800, 9_000), st.sampled_from([0, 300, 900]))
def test_the_second_attempt_fits_while_texts_count_alike(times, window, limit, cap):
    server = Counting(limit, times)
    call = call_of(*ASK, window=window, params={"max_tokens": cap} if cap else {})
    try:
        run(send, call, server)
    except ContextWindowExceeded as error:
        refused = error
        assert len(server.calls) < 2, refused  # it could not be made, but was never refused twice


@given(st.floats(1, 1.3))
def test_a_server_that_names_no_sizes_is_tried_with_three_quarters(times):
    server = Counting(3_400, times, says="nothing")
    run(send, call_of(*ASK, window=4_000), server)
    assert len(server.calls) <= 2


async def test_no_cap_is_sent_that_the_caller_did_not_send():
    server, recovery = Counting(2_000), Recovery()
    for _ in range(2):
        await send(call_of(*ASK, window=6_000), server, recovery)
    assert all(call.params.keys().isdisjoint(OUTPUT_CAPS) for call in server.calls)


WORDINGS = ["openai", "deepseek", "vllm", "llama.cpp", "llama.cpp-500", "ollama"]


@pytest.mark.parametrize("wording", WORDINGS)
async def test_the_plain_wordings_are_recovered_from_through_a_real_client(wording):
    sink, server = MemorySink(), ModelServer(window=3_000, overflow=wording)
    client = agentmaker.wrap(server.client(), window=8_000, sinks=[sink])
    await client.chat.completions.create(model="m", messages=ASK)
    assert recovered(server, sink)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_stream_is_recovered_from_before_its_first_chunk():
    sink, server = MemorySink(), ModelServer(window=3_000)
    client = agentmaker.wrap(server.client(), window=8_000, sinks=[sink])
    stream = await client.chat.completions.create(model="m", messages=ASK, stream=True)
    assert [chunk async for chunk in stream]
    assert recovered(server, sink)


def recovered(server: ModelServer, sink: MemorySink) -> bool:
    first, second = server.requests
    outcomes = [record.outcome for record in sink]
    return second.prompt_tokens < first.prompt_tokens and outcomes == ["ContextOverflow", "ok"]


async def test_under_wrap_the_final_error_is_one_that_existing_handlers_catch():
    body = error_body("maximum context length is 900 tokens, exceeded", code=None)
    client = agentmaker.wrap(ModelServer(ServerError(400, body)).client(), window=4_000, sinks=[])
    with pytest.raises(BadRequestError) as error:
        await client.chat.completions.create(model="m", messages=ASK)
    assert isinstance(error.value, ContextOverflow)
    assert isinstance(error.value.__cause__, BadRequestError)
    assert error.value.ledger is not None
    assert error.value.status_code == error.value.status == 400


async def test_a_rate_limit_is_not_answered_with_a_smaller_prompt():
    body = error_body("Rate limit: context window of tokens per min exceeded", code=None)
    server = ModelServer(ServerError(429, body))
    client = agentmaker.wrap(server.client(max_retries=0), window=4_000, sinks=[])
    with pytest.raises(Exception, match="Rate limit"):
        await client.chat.completions.create(model="m", messages=ASK)
    assert len(server.requests) == 1


async def test_a_summary_that_was_refused_is_asked_for_once_more_with_half_its_text():
    server = Server(refusal())
    call = call_of(system("Summarise."), user("one two three " * 200))
    await compose([SummaryRecovery()], server)(call)
    first, second = (each.window.question.text for each in server.calls if each.window.question)
    assert count_tokens(second) <= count_tokens(first) // 2
    assert (second[:20], second[-20:]) == (first[:20], first[-20:])


async def test_a_summary_that_was_refused_twice_is_given_up():
    server = Server(refusal(), refusal(), settled())
    with pytest.raises(PromptRefused):
        await compose([SummaryRecovery()], server)(call_of(user("text " * 99)))
    assert len(server.calls) == 2


async def test_a_summary_of_nothing_cannot_be_halved():
    server = Server(refusal())
    with pytest.raises(PromptRefused):
        await compose([SummaryRecovery()], server)(call_of(system("Summarise.")))
    assert len(server.calls) == 1
    assert halved(call_of(user("a"))) is None


async def test_the_facts_of_the_final_error_are_those_of_the_last_refusal():
    refused = replace_ledger(refusal(limit=900, prompt=2_500), 2_000)
    with pytest.raises(ContextOverflow, match="too long") as error:
        await Recovery()(call_of(user()), Server(refusal(), refused))
    assert (error.value.needed, error.value.room) == (2_500, 900)
    assert error.value.ledger is refused.ledger


def replace_ledger(refused: PromptRefused, estimate: int) -> PromptRefused:
    return PromptRefused(replace(refused.overflow), ledger_of(8_000, estimate), refused.error)


async def test_what_a_server_holds_is_said_once(caplog):
    recovery, setting = Recovery(), Setting(window=6_000)
    for _ in range(2):
        await send(call_of(*ASK, setting=setting, model="m"), Counting(2_000), recovery)
        recovery.limits.learn("m", 6_000)
    (warning,) = [record for record in caplog.records if "holds" in record.message]
    assert "pass window=2000" in warning.message


async def test_where_nothing_smaller_can_be_made_the_error_says_so():
    with pytest.raises(ContextOverflow, match="cannot be made small enough"):
        await send(call_of(user("long " * 3_000), window=6_000), Counting(2_000))


async def test_a_limit_that_was_learnt_too_large_is_learnt_again():
    server, recovery = Counting(2_000, times=4.0), Recovery()
    recovery.limits.learn("m", 2_000)
    await send(call_of(*ASK, window=6_000, model="m"), server, recovery)
    assert recovery.limits.of("m") in range(LEAST_WINDOW, 600)
