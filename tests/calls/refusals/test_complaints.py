"""Refusals as real servers word them; the names are those of `COMPLAINTS`."""

from __future__ import annotations

from typing import Any

import pytest

from agentmaker.calls.forms.dialects import DEFAULT, Dialect
from agentmaker.calls.refusals.complaints import COMPLAINTS, answers, complaints_in
from tests.calls.refusing import refusal

WORDINGS: dict[str, list[Any]] = {
    "the cap's newer name": [
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "'max_tokens' is not supported with reasoning models. Use 'max_completion_tokens'.",
    ],
    "the cap's older name": [
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"],
                     "msg": "Extra inputs are not permitted", "input": 32000}]},
        "Unrecognized request argument supplied: max_completion_tokens",
    ],
    "two caps": ["Only one of max_tokens and max_completion_tokens may be set."],
    "missing thoughts": [
        "Missing `reasoning_content` field in the assistant message at message index 2.",
        "The reasoning_content in the thinking mode must be passed back to the API.",
        "thinking is enabled but reasoning_content is missing in assistant tool call message",
    ],
    "thoughts": [
        "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : "
        "property 'reasoning_content' is unsupported)]",
        {"object": "error", "message": {"detail": [
            {"type": "extra_forbidden", "loc": ["messages", 3, "assistant", "reasoning_content"],
             "msg": "Extra inputs are not permitted", "input": "hm"}]}},
        "'messages.2' : property 'reasoning' is unsupported",
        {"detail": [{"type": "extra_forbidden", "msg": "Extra inputs are not permitted",
                     "loc": ["body", "messages", 2, "assistant", "reasoning"]}]},
        {"error": {"message": "Unknown field: reasoning_content", "param": "messages[1]"}},
    ],
    "the developer role": [
        "messages[0].role: unknown variant `developer`, expected one of `system`, `user`, "
        "`assistant`, `tool` at line 1 column 85",
        "developer is not one of ['system', 'assistant', 'user', 'tool'] - 'messages.[0].role'",
        "Unknown role: developer",
        "Only user, assistant and tool roles are supported, got developer.",
        "Input tag 'developer' found using 'role' does not match any of the expected tags",
        [{"error": {"code": 400, "status": "INVALID_ARGUMENT",
                    "message": "Developer instruction is not enabled for models/gemma-3-27b-it"}}],
    ],
    "the system role": [
        {"object": "error", "message": "System role not supported", "code": 400},
        "The role 'system' is not supported by this model.",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "This model does not support system prompts.",
        "System messages are not supported when using gemma",
        "Only user, assistant and tool roles are supported, got system.",
    ],
    "a role": [
        {"error": {"code": "1214", "message": "角色信息不正确"}},
        "invalid request: unsupported role ROLE_UNSPECIFIED",
        "chat template rejected the request: Unexpected message role.",
        "Please use a valid role: user, model.",
        "Only user and assistant roles are supported, with the exception of an initial optional "
        "system message!",
        "Only system, user, assistant, and tool roles are supported!",
        "Only user, assistant and tool roles are supported, got function",
        "Only user, systemm assistant and tool roles are supported in the custom template",
        "Jinja Exception: Invalid message role",
    ],
    "a role beside user and assistant": ["Only user and assistant roles are supported!"],
    "a role beside system, user and assistant": [
        "Only user, system and assistant roles are supported!",
    ],
    "a system message that is not first": [
        "Chat template error: System message must be at the beginning.",
        "Unexpected role 'system' after role 'user'",
        "Only one system message is allowed.",
    ],
    "roles that do not alternate": [
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "After the optional system message, conversation roles must alternate "
        "user/assistant/user/assistant/...",
    ],
    "a turn that is missing": [
        "After the optional system message, conversation roles must alternate user and assistant "
        "roles except for tool calls and results.",
        "Roles must alternate user/assistant, except for tool calls and results.",
        "Unexpected role 'user' after role 'tool'",
        'messages: roles must alternate between "user" and "assistant", '
        'but found multiple "user" roles in a row',
        'messages: first message must use the "user" role',
        "Please ensure that multiturn requests alternate between user and model.",
        "Please ensure that function call turn comes immediately after a user turn.",
        'Error rendering prompt with jinja template: "No user query found in messages."',
        "Cannot put tools in the first user message when there's no first user message!",
        "first content should be with role 'user', got 'model'",
    ],
    "an answer at the end": [
        "Expected last role to be one of: [tool, user] but got assistant",
        "Expected last role User or Tool (or Assistant with prefix True) but got assistant",
        "This model does not support assistant message prefill. "
        "The conversation must end with a user message.",
        "Cannot have 2 or more assistant messages at the end of the list.",
    ],
    "content that is no string": [
        "Invalid value for 'content': expected a string, got null.",
        "invalid message content type: <nil>",
        {"error": "Invalid 'content': 'content' field must be a string or an array of objects."},
        "messages[0].content: invalid type: sequence, expected a string at line 5 column 19",
        {"detail": [{"type": "string_type", "loc": ["body", "messages", 1, "content"],
                     "msg": "Input should be a valid string", "input": "invalid system role"}]},
    ],
    "no content": [
        'can only concatenate str (not "NoneType") to str',
        "unsupported operand type(s) for +: 'NoneType' and 'str'",
        "argument of type 'NoneType' is not iterable",
        "'None' has no attribute 'strip'",
        "None has no element 0",
        "list object has no element 0",
        "[json.exception.type_error.302] type must be string, but is null",
    ],
    "content in parts": [
        'can only concatenate str (not "list") to str',
        'can only concatenate list (not "str") to list',
        "'list object' has no attribute 'strip'",
        "[json.exception.type_error.302] type must be string, but is array",
        "Jinja Exception: Invalid user message: user",
    ],
    "too few messages": ["list object has no element 1", "list object has no element -1"],
    "arguments that were parsed": ['can only concatenate str (not "dict") to str'],
    "blank text": [
        "messages: text content blocks must be non-empty",
        "messages: text content blocks must contain non-whitespace text",
        "The text field in the ContentBlock object at messages.2.content.0 is blank.",
    ],
    "several calls at once": [
        "Jinja Exception: This model only supports single tool-calls at once!",
        "Parallel tool calls are not supported by this model.",
    ],
    "calls without tools": [
        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        "Anthropic expects the `tools=` param to be passed in.",
        'messages: Unexpected role "tool". Allowed roles are "user" or "assistant".',
        "Tool call arguments must be a mapping, got a JSON-encoded string",
        {"error": {"message": "Extra inputs are not permitted: tool_calls",
                   "param": "messages[1].tool_calls"}},
        "tool messages are not supported by this model",
    ],
    "the id of a call": [
        "Tool call id was call_1740241912345 but must be a-z, A-Z, 0-9, with a length of 9.",
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected at most 40.",
    ],
}  # fmt: skip

