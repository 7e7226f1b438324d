"""Chat templates of model families: what each family renders and what it refuses.

Written anew, as short as their rules allow: the markers are shortened, the checks are the
family's own, and so are the places where a template trips over what it was not made for.
"""

from __future__ import annotations

# Any order, any role: plain ChatML (Qwen 1.5 and 2, Yi, SmolLM 2).
CHATML = """
{%- for message in messages -%}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}
"""

_HERMES_TOOLS = """
{%- if tools -%}
<|im_start|>system
{% if messages[0].role == "system" %}{{ messages[0].content + "\n\n" }}{% endif -%}
# Tools

You may call functions, described within <tools></tools>:
<tools>
{% for tool in tools %}{{ tool | tojson }}
{% endfor -%}
</tools>

To call one, write a JSON object within <tool_call></tool_call>:
<tool_call>
{"name": <name>, "arguments": <arguments>}
</tool_call><|im_end|>
{% elif messages[0].role == "system" -%}
<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif -%}
"""

_HERMES_CALLS = """
{%- for call in message.tool_calls -%}
{%- set function = call.function %}
<tool_call>
{"name": "{{ function.name }}", "arguments": {{ function.arguments | tojson }}}
</tool_call>
{%- endfor -%}
"""

_HERMES_RESULT = """
{%- if loop.first or messages[loop.index0 - 1].role != "tool" -%}<|im_start|>user{%- endif %}
<tool_response>
{{ message.content }}
</tool_response>
{%- if loop.last or messages[loop.index0 + 1].role != "tool" -%}<|im_end|>
{% endif -%}
"""

# Tools in the first system message, calls and results as tagged text: Hermes, Qwen 2.5.
HERMES = (
    _HERMES_TOOLS
    + """
{%- for message in messages -%}
{%- if message.role == "user" or (message.role == "system" and not loop.first)
    or (message.role == "assistant" and not message.tool_calls) -%}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% elif message.role == "assistant" -%}
<|im_start|>assistant
{%- if message.content %}
{{ message.content }}{% endif -%}
"""
    + _HERMES_CALLS
    + """<|im_end|>
{% elif message.role == "tool" -%}
"""
    + _HERMES_RESULT
    + """
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}
"""
)

# Looks for the thoughts inside every assistant's content, null or not: Qwen 3, QwQ.
QWEN3 = (
    _HERMES_TOOLS
    + """
{%- set found = namespace(query=messages | length - 1, looking=true) -%}
{%- for message in messages[::-1] -%}
{%- if found.looking and message.role == "user" and not (
    message.content.startswith("<tool_response>")
    and message.content.endswith("</tool_response>")) -%}
{%- set found.looking = false -%}
{%- set found.query = messages | length - 1 - loop.index0 -%}
{%- endif -%}
{%- endfor -%}
{%- for message in messages -%}
{%- if message.role == "user" or (message.role == "system" and not loop.first) -%}
<|im_start|>{{ message.role }}
{{ message.content + "<|im_end|>" }}
{% elif message.role == "assistant" -%}
{%- set content = message.content -%}
{%- set thought = "" -%}
{%- if message.reasoning_content is defined and message.reasoning_content is not none -%}
{%- set thought = message.reasoning_content -%}
{%- elif "</think>" in message.content -%}
{%- set content = message.content.split("</think>")[-1].lstrip("\n") -%}
{%- set thought = message.content.split("</think>")[0].split("<think>")[-1] -%}
{%- endif -%}
<|im_start|>assistant
{% if loop.index0 > found.query and (loop.last or thought) -%}
<think>
{{ thought.strip("\n") }}
</think>

{{ content.lstrip("\n") }}
{%- else -%}{{ content }}{%- endif -%}
"""
    + _HERMES_CALLS
    + """<|im_end|>
{% elif message.role == "tool" -%}
"""
    + _HERMES_RESULT
    + """
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}
"""
)

