"""What a real server answers, plain and streamed: usage, calls, JSON by a schema, refusals."""

from __future__ import annotations

import json
from typing import Literal

import openai
import pytest
from pydantic import BaseModel

from tests.real.asking import TOOL, asking
from tests.real.conftest import WINDOW
from tests.real.gguf_model import ANSWER
from tests.real.llama import serving
from tests.real.talk import system, user

pytestmark = pytest.mark.anyio

QUESTION = [system("Be brief."), user("Where is W-007?")]
FORCED = {"tools": [TOOL], "tool_choice": "required", "max_tokens": 200}
LOOKED_UP = {"id": "W-007", "count": 0}


class Order(BaseModel):
    id: Literal["W-007"]
    count: int


def fragments(chunks):
    """What the deltas say about calls."""
    deltas = (chunk.choices[0].delta for chunk in chunks if chunk.choices)
    return [call.function for delta in deltas for call in delta.tool_calls or ()]


async def test_a_stream_says_what_a_plain_answer_says_and_its_usage(llama):
    async with asking(llama) as asked:
        plain = await asked(QUESTION)
        stream = await asked(QUESTION, stream=True, stream_options={"include_usage": True})
        chunks = [chunk async for chunk in stream]
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert said == plain.choices[0].message.content == ANSWER
    usage = [chunk.usage for chunk in chunks if chunk.usage]
    assert [each.total_tokens for each in usage] == [plain.usage.total_tokens]
    records = asked.sink.records
    assert [each.usage.total_tokens for each in records] == [plain.usage.total_tokens] * 2
    assert [each.finish_reason for each in records] == ["stop", "stop"]


async def test_a_call_arrives_whole_plain_and_streamed(llama):
    async with asking(llama) as asked:
        plain = await asked(QUESTION, **FORCED)
        chunks = [chunk async for chunk in await asked(QUESTION, stream=True, **FORCED)]
    (call,) = plain.choices[0].message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("look", LOOKED_UP)
    pieces = fragments(chunks)
    assert [each.name for each in pieces if each.name] == ["look"]
    assert json.loads("".join(each.arguments or "" for each in pieces)) == LOOKED_UP
    assert [each.finish_reason for each in asked.sink.records] == ["tool_calls"] * 2


async def test_a_call_and_its_result_go_back_to_the_server_that_made_it(llama):
    async with asking(llama) as asked:
        answer = (await asked(QUESTION, **FORCED)).choices[0].message
        result = {"role": "tool", "tool_call_id": answer.tool_calls[0].id, "content": "in customs"}
        last = await asked([*QUESTION, answer, result], tools=[TOOL])
    assert last.choices[0].message.content == ANSWER
    assert asked.sink.last.ledger["trajectory"].used > 0
    assert asked.sink.last.ledger.repairs == ()


async def test_an_answer_parses_into_the_model_it_was_asked_for(llama):
    async with asking(llama) as asked:
        answer = await asked.client.chat.completions.parse(
            model="fine", messages=QUESTION, response_format=Order, temperature=0
        )
    assert answer.choices[0].message.parsed == Order(**LOOKED_UP)
    assert asked.sink.last.ledger["response_format"].used > 0


async def test_the_streaming_helper_of_the_sdk_sees_every_event(llama):
    async with asking(llama) as asked:
        opened = asked.client.chat.completions.stream(
            model="fine", messages=QUESTION, temperature=0
        )
        async with opened as stream:
            kinds = {event.type async for event in stream}
            answer = await stream.get_final_completion()
    assert {"chunk", "content.delta", "content.done"} <= kinds
    assert answer.choices[0].message.content == ANSWER


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_a_wrong_key_is_the_sdks_own_error_and_asked_once(model, stream):
    with serving(model, window=WINDOW, api_keys=["right"]) as llama:
        async with asking(llama) as asked:
            assert (await asked(QUESTION)).choices[0].message.content == ANSWER
            wrong = asked.client.with_options(api_key="wrong")
            with pytest.raises(openai.AuthenticationError, match="Invalid API Key"):
                await wrong.chat.completions.create(model="m", messages=QUESTION, stream=stream)
    assert asked.statuses == [200, 401]
    assert [each.outcome for each in asked.sink.records] == ["ok", "AuthenticationError"]
