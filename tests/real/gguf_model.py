"""Writes a model of a few hundred kilobytes whose next token is a table of the last one.

One token is one byte, so that its server's counts are lengths. The embedding is the identity,
attention and feed-forward add nothing, and the output matrix is the table: at temperature 0 it
answers every prompt with `ANSWER`, and what a grammar leaves open it closes soon.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

gguf = pytest.importorskip("gguf", reason="gguf, which writes the model, is not installed")

ANSWER = "Fine."

# One token each, so that a message costs what it costs a real model; those of calls are text.
_CONTROL = ("<|start|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>")
_USER_DEFINED = ("<tools>", "</tools>", "<tool_call>", "</tool_call>")
_START, _END = 256, 257
_OPEN_CALL, _CLOSE_CALL = 264, 265

TEMPLATE = """
{%- set system = messages[0].content if messages[0].role == "system" else "" -%}
{%- if tools -%}
<|start|><|system|>
{{ system }}

<tools>{{ tools | tojson }}</tools><|end|>
{%- elif system -%}
<|start|><|system|>
{{ system }}<|end|>
{%- endif -%}
{%- for message in messages -%}
{%- if message.role != "system" -%}
<|start|><|{{ message.role }}|>
{{ message.content or "" }}
{%- for call in message.tool_calls or [] -%}
<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
{{- "</tool_call>" -}}
{%- endfor -%}
<|end|>
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|start|><|assistant|>
{% endif -%}
"""
"""Four tokens around a message and three to open the reply, as with most models."""

_VOCABULARY = 288  # a multiple of the size of a head
_HEAD = 32
_TRAINED = 1 << 20

# What follows any byte: the answer, or where a grammar forbids that, the end of what is open.
_ANYWHERE = {ord(ANSWER[0]): 16, _END: 8, ord('"'): 7, ord("}"): 6, ord("]"): 5, ord(":"): 4}

# What follows these instead. A string is empty, and an answer that may not end goes on to a call.
_AFTER = {
    **{ord(this): ord(next) for this, next in pairwise(ANSWER)},
    ord(ANSWER[-1]): _END,
    ord('"'): ord('"'),
    _CLOSE_CALL: _END,
}


def write_model(path: Path) -> None:
    """Write the model to *path*."""
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer)
    _add_vocabulary(writer)
    _add_weights(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: gguf.GGUFWriter) -> None:
    writer.add_context_length(_TRAINED)
    writer.add_embedding_length(_VOCABULARY)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_HEAD)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_key_length(_HEAD)
    writer.add_value_length(_HEAD)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_HEAD)
    writer.add_vocab_size(_VOCABULARY)


def _add_vocabulary(writer: gguf.GGUFWriter) -> None:
    marks = (*_CONTROL, *_USER_DEFINED)
    unused = [f"<unused{n}>" for n in range(_VOCABULARY - _START - len(marks))]
    letters = _letters()
    kinds = gguf.TokenType
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([*letters, *marks, *unused])
    writer.add_token_types(
        [kinds.NORMAL] * len(letters)
        + [kinds.CONTROL] * len(_CONTROL)
        + [kinds.USER_DEFINED] * len(_USER_DEFINED)
        + [kinds.UNUSED] * len(unused)
    )
    writer.add_token_merges([f"{letters[0]} {letters[1]}"])  # one must be there; it makes no token
    writer.add_bos_token_id(_START)
    writer.add_eos_token_id(_END)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)


def _letters() -> list[str]:
    """The letter that stands for each byte in vocabularies of the GPT-2 kind."""
    shown = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = iter(range(0x100, 0x200))
    return [chr(byte if byte in shown else next(hidden)) for byte in range(256)]


def _add_weights(writer: gguf.GGUFWriter) -> None:
    size, head = _VOCABULARY, _HEAD
    writer.add_tensor("token_embd.weight", np.eye(size, dtype=np.float16))
    writer.add_tensor("output_norm.weight", np.full(size, size**-0.5, dtype=np.float32))
    writer.add_tensor("output.weight", _table())
    for name in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"blk.0.{name}.weight", np.ones(size, dtype=np.float32))
    shapes = {
        "attn_q": (head, size),
        "attn_k": (head, size),
        "attn_v": (head, size),
        "attn_output": (size, head),
        "ffn_gate": (head, size),
        "ffn_up": (head, size),
        "ffn_down": (size, head),
    }
    for name, shape in shapes.items():
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros(shape, dtype=np.float16))


def _table() -> np.ndarray:
    """How much each token (row) is wanted after another (column)."""
    table = np.zeros((_VOCABULARY, _VOCABULARY), dtype=np.float16)
    for token, wanted in _ANYWHERE.items():
        table[token, :] = wanted
    for before, after in _AFTER.items():
        table[ord(ANSWER[0]), before] = 0
        table[after, before] = 16
    table[_OPEN_CALL, ord(ANSWER[-1])] = 12
    return table