# One system message, at the beginning; a question must be there; no other roles: Qwen 3.5 on.
QWEN3_5 = (
    """
{%- macro text(content) -%}
{%- if content is string -%}{{ content }}
{%- elif content is iterable and content is not mapping -%}
{%- for part in content -%}{{ part.text }}{%- endfor -%}
{%- elif content is none or content is undefined -%}
{%- else -%}{{ raise_exception("Unexpected content type.") }}{%- endif -%}
{%- endmacro -%}
{%- if not messages -%}{{ raise_exception("No messages provided.") }}{%- endif -%}
{%- set found = namespace(query=false) -%}
{%- for message in messages -%}
{%- if message.role == "user" and not text(message.content).startswith("<tool_response>") -%}
{%- set found.query = true -%}
{%- endif -%}
{%- endfor -%}
{%- if not found.query -%}
{{ raise_exception("No user query found in messages.") }}
{%- endif -%}
"""
    + _HERMES_TOOLS
    + """
{%- for message in messages -%}
{%- if message.role == "system" -%}
{%- if not loop.first -%}
{{ raise_exception("System message must be at the beginning.") }}
{%- endif -%}
{%- elif message.role == "user" -%}
<|im_start|>user
{{ text(message.content) }}<|im_end|>
{% elif message.role == "assistant" -%}
<|im_start|>assistant
{{ text(message.content) }}
"""
    + _HERMES_CALLS
    + """<|im_end|>
{% elif message.role == "tool" -%}
"""
    + _HERMES_RESULT
    + """
{%- else -%}
{{ raise_exception("Unexpected message role.") }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}
"""
)

# A system message inside the first question, strict turns, `strip` on every content: Llama 2.
LLAMA2 = """
{%- if messages[0].role == "system" -%}
{%- set said = messages[1:] -%}{%- set system = messages[0].content -%}
{%- else -%}
{%- set said = messages -%}{%- set system = "" -%}
{%- endif -%}
{%- for message in said -%}
{%- if (message.role == "user") != (loop.index0 % 2 == 0) -%}
{{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
{%- endif -%}
{%- if loop.first and system -%}
{%- set content = "<<SYS>>\n" + system + "\n<</SYS>>\n\n" + message.content -%}
{%- else -%}
{%- set content = message.content -%}
{%- endif -%}
{%- if message.role == "user" -%}<s>[INST] {{ content.strip() }} [/INST]
{%- elif message.role == "assistant" %} {{ content.strip() }} </s>{%- endif -%}
{%- endfor -%}
"""

# One call a message, and the tools stand in the first user message: Llama 3.1 to 3.3.
LLAMA3_1 = """
{%- set system = "" -%}
{%- if messages[0].role == "system" -%}
{%- set system = messages[0].content | trim -%}
{%- set messages = messages[1:] -%}
{%- endif -%}
<s><|system|>

{{ system }}<|eot|>
{%- if tools -%}
{%- if messages | length == 0 -%}
{{ raise_exception("Cannot put tools in the first user message when there is none!") }}
{%- endif -%}
{%- set first = messages[0].content | trim -%}
{%- set messages = messages[1:] -%}
<|user|>

Answer with a call: {"name": function name, "parameters": dictionary of arguments}.
{% for tool in tools %}{{ tool | tojson(indent=4) }}
{% endfor %}{{ first }}<|eot|>
{%- endif -%}
{%- for message in messages -%}
{%- if not (message.role == "ipython" or message.role == "tool" or "tool_calls" in message) -%}
<|{{ message.role }}|>

{{ message.content | trim }}<|eot|>
{%- elif "tool_calls" in message -%}
{%- if message.tool_calls | length != 1 -%}
{{ raise_exception("This model only supports single tool-calls at once!") }}
{%- endif -%}
{%- set call = message.tool_calls[0].function -%}
<|assistant|>

{"name": "{{ call.name }}", "parameters": {{ call.arguments | tojson }}}<|eot|>
{%- else -%}
<|ipython|>

{{ message.content }}<|eot|>
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>

{% endif -%}
"""

