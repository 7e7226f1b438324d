from __future__ import annotations

import json

import pytest

from agentmaker import Agent, Message
from agentmaker.calls.call import Reply, Usage
from agentmaker.calls.middleware import Model
from agentmaker.testing import ScriptedLLM

QUESTION = [{"role": "user", "content": "q"}]

pytestmark = pytest.mark.anyio


async def test_text_is_answered_one_item_a_call():
    llm = ScriptedLLM(["one", "two"])

    replies = [await llm.chat(QUESTION), await llm.chat(QUESTION)]

    assert [reply.content for reply in replies] == ["one", "two"]
    assert {reply.finish_reason for reply in replies} == {"stop"}
    assert all(reply.settled for reply in replies)


async def test_it_remembers_what_it_was_sent_as_plain_dictionaries():
    llm = ScriptedLLM(["ok"])
    history = [Message(content="rules", role="system"), {"role": "user", "content": ["a"]}]
    tools = [{"type": "function", "function": {"name": "f"}}]

    await llm.chat(history, tools=tools, temperature=0)
    history[1]["content"].append("changed later")
    tools.clear()

    (call,) = llm.calls
    assert call == {
        "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": ["a"]}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "params": {"temperature": 0},
    }


async def test_a_scripted_tool_call_arrives_as_one():
    llm = ScriptedLLM([ScriptedLLM.tool_call("add", {"a": 1}, call_id="c9")])

    reply = await llm.chat(QUESTION)

    (call,) = reply.tool_calls
    assert (call.id, call.name, json.loads(call.arguments)) == ("c9", "add", {"a": 1})
    assert (reply.content, reply.finish_reason) == (None, "tool_calls")


async def test_broken_arguments_can_be_scripted():
    llm = ScriptedLLM([ScriptedLLM.tool_call("rm", '{"path": "/a')])

    assert (await llm.chat(QUESTION)).tool_calls[0].arguments == '{"path": "/a'


async def test_the_default_call_id_is_call_1():
    assert ScriptedLLM.tool_call("f", {}).tool_calls[0].id == "call_1"


@pytest.mark.parametrize(
    "item",
    [
        Reply(content="yes", usage=Usage(prompt_tokens=3), finish_reason="length"),
        {
            "choices": [
                {"message": {"role": "assistant", "content": "yes"}, "finish_reason": "length"}
            ],
            "usage": {"prompt_tokens": 3},
        },
    ],
    ids=["reply", "completion"],
)
async def test_a_full_response_keeps_its_finish_and_usage(item):
    reply = await ScriptedLLM([item]).chat(QUESTION)

    assert (reply.content, reply.finish_reason) == ("yes", "length")
    assert reply.usage is not None
    assert reply.usage.prompt_tokens == 3


async def test_an_sdk_completion_can_be_scripted_alone_or_in_a_list():
    from openai.types.chat import ChatCompletion

    message = {"role": "assistant", "content": "yes"}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    completion = ChatCompletion.model_validate(
        {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    )

    assert (await ScriptedLLM([completion]).chat(QUESTION)).content == "yes"
    assert (await ScriptedLLM(completion).chat(QUESTION)).content == "yes"


async def test_a_message_with_reasoning_keeps_it():
    llm = ScriptedLLM([{"role": "assistant", "content": "a", "reasoning_content": "r"}])

    assert (await llm.chat(QUESTION)).reasoning == "r"


async def test_a_reply_used_twice_is_a_new_object_each_time():
    reply = ScriptedLLM.tool_call("f", {})
    llm = ScriptedLLM([reply, reply])

    assert await llm.chat(QUESTION) is not await llm.chat(QUESTION)


@pytest.mark.parametrize("item", [KeyError("gone"), KeyError], ids=["instance", "class"])
async def test_an_exception_is_raised_and_the_call_remembered(item):
    llm = ScriptedLLM([item, "after"])

    with pytest.raises(KeyError):
        await llm.chat(QUESTION)

    assert (await llm.chat(QUESTION)).content == "after"
    assert len(llm.calls) == 2


async def test_one_function_answers_every_call():
    llm = ScriptedLLM(lambda messages: messages[-1]["content"] * 2)

    assert [(await llm.chat(QUESTION)).content for _ in range(3)] == ["qq"] * 3


async def test_a_function_in_a_list_answers_its_turn():
    llm = ScriptedLLM(["first", lambda messages: ValueError("second")])
    await llm.chat(QUESTION)

    with pytest.raises(ValueError, match="second"):
        await llm.chat(QUESTION)


async def test_a_used_up_script_says_so():
    llm = ScriptedLLM(["only"])
    await llm.chat(QUESTION)

    with pytest.raises(AssertionError, match="called 2 times, but its script has 1 repl"):
        await llm.chat(QUESTION)


async def test_without_a_script_the_first_call_fails():
    with pytest.raises(AssertionError, match="its script has 0 replies"):
        await ScriptedLLM(context_window=200_000).chat(QUESTION)


async def test_one_text_instead_of_a_list_is_one_reply():
    assert (await ScriptedLLM("hello").chat(QUESTION)).content == "hello"


async def test_rubbish_in_a_script_is_named():
    with pytest.raises(TypeError, match="not int"):
        await ScriptedLLM([5]).chat(QUESTION)
    with pytest.raises(TypeError, match="'text'"):
        await ScriptedLLM([{"text": "hi"}]).chat(QUESTION)


def test_it_is_a_model_with_the_documented_attributes():
    llm = ScriptedLLM(context_window=200_000)

    assert isinstance(llm, Model)
    assert (llm.model, llm.provider) == ("test", "test")
    assert (llm.context_window, llm.max_output_tokens) == (200_000, None)


async def test_an_agent_on_it_knows_its_window(caplog):
    await Agent("clerk", ScriptedLLM(["Tea."], model="a-double-nobody-warned-of")).arun("What?")
    assert caplog.messages == []
