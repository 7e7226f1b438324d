"""What leaves a wrapped client, through the chat templates of many families: none refuses it."""

from __future__ import annotations

import openai
import pytest

from tests.real.asking import TOOL, asking
from tests.real.gguf_model import ANSWER
from tests.real.llama import serving
from tests.real.talk import assistant, called, system, talk, tool_loop, user
from tests.real.templates import TEMPLATES

pytestmark = pytest.mark.anyio

WINDOW = 8_192
SMALL = 2_000

BRIEF = system("Be brief.")
THOUGHT = {"reasoning_content": "Hm. W-007?"}
LONG = talk(12, size=200)

CONVERSATIONS = {
    "a question": [user("Where is it?")],
    "a talk": [BRIEF, *talk(2, size=50), user("Now?")],
    "a system message alone": [BRIEF],
    "a developer's message": [{"role": "developer", "content": "Be brief."}, user("Where?")],
    "two leading system messages": [BRIEF, system("Be kind."), user("Where?")],
    "a system message in the middle": [
        BRIEF, *talk(1, size=50), system("It is late."), user("Now?")
    ],
    "a system message at the end": [BRIEF, *talk(1, size=50), user("Now?"), system("It is late.")],
    "two questions in a row": [BRIEF, user("Where?"), user("And when?")],
    "two answers in a row": [BRIEF, user("Where?"), assistant("In"), assistant("it"), user("?")],
    "an assistant that begins": [assistant("Hello!"), user("Where?")],
    "a system message and an assistant that begins": [BRIEF, assistant("Hello!"), user("Where?")],
    "a tool loop": [BRIEF, user("Where?"), *tool_loop(3, size=50)],
    "a tool loop without a system message": [user("Where?"), *tool_loop(3, size=50)],
    "calls with text": [BRIEF, user("Where?"), *tool_loop(2, size=50, content="Let me look.")],
    "calls side by side": [BRIEF, user("Where?"), *called("call_a", "call_b"), *called("call_c")],
    "a tool loop and the next question": [
        BRIEF, user("Where?"), *tool_loop(2, size=50), assistant("In customs."), user("When?")
    ],
    "a question right after a result": [BRIEF, user("Where?"), *called("call_a"), user("When?")],
    "thoughts": [
        BRIEF, user("Where?"), assistant("In customs.", **THOUGHT), user("When?"),
        *tool_loop(2, size=50, **THOUGHT),
    ],
    "thoughts in the content": [
        BRIEF, user("Where?"), assistant("<think>\nHm.\n</think>\n\nIn customs."), user("When?")
    ],
    "content parts": [
        system([{"type": "text", "text": "Be brief."}]), user([{"type": "text", "text": "Where?"}])
    ],
}  # fmt: skip

TOO_LONG = {
    "a talk": [BRIEF, *LONG, user("Now?")],
    "a talk without a system message": [*LONG, user("Now?")],
    "a talk that an assistant begins": [BRIEF, assistant("Hello!"), *LONG, user("Now?")],
    "a tool loop": [BRIEF, user("Where?"), *tool_loop(15, size=200)],
    "a tool loop after a talk": [BRIEF, *LONG, user("Where?"), *tool_loop(10, size=200)],
    "tool loops of earlier turns": [BRIEF, *tool_loop(10, size=200), *LONG, user("Now?")],
}

STRICTEST = {
    "apertus-8b-instruct": "two leading system messages",
    "command-r": "an assistant that begins",
    "gemma-2-9b-it": "a tool loop",
    "gemma-3-12b-it": "two answers in a row",
    "llama-2-7b-chat": "two questions in a row",
    "llama-3.1-8b-instruct": "calls side by side",
    "ministral-3-14b-instruct": "a question right after a result",
    "mistral-7b-instruct-v0.1": "a tool loop without a system message",
    "mistral-nemo-instruct-2407": "a tool loop and the next question",
    "mistral-small-24b-instruct-2501": "a tool loop",
    "nemotron-h-8b-reasoning": "calls with text",
    "qwen3.5-9b": "two leading system messages",
}
"""What a template refuses that is sent as it is."""


def tools_of(messages):
    calls = any(message.get("tool_calls") for message in messages)
    return {"tools": [TOOL]} if calls else {}


async def refusals(llama, model, conversations, window):
    """What the server said to each conversation that it did not answer."""
    said = {}
    async with asking(llama, window=window) as asked:
        for name, messages in conversations.items():
            try:
                answer = await asked(messages, model=model, **tools_of(messages))
            except openai.APIStatusError as error:
                said[name] = error.message
            else:
                assert answer.choices[0].message.content == ANSWER
    assert len(asked.statuses) == len(conversations)
    return said, [bool(record.ledger.reductions) for record in asked.sink.records]


@pytest.mark.parametrize("name", TEMPLATES)
async def test_a_template_refuses_no_conversation_whole_or_cut(model, name):
    with serving(model, window=WINDOW, template=TEMPLATES[name]) as llama:
        said, cut = await refusals(llama, name, CONVERSATIONS, WINDOW)
        assert (said, any(cut)) == ({}, False)
        said, cut = await refusals(llama, name, TOO_LONG, SMALL)
        assert (said, all(cut)) == ({}, True)


@pytest.mark.parametrize("name", TEMPLATES)
async def test_what_the_template_of_an_unknown_model_refuses_is_said_as_it_asks(model, name):
    with serving(model, window=WINDOW, template=TEMPLATES[name]) as llama:
        async with asking(llama, window=WINDOW) as asked:
            for messages in CONVERSATIONS.values():
                await asked(messages, model="m", **tools_of(messages))
                assert asked.statuses[-1] == 200


@pytest.mark.parametrize(("name", "refused"), STRICTEST.items(), ids=STRICTEST)
async def test_a_strict_template_refuses_what_is_sent_as_it_is(model, name, refused):
    with serving(model, window=WINDOW, template=TEMPLATES[name]) as llama:
        async with llama.client() as client:
            with pytest.raises(openai.APIStatusError, match="Jinja Exception"):
                await client.chat.completions.create(
                    model=name, messages=CONVERSATIONS[refused], max_tokens=64
                )