# No system message, no tools, strict turns: Mistral 7B v0.1 and v0.2.
MISTRAL_V1 = """<s>
{%- for message in messages -%}
{%- if (message.role == "user") != (loop.index0 % 2 == 0) -%}
{{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
{%- endif -%}
{%- if message.role == "user" -%}[INST] {{ message.content }} [/INST]
{%- elif message.role == "assistant" -%}{{ message.content + "</s>" }}
{%- else -%}{{ raise_exception("Only user and assistant roles are supported!") }}{%- endif -%}
{%- endfor -%}
"""

# Strict turns beside the tool traffic, call ids of nine characters: Mistral 7B v0.3, Nemo.
MISTRAL_V3 = """
{%- if messages[0].role == "system" -%}
{%- set system = messages[0].content -%}{%- set said = messages[1:] -%}
{%- else -%}
{%- set said = messages -%}
{%- endif -%}
{%- set questions = said | selectattr("role", "equalto", "user") | list -%}
{%- set turns = namespace(index=0) -%}
{%- for message in said -%}
{%- if not (message.role == "tool"
    or (message.tool_calls is defined and message.tool_calls is not none)) -%}
{%- if (message.role == "user") != (turns.index % 2 == 0) -%}
{{ raise_exception("After the optional system message, conversation roles must alternate "
   + "user/assistant/user/assistant/...") }}
{%- endif -%}
{%- set turns.index = turns.index + 1 -%}
{%- endif -%}
{%- endfor -%}
<s>
{%- for message in said -%}
{%- if message.role == "user" -%}
{%- if tools and message == questions[-1] -%}
[AVAILABLE_TOOLS]{{ tools | tojson }}[/AVAILABLE_TOOLS]
{%- endif -%}
[INST]
{%- if loop.last and system is defined -%}{{ system + "\n\n" }}{%- endif -%}
{{ message.content }}[/INST]
{%- elif message.tool_calls is defined and message.tool_calls is not none -%}
[TOOL_CALLS][
{%- for call in message.tool_calls -%}
{%- if call.id is not defined or call.id | length != 9 -%}
{{ raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}
{%- endif -%}
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}, "id": "
{{- call.id }}"}{%- if not loop.last %}, {% endif -%}
{%- endfor -%}
]</s>
{%- elif message.role == "assistant" -%}{{ message.content + "</s>" }}
{%- elif message.role == "tool" -%}
{%- if message.tool_call_id is not defined or message.tool_call_id | length != 9 -%}
{{ raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}
{%- endif -%}
[TOOL_RESULTS]{"content": {{ message.content | tojson }}, "call_id": "
{{- message.tool_call_id }}"}[/TOOL_RESULTS]
{%- else -%}
{{ raise_exception("Only user and assistant roles are supported, with the exception of an "
   + "initial optional system message!") }}
{%- endif -%}
{%- endfor -%}
"""