OTHERS = [
    ("messages with role 'tool' must be a response to a preceding message with 'tool_calls'.", 400),
    ("An assistant message with 'tool_calls' must be followed by tool messages responding to each "
     "'tool_call_id'.", 400),
    ("max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000", 400),
    ("max_tokens is too large: 100000. This model supports at most 16384 completion tokens.", 400),
    ("max_tokens must be at least 1, got -186.", 400),
    ("This model's maximum context length is 4097 tokens. However, your messages resulted in 4363 "
     "tokens. Please reduce the length of the messages.", 400),
    ("Unsupported parameter: 'reasoning_effort' is not supported with this model.", 400),
    ("Unsupported parameter: 'parallel_tool_calls' is not supported with this model.", 400),
    ("Unsupported value: 'temperature' does not support 0.2 with this model.", 400),
    ("Missing required parameter: 'messages'.", 400),
    ("This model does not support image input.", 400),
    ("The model `gpt-9` does not exist or you do not have access to it.", 404),
    ("Incorrect API key provided", 401),
    ("Rate limit reached for the developer role", 429),
    ("The server had an error while processing your request: role is invalid", 500),
]  # fmt: skip

ABOUT_THE_REQUEST = [
    "logprobs are not supported with reasoning models",
    "'temperature' is not supported with reasoning models",
    "This reasoning model does not support presence_penalty.",
    "reasoning.summary must be one of 'auto', 'concise', 'detailed'",
    "reasoning.max_tokens must be at least 1024",
    "reasoning.max_tokens is not supported by this model",
    "reasoning token budget must be positive",
    "Invalid value for reasoning: expected an object",
    "Reasoning is required for this model and cannot be turned off.",
    "reasoning_effort 'minimal' is not supported; it must be one of low, medium, high",
    "Streaming reasoning_content is not supported",
    "Tool use is not supported with streaming",
    "Tool calling is not supported by this model",
    "Tool calls are not supported with logprobs",
    "This model does not support function calling with system prompt caching",
    "System prompt caching is not supported",
    "System instructions are not supported together with cached content",
    "parallel_tool_calls is unsupported",
    "Parallel tool calls are not supported with structured outputs",
    "Only one tool choice is supported",
    "tool_choice 'required' is not supported",
    "tool_choice must be one of none, auto: a single function cannot be forced",
    "tool_choice requires the `tools` param to be passed",
    "response_format json_schema is not supported with tools",
    "response_format json_schema with tool_calls is not supported",
    "max_tokens is not supported when stream is true",
    "role 'developer' not allowed for this resource",
    "Your role is not permitted to use this model",
    "The role arn:aws:iam::1:role/x is not valid",
    "Unsupported operating system message",
    "The file system role is not supported",
    "file system message: not permitted",
    "Invalid content type of the HTTP request: expected a string",
    "Content-Type header is required",
    "Content-Length is missing",
    "Unknown content type application/xml",
    "Image content is not supported",
    "video content must be a string that holds a URL",
    "The user quota for tool calls is not specified",
    "tools.0.description: text must be non-empty",
    "Alternatively, remove the message; this user is not supported",
    "Please begin by verifying the user; messages are refused until then",
    "chunked prefill is not supported",
    "System prompt is too long: it must be no more than 4096 characters",
    "Structured outputs are not supported when tool results are cached",
    "user messages: too many consecutive requests by this user",
    "role must be one of owner, reader",
    {"error": {"message": "Not supported with the system role", "param": "temperature"}},
    {"detail": [{"loc": ["body", "tool_choice"], "type": "value_error",
                 "msg": "roles must alternate"}]},
]  # fmt: skip


