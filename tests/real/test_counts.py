"""What is counted against what llama.cpp counts, for whole requests.

The model's token is a byte, and its template prints four tokens around a message and three to
open the reply, as `agentmaker.context.measure` has it. So only this differs:

- a call's JSON around name and arguments takes 29 here, and 8 are counted: 21 too few a call;
- tools cost the four marks and line ends around them, or a system message where there is none;
- the response format is no text here, so its tokens are too many.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentmaker.context.measure import REPLY_PRIMING, messages_tokens
from agentmaker.messages import read_messages
from tests.real.asking import BYTES, TOOL, asking
from tests.real.talk import assistant, called, system, user

pytestmark = pytest.mark.anyio

CALL, TOOLS, SYSTEM = 21, 4, 4


SYSTEM_MESSAGE = system("Be brief.")
TALK = [user("Where is W-007?"), assistant("In customs."), user("Still?")]
UNICODE = "Wo ist 订单 W-007? 🚚 – naïve ﷽\u0301"
FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "order", "schema": TOOL["function"]["parameters"]},
}

REQUESTS = {
    "a question": ([user("Hello")], {}),
    "a talk": ([SYSTEM_MESSAGE, *TALK], {}),
    "a talk in many scripts": ([SYSTEM_MESSAGE, *TALK[:2], user(UNICODE)], {}),
    "content parts": ([user([{"type": "text", "text": UNICODE}])], {}),
    "tools": ([SYSTEM_MESSAGE, *TALK], {"tools": [TOOL]}),
    "two tools and no system message": (TALK, {"tools": [TOOL, TOOL]}),
    "a call": ([SYSTEM_MESSAGE, *TALK, *called("c1")], {"tools": [TOOL]}),
    "a call with text": ([SYSTEM_MESSAGE, *TALK, *called("c1", content="Let me look.")], {}),
    "calls side by side": ([*TALK, *called("c1", "c2", "c3")], {"tools": [TOOL]}),
    "a call in another script": (
        [*TALK, *called("c1", arguments=f'{{"id": "{UNICODE}"}}')],
        {"tools": [TOOL]},
    ),
    "a response format": ([SYSTEM_MESSAGE, *TALK], {"response_format": FORMAT}),
    "everything": (
        [SYSTEM_MESSAGE, *TALK, *called("c1", "c2"), *called("c3")],
        {"tools": [TOOL], "response_format": FORMAT},
    ),
}


def framing(body):
    """What the model's template prints beyond what is counted."""
    calls = sum(len(message.get("tool_calls") or ()) for message in body["messages"])
    leads = body["messages"][0]["role"] == "system"
    tools = TOOLS + (0 if leads else SYSTEM) if body.get("tools") else 0
    return CALL * calls + tools


@pytest.mark.parametrize(("messages", "params"), REQUESTS.values(), ids=REQUESTS)
async def test_a_request_is_counted_as_its_server_counts_it_but_for_its_templates_framing(
    llama, messages, params
):
    async with asking(llama) as asked:
        answer = await asked(messages, **params)
    (record,), (body,) = asked.sink.records, asked.sent
    counted = record.ledger.estimate - record.ledger["response_format"].used + framing(body)
    assert (
        counted == llama.counted(body) == answer.usage.prompt_tokens == record.usage.prompt_tokens
    )


# Without NUL, of which llama.cpp loses "\0\1" as a whole, though neither of the two alone.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents=st.lists(st.text(CHARACTERS), min_size=1))
def test_texts_of_any_kind_are_counted_to_the_token(llama, contents):
    roles = (
        "assistant",
        "user",
    )  # the user speaks last: an answer of its own would be gone on with
    messages = [
        {"role": roles[(len(contents) - n) % 2], "content": text} for n, text in enumerate(contents)
    ]
    ours = messages_tokens(read_messages(messages), BYTES) + REPLY_PRIMING
    assert llama.counted({"messages": messages}) == ours