# Strict turns beside the tool traffic, and nothing empty: Ministral 3, Devstral 2.
MINISTRAL3 = """<s>
{%- if messages[0].role == "system" -%}
[SYSTEM_PROMPT]
{%- if messages[0].content is string -%}{{ messages[0].content }}
{%- else -%}
{%- for part in messages[0].content -%}
{%- if part.type == "text" -%}{{ part.text }}
{%- else -%}{{ raise_exception("Only text chunks are supported in system messages.") }}{%- endif -%}
{%- endfor -%}
{%- endif -%}
[/SYSTEM_PROMPT]
{%- set said = messages[1:] -%}
{%- else -%}
{%- set said = messages -%}
{%- endif -%}
{%- if tools -%}[AVAILABLE_TOOLS]{{ tools | tojson }}[/AVAILABLE_TOOLS]{%- endif -%}
{%- set turns = namespace(index=0) -%}
{%- for message in said -%}
{%- if message.role == "user" or (message.role == "assistant" and not message.tool_calls) -%}
{%- if (message.role == "user") != (turns.index % 2 == 0) -%}
{{ raise_exception("After the optional system message, conversation roles must alternate user "
   + "and assistant roles except for tool calls and results.") }}
{%- endif -%}
{%- set turns.index = turns.index + 1 -%}
{%- endif -%}
{%- endfor -%}
{%- for message in said -%}
{%- if message.role == "user" -%}
{%- if not message.content -%}
{{ raise_exception("User message must have a string or a list of chunks in content") }}
{%- endif -%}
[INST]{{ message.content }}[/INST]
{%- elif message.role == "assistant" -%}
{%- if not message.content and not message.tool_calls -%}
{{ raise_exception("Assistant message must have content or a list of tool calls.") }}
{%- endif -%}
{%- if message.content -%}{{ message.content }}{%- endif -%}
{%- for call in message.tool_calls or [] -%}
[TOOL_CALLS]{{ call.function.name }}[ARGS]{{ call.function.arguments | tojson }}
{%- endfor -%}
</s>
{%- elif message.role == "tool" -%}[TOOL_RESULTS]{{ message.content | string }}[/TOOL_RESULTS]
{%- else -%}
{{ raise_exception("Only user, assistant and tool roles are supported, got " + message.role) }}
{%- endif -%}
{%- endfor -%}
"""

# System messages anywhere, and no tools: Mistral Small 3 as it was first given.
MISTRAL_SMALL3 = """<s>
{%- for message in messages -%}
{%- if message.role == "user" -%}[INST]{{ message.content }}[/INST]
{%- elif message.role == "system" -%}[SYSTEM_PROMPT]{{ message.content }}[/SYSTEM_PROMPT]
{%- elif message.role == "assistant" -%}{{ message.content + "</s>" }}
{%- else -%}
{{ raise_exception("Only user, system and assistant roles are supported!") }}
{%- endif -%}
{%- endfor -%}
"""

# One system message, at the beginning, and it names the role that it does not know: Nemotron-H.
NEMOTRON_H = """
{%- if messages[0].role == "system" -%}
<|im_start|>system
{{ messages[0].content + "<|im_end|>" }}
{% set said = messages[1:] -%}
{%- else -%}
{%- set said = messages -%}
{%- endif -%}
{%- for message in said -%}
{%- if message.role in ("user", "assistant") -%}
<|im_start|>{{ message.role }}
{{ message.content + "<|im_end|>" }}
{% else -%}
{{ raise_exception("Unexpected role: " + message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}
"""

# One system message, at the beginning, and contents are texts; it names no role: Apertus.
APERTUS = """
{%- if messages[0].role == "system" -%}
{%- if messages[0].content is not string -%}
{{ raise_exception("Invalid system message") }}
{%- endif -%}
<s><|system|>{{ messages[0].content }}<|system end|>
{%- set said = messages[1:] -%}
{%- else -%}
{%- set said = messages -%}
{%- endif -%}
{%- for message in said -%}
{%- if message.role == "user" -%}
{%- if message.content is not string -%}
{{ raise_exception("Invalid user message: " + message.role) }}
{%- endif -%}
<|user|>{{ message.content }}<|user end|>
{%- elif message.role == "assistant" -%}
<|assistant|>{{ message.content or "" }}
{%- for call in message.tool_calls or [] -%}
<|call|>{"{{ call.function.name }}": {{ call.function.arguments | tojson }}}
{%- endfor -%}
<|assistant end|>
{%- elif message.role == "tool" -%}[{{ message.content }}]
{%- else -%}
{{ raise_exception("Invalid message role") }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}
"""