@pytest.mark.parametrize(("name", "body"), [(n, b) for n, all in WORDINGS.items() for b in all])
def test_what_a_refusal_is_about_is_read_out_of_its_words(name, body):
    assert complaints_in(refusal(body))[0].name == name


def test_every_complaint_has_a_wording():
    assert {each.name for each in COMPLAINTS} == WORDINGS.keys()


@pytest.mark.parametrize(("words", "status"), OTHERS)
def test_other_errors_say_nothing_about_the_form_of_the_history(words, status):
    assert complaints_in(refusal(words, status)) == ()


@pytest.mark.parametrize("body", ABOUT_THE_REQUEST)
def test_parameters_and_features_that_exclude_each_other_are_not_the_history_s_form(body):
    assert complaints_in(refusal(body)) == ()


def test_a_template_that_raises_may_come_as_a_500():
    words = "Jinja Exception: After the optional system message, conversation roles must alternate"
    found = complaints_in(refusal({"error": {"code": 500, "message": words}}, 500))
    assert [each.name for each in found] == ["a turn that is missing"]


def test_an_error_that_no_server_sent_is_no_complaint():
    assert complaints_in(ValueError("system role not supported")) == ()


@pytest.mark.parametrize("complaint", COMPLAINTS, ids=lambda complaint: complaint.name)
def test_every_complaint_can_be_answered_and_the_answer_is_another_dialect(complaint):
    given = Dialect(ends="asking", learns=True)
    found = list(answers(complaint, given))
    assert found
    assert given not in found
    assert all(each.learns and each.name == DEFAULT.name for each in found)


def test_no_answer_puts_system_messages_back_where_an_earlier_one_took_them_away():
    without = Dialect(system="user")
    for complaint in COMPLAINTS:
        assert {each.system for each in answers(complaint, without)} <= {"user"}
