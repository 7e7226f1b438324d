"""What ``wrap`` promises: the caller's things stay as they are, and everything sent is booked."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from unittest.mock import MagicMock

import anyio
import openai
import pytest
import structlog
from openai.types.chat import ChatCompletionMessage

import agentmaker
from agentmaker import ConfigError
from agentmaker.testing import Delay, Gate, MemorySink, ModelServer, ServerError, error_body
from tests.clients.asking import QUESTION, TOOL, Asked, step, talk, user

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("by_the_rule")]


def everything():
    """A long conversation of every kind of object a caller may hold."""
    spoken = ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [
                {"id": "s1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ],
        }
    )
    nested = {
        "role": "assistant",
        "content": None,
        "tool_calls": copy.deepcopy(spoken.tool_calls),
    }
    nested["tool_calls"][0].id = "n1"
    return [
        {"role": "system", "content": [{"type": "text", "text": "Be kind."}]},
        *talk(40),
        {"role": "user", "content": [{"type": "text", "text": "x " * 2_000}]},
        spoken,
        {"role": "tool", "tool_call_id": "s1", "content": "r " * 3_000},
        nested,
        {"role": "tool", "tool_call_id": "n1", "content": [{"type": "text", "text": "s " * 900}]},
        *step(1, "t " * 900, arguments='{"long": "' + "y" * 900 + '"}'),
        *step(1, "the same id again"),
        {"role": "assistant", "content": "", "vendor": {"kept": [1, 2]}},
        {"role": "user", "content": [{"type": "text", "text": "and now?"}]},
    ]


def parameters():
    return {
        "tools": [copy.deepcopy(TOOL)],
        "response_format": {"type": "json_object"},
        "extra_body": {"top_k": 5, "deep": {"er": [1]}},
        "extra_headers": {"x-mine": "1"},
        "metadata": {"a": "b"},
    }


class Cancelling(Gate):
    """A gate at which those who ask are cancelled."""

    async def wait(self):
        self.scope.cancel()
        await super().wait()


async def ask_and_compare(asked, *, at=None, **params):
    messages, given = everything(), {**parameters(), **params}
    before = copy.deepcopy((messages, given))
    error = None
    with anyio.CancelScope() as scope:
        if at is not None:
            at.scope = scope
        try:
            answer = await asked(messages, **given)
            if params.get("stream"):
                async for _ in answer:
                    pass
        except openai.OpenAIError as raised:
            error = raised
    assert (messages, given) == before
    return error


async def test_case_82_what_the_caller_holds_is_never_changed():
    asked = Asked()
    assert await ask_and_compare(asked) is None
    assert asked.sink.last.ledger.dropped > 0
    assert asked.sink.last.ledger.repairs


async def test_case_82_nor_when_the_request_fails():
    asked = Asked(ServerError(401, error_body("no")))
    assert isinstance(await ask_and_compare(asked), openai.AuthenticationError)


async def test_case_82_nor_when_it_is_cancelled():
    gate = Cancelling()
    asked = Asked(Delay(gate, then="too late"))
    assert await ask_and_compare(asked, at=gate) is None
    assert asked.sink.last.outcome in ("CancelledError", "Cancelled")


OVERFLOW = ServerError(400, error_body("too long", code="context_length_exceeded"))
FORM = ServerError(400, error_body("Conversation roles must alternate user/assistant"))


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("refusal", [OVERFLOW, FORM], ids=["overflow", "form"])
@pytest.mark.parametrize("after", ["Fine.", None, "too late"])
async def test_case_82_nor_when_it_is_refused_and_sent_again(refusal, after, stream):
    gate = Cancelling() if after == "too late" else None
    asked = Asked([refusal, Delay(gate, then=after) if gate else after or refusal])
    error = await ask_and_compare(asked, at=gate, stream=stream)
    assert isinstance(error, openai.BadRequestError) is (after is None)
    assert len(asked.sent) == 2
    assert asked.sent[0] != asked.sent[1]


async def test_case_82_nor_when_a_summary_is_written():
    asked = Asked(summarizer=lambda text, instruction: "They talked.")
    assert await ask_and_compare(asked) is None
    assert {record.purpose for record in asked.sink} == {"request", "summary"}


async def test_message_objects_of_the_sdk_are_sent_as_the_sdk_sends_them():
    asked = Asked()
    spoken = ChatCompletionMessage(role="assistant", content="Hello.")
    await asked([user("hi"), spoken, user("and?")])
    assert asked.sent[0][1] == {"role": "assistant", "content": "Hello."}


async def test_sdk_objects_inside_of_dictionaries_are_sent_and_counted_as_the_sdk_sends_them():
    asked = Asked()
    completion = ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": None, "tool_calls": step(1)[0]["tool_calls"]}
    )
    by_hand = {"role": "assistant", "content": None, "tool_calls": completion.tool_calls}
    await asked([user("look"), by_hand, step(1)[1]])
    await asked([user("look"), *step(1)])
    assert asked.sent[0] == asked.sent[1]
    first, second = (record.ledger.estimate for record in asked.sink)
    assert first == second


async def test_messages_may_come_from_a_generator():
    asked = Asked()
    await asked(iter(talk(60) + QUESTION))
    assert asked.sent[0][-1] == QUESTION[0]
    assert asked.sink.last.ledger.dropped > 0


async def test_an_unknown_window_names_the_two_ways_out():
    asked = Asked(window=None)
    with pytest.raises(ConfigError, match=r"'m' is not known: pass window= .*fallback_window="):
        await asked()
    assert asked.server.requests == ()


async def test_the_table_the_client_and_the_call_say_the_window_in_this_order():
    """Case 110."""
    asked = Asked(window=None, fallback_window=9_000)
    await asked(model="openai/gpt-4o")
    await asked(model="gpt-4o-2024-11-20")
    await asked(model="my-deploy-01")
    await asked(model="qwen3:14b")
    with agentmaker.using(window=3_000):
        await asked(model="gpt-4o")
    windows = [record.ledger.window for record in asked.sink]
    assert windows == [128_000, 128_000, 9_000, 9_000, 3_000]


async def test_a_model_behind_a_gateway_on_this_machine_is_known_by_its_name():
    with ModelServer("Fine.", window=None) as server:
        sink = MemorySink()
        async with agentmaker.wrap(server.client(), sinks=[sink]) as wrapped:
            await wrapped.chat.completions.create(model="gpt-4o", messages=QUESTION)
    assert sink.last.ledger.window == 128_000


async def test_no_cap_is_sent_that_the_caller_did_not_send():
    asked = Asked(output_tokens=700)
    await asked()
    assert not {"max_tokens", "max_completion_tokens"} & asked.bodies[0].keys()
    assert asked.sink.last.ledger["output"].used == 700


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
async def test_a_cap_the_caller_sends_is_kept_and_reserved(name):
    asked = Asked()
    await asked(talk(100) + QUESTION, **{name: 1_234})
    assert asked.bodies[0][name] == 1_234
    assert asked.sink.last.ledger["output"].used == 1_234
    assert asked.server.requests[0].prompt_tokens + 1_234 <= 8_000


async def test_every_request_is_one_event_by_default():
    asked = Asked(summarizer=lambda text, instruction: "They talked.", sinks=None)
    with structlog.testing.capture_logs() as events:
        await asked(talk(100) + QUESTION)
    assert {event["event"] for event in events} == {"agentmaker.request"}
    assert [event["purpose"] for event in events][-1] == "request"
    assert "summary" in {event["purpose"] for event in events}
    assert len({event["request_id"] for event in events}) == len(events)
    assert len({event["run_id"] for event in events}) == 1


async def test_no_sinks_means_no_event():
    asked = Asked(sinks=())
    with structlog.testing.capture_logs() as events:
        await asked()
    assert events == []


async def test_a_sink_that_fails_fails_no_call():
    def broken(record):
        raise RuntimeError("disk full")

    kept = MemorySink()
    asked = Asked(sinks=[broken, kept])
    completion = await asked()
    assert completion.choices[0].message.content == "Fine."
    assert len(kept) == 1


async def test_a_wrapped_client_is_a_model():
    asked = Asked("four")
    reply = await asked.client.chat([user("2 + 2?")], tools=[TOOL], model="m")
    assert isinstance(reply, agentmaker.Reply)
    assert (reply.content, reply.ledger.window) == ("four", 8_000)
    assert asked.bodies[0]["tools"] == [TOOL]


async def test_a_model_must_be_named():
    with pytest.raises(ConfigError, match=r"client\.chat\(messages, model=\.\.\.\)"):
        await Asked().client.chat(QUESTION)


async def test_scripted_models_and_clients_are_asked_in_the_same_words():
    asked = Asked("four")
    with ModelServer("four") as server, structlog.testing.capture_logs():
        llm = agentmaker.LLMClient(
            "ours", model="m", base_url=server.base_url, api_key="k", context_window=8_000
        )
        async with llm:
            models = [asked.client, agentmaker.testing.ScriptedLLM(["four"]), llm]
            assert all(isinstance(model, agentmaker.Model) for model in models)
            replies = [
                await model.chat([user("2 + 2?")], tools=[TOOL], model="m") for model in models
            ]
    assert [reply.content for reply in replies] == ["four"] * 3


@pytest.mark.parametrize(
    ("client", "words"),
    [
        (
            openai.AsyncOpenAI,
            r"or OpenAI\(\.\.\.\), not the class AsyncOpenAI",
        ),
        (SimpleNamespace(chat=1), "not SimpleNamespace"),
        (None, "not NoneType"),
        (MagicMock(spec=openai.AsyncOpenAI), "not MagicMock"),
        ("gpt-4o", "not str"),
        (agentmaker.testing.ScriptedLLM([]), "not ScriptedLLM"),
        (agentmaker.LLMClient("openai"), "not LLMClient"),
    ],
)
def test_what_is_no_client_is_refused(client, words):
    with pytest.raises(ConfigError, match=words):
        agentmaker.wrap(client)


def test_a_wrapped_client_is_not_wrapped_again():
    with pytest.raises(ConfigError, match=r"wrapped already: use client\.scoped"):
        agentmaker.wrap(Asked().client)