# No system message, strict turns, a third role breaks them: Gemma 1 and 2.
GEMMA2 = """<s>
{%- if messages[0].role == "system" -%}
{{ raise_exception("System role not supported") }}
{%- endif -%}
{%- for message in messages -%}
{%- if (message.role == "user") != (loop.index0 % 2 == 0) -%}
{{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
{%- endif -%}
<start_of_turn>{{ "model" if message.role == "assistant" else message.role }}
{{ message.content | trim }}<end_of_turn>
{% endfor -%}
{%- if add_generation_prompt -%}<start_of_turn>model
{% endif -%}
"""

# The same, with the system message above the first question; content of two kinds: Gemma 3.
GEMMA3 = """<s>
{%- if messages[0].role == "system" -%}
{%- if messages[0].content is string -%}{%- set first = messages[0].content + "\n\n" -%}
{%- else -%}{%- set first = messages[0].content[0].text + "\n\n" -%}{%- endif -%}
{%- set said = messages[1:] -%}
{%- else -%}
{%- set first = "" -%}{%- set said = messages -%}
{%- endif -%}
{%- for message in said -%}
{%- if (message.role == "user") != (loop.index0 % 2 == 0) -%}
{{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
{%- endif -%}
<start_of_turn>{{ "model" if message.role == "assistant" else message.role }}
{{ first if loop.first else "" }}
{%- if message.content is string -%}{{ message.content | trim }}
{%- elif message.content is iterable -%}
{%- for part in message.content -%}{{ part.text | trim }}{%- endfor -%}
{%- else -%}{{ raise_exception("Invalid content type") }}{%- endif -%}
<end_of_turn>
{% endfor -%}
{%- if add_generation_prompt -%}<start_of_turn>model
{% endif -%}
"""

# Whatever role it does not know is left out: Phi 3 and 3.5.
PHI3 = """
{%- for message in messages -%}
{%- if message.role in ("system", "user", "assistant") and message.content -%}
<|{{ message.role }}|>
{{ message.content }}<|end|>
{% endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>
{% else -%}</s>{%- endif -%}
"""

# Tools beside the system message, contents put together as strings: Phi 4 mini.
PHI4_MINI = """
{%- for message in messages -%}
{%- if message.role == "system" and tools and loop.first -%}
{{ "<|system|>" + message.content + "<|tool|>" + tools | tojson + "<|/tool|><|end|>" }}
{%- elif message.tool_calls -%}
{{ "<|assistant|>" + (message.content or "") + "<|tool_call|>" + message.tool_calls | tojson
   + "<|/tool_call|><|end|>" }}
{%- else -%}
{{ "<|" + message.role + "|>" + message.content + "<|end|>" }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- else -%}</s>{%- endif -%}
"""

# Null beside calls is how it knows them, and arguments are a string: DeepSeek R1 and its distills.
DEEPSEEK_R1 = """
{%- set state = namespace(system="", called=false) -%}
{%- for message in messages -%}
{%- if message.role == "system" -%}{%- set state.system = message.content -%}{%- endif -%}
{%- endfor -%}
<s>{{ state.system }}
{%- for message in messages -%}
{%- if message.role == "user" -%}
{%- set state.called = false -%}<|User|>{{ message.content }}
{%- elif message.role == "assistant" and message.content is none -%}
{%- set state.called = true -%}<|Assistant|><|calls|>
{%- for call in message.tool_calls -%}
{{ "<|call|>" + call.type + "<|sep|>" + call.function.name + "\n```json\n"
   + call.function.arguments + "\n```<|call end|>" }}
{%- endfor -%}
<|calls end|></s>
{%- elif message.role == "assistant" -%}
{%- set content = message.content -%}
{%- if "</think>" in content -%}{%- set content = content.split("</think>")[-1] -%}{%- endif -%}
{%- if state.called -%}<|outputs end|>{{ content + "</s>" }}{%- set state.called = false -%}
{%- else -%}<|Assistant|>{{ content + "</s>" }}{%- endif -%}
{%- elif message.role == "tool" -%}
<|output|>{{ message.content }}<|output end|>
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|Assistant|><think>
{% endif -%}
"""

# System messages put together from anywhere, thoughts cut from contents: DeepSeek V3 and V3.1.
DEEPSEEK_V3 = """
{%- set state = namespace(system="", first=true, called=false) -%}
{%- for message in messages -%}
{%- if message.role == "system" -%}
{%- if state.first -%}{%- set state.system = message.content -%}{%- set state.first = false -%}
{%- else -%}{%- set state.system = state.system + "\n\n" + message.content -%}{%- endif -%}
{%- endif -%}
{%- endfor -%}
<s>{{ state.system }}
{%- for message in messages -%}
{%- if message.role == "user" -%}
{%- set state.called = false -%}<|User|>{{ message.content }}
{%- elif message.role == "assistant" and message.tool_calls is defined
    and message.tool_calls is not none -%}
{%- set state.called = true -%}<|Assistant|></think>
{%- if message.content is not none -%}{{ message.content }}{%- endif -%}
{%- for call in message.tool_calls -%}
{{ "<|call|>" + call.function.name + "<|sep|>" + call.function.arguments | tojson }}
{%- endfor -%}
</s>
{%- elif message.role == "assistant" -%}
{%- set content = message.content -%}
{%- if "</think>" in content -%}{%- set content = content.split("</think>", 1)[1] -%}{%- endif -%}
{{ ("" if state.called else "<|Assistant|></think>") + content + "</s>" }}
{%- set state.called = false -%}
{%- elif message.role == "tool" -%}
<|output|>{{ message.content }}<|output end|>
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|Assistant|></think>{%- endif -%}
"""

# A preamble instead of a system turn, strict turns, `strip` on every content: Command R.
COMMAND_R = """<s>
{%- if messages[0].role == "system" -%}
{%- set said = messages[1:] -%}{%- set system = messages[0].content -%}
{%- else -%}
{%- set said = messages -%}{%- set system = "" -%}
{%- endif -%}
{%- if system -%}<|turn|><|system|>{{ system }}<|end turn|>{%- endif -%}
{%- for message in said -%}
{%- if (message.role == "user") != (loop.index0 % 2 == 0) -%}
{{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
{%- endif -%}
{%- set content = message.content -%}
{%- if message.role == "user" -%}<|turn|><|user|>{{ content.strip() }}<|end turn|>
{%- elif message.role == "assistant" -%}
<|turn|><|chatbot|>{{ content.strip() }}<|end turn|>
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|turn|><|chatbot|>{%- endif -%}
"""

# Any order; the roles are printed as they are: Granite 3.
GRANITE3 = """
{%- if messages[0].role == "system" -%}
{%- set system = messages[0].content -%}{%- set said = messages[1:] -%}
{%- else -%}
{%- set system = "You are helpful." -%}{%- set said = messages -%}
{%- endif -%}
{{ "<|role|>system<|role end|>" + system + "</s>\n" }}
{%- if tools -%}<|role|>tools<|role end|>{{ tools | tojson(indent=4) }}</s>
{% endif -%}
{%- for message in said -%}
{{ "<|role|>" + message.role + "<|role end|>" + (message.content or "") }}
{%- for call in message.tool_calls or [] -%}<|tool_call|>{{ call.function | tojson }}{%- endfor -%}
</s>
{% endfor -%}
{%- if add_generation_prompt -%}<|role|>assistant<|role end|>{%- endif -%}
"""

# Results are observations, thoughts are cut from contents: GLM 4.
GLM4 = """[gMASK]<sop>
{%- if tools -%}<|system|>
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}{%- endif -%}
{%- for message in messages -%}
{%- if message.role == "user" -%}<|user|>
{{ message.content }}
{%- elif message.role == "assistant" -%}
{%- set content = message.content or "" -%}
{%- if "</think>" in content -%}{%- set content = content.split("</think>")[-1] -%}{%- endif -%}
<|assistant|>
{{ content.strip() }}
{%- for call in message.tool_calls or [] -%}
<tool_call>{{ call.function.name }}
{% for key, value in call.function.arguments.items() -%}
<arg_key>{{ key }}</arg_key>
<arg_value>{{ value | tojson }}</arg_value>
{% endfor -%}
</tool_call>
{%- endfor -%}
{%- elif message.role == "tool" -%}
{%- if loop.first or messages[loop.index0 - 1].role != "tool" -%}<|observation|>{%- endif %}
<tool_response>
{{ message.content }}
</tool_response>
{%- elif message.role == "system" -%}<|system|>
{{ message.content }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}
"""

# A result needs a call before it, and there is one call a message: gpt-oss.
GPT_OSS = """
{%- if messages[0].role in ("developer", "system") -%}
{%- set developer = messages[0].content -%}{%- set said = messages[1:] -%}
{%- else -%}
{%- set developer = "" -%}{%- set said = messages -%}
{%- endif -%}
<|start|>system<|message|>You are helpful.<|end|>
{%- if developer or tools -%}
<|start|>developer<|message|>{{ developer }}
{%- for tool in tools or [] -%}
{{ "// " + tool.function.description + "\ntype " + tool.function.name + "\n" }}
{%- endfor -%}
<|end|>
{%- endif -%}
{%- set last = namespace(name=none) -%}
{%- for message in said -%}
{%- if message.role == "assistant" -%}
{%- if "content" in message and "<|chan|>final<|message|>" in message.content -%}
{{ raise_exception("You have passed a message containing <|chan|> tags in content.") }}
{%- endif -%}
{%- if "tool_calls" in message -%}
{%- if message.content and message.thinking -%}
{{ raise_exception("Cannot pass both content and thinking beside tool calls!") }}
{%- endif -%}
{%- set call = message.tool_calls[0].function -%}
{{ "<|start|>assistant<|message|><|to|>" + call.name + "<|args|>" + call.arguments | tojson
   + "<|call|>" }}
{%- set last.name = call.name -%}
{%- else -%}
{{ "<|start|>assistant<|message|>" + message.content + "<|end|>" }}
{%- set last.name = none -%}
{%- endif -%}
{%- elif message.role == "tool" -%}
{%- if last.name is none -%}
{{ raise_exception("Message has tool role, but there was no previous assistant message "
   + "with a tool call!") }}
{%- endif -%}
{{ "<|start|>" + last.name + " to=assistant<|message|>" + message.content | tojson + "<|end|>" }}
{%- elif message.role == "user" -%}
{{ "<|start|>user<|message|>" + message.content + "<|end|>" }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|start|>assistant<|message|>{%- endif -%}
"""

TEMPLATES = {
    "apertus-8b-instruct": APERTUS,
    "qwen2-7b-instruct": CHATML,
    "command-r": COMMAND_R,
    "deepseek-r1-distill-llama-8b": DEEPSEEK_R1,
    "deepseek-v3.1": DEEPSEEK_V3,
    "gemma-2-9b-it": GEMMA2,
    "gemma-3-12b-it": GEMMA3,
    "glm-4.5-air": GLM4,
    "gpt-oss-20b": GPT_OSS,
    "granite-3.3-8b-instruct": GRANITE3,
    "hermes-3-llama-3.1-8b": HERMES,
    "llama-2-7b-chat": LLAMA2,
    "llama-3.1-8b-instruct": LLAMA3_1,
    "ministral-3-14b-instruct": MINISTRAL3,
    "mistral-7b-instruct-v0.1": MISTRAL_V1,
    "mistral-nemo-instruct-2407": MISTRAL_V3,
    "mistral-small-24b-instruct-2501": MISTRAL_SMALL3,
    "nemotron-h-8b-reasoning": NEMOTRON_H,
    "phi-3.5-mini-instruct": PHI3,
    "phi-4-mini-instruct": PHI4_MINI,
    "qwen3-8b": QWEN3,
    "qwen3.5-9b": QWEN3_5,
}
"""By the name of a model of each family."""
