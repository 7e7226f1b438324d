"""Whether the words of a refusal say that the prompt is too long, and which of them do.

They say that the input as a whole is over what it may be, or how long it may be at most, or ask
for less of it. Every text here is a plain one.
"""

from __future__ import annotations

import re

from agentmaker.calls.refusals.concepts import (
    OUTPUT,
    asks_for_less,
    is_aside,
    is_bounded,
    is_long_request,
    is_number_of,
    is_out_of_memory,
    is_over,
    is_over_the_cache,
    is_setting,
    is_throttled,
    names_field,
    names_input,
    names_length,
    names_output,
    names_prompt,
    names_tokens,
)
from agentmaker.calls.refusals.plain import sentences
from agentmaker.calls.refusals.sizes import proves, sizes_in

_OUTPUT = re.compile(OUTPUT)
_EMPTY = re.compile(
    r"(?:in)?valid input|input (?:validation )?error|input value"
    r"|input (?:should|must) be (?:an? |(?:greater|less) than (?:or equal to )?\d+(?! ?token))"
    r"|(?:prompt|input|context)s? (?:cach|logprob)\w{0,8}|context window fallbacks?"
    r"|truncate prompt tokens"
    r"|request (?:entity |uri |header fields )?too (?:long|large)(?=\s*(?:$|\n))"
)
"""Phrases that name the input and mean any parameter, or bytes."""


def is_overflow(text: str) -> bool:
    """Whether a text says that the prompt is too long, in words or in numbers."""
    if is_throttled(text) or (is_out_of_memory(text) and not _is_over_the_cache(text)):
        return False
    text = about_input(text)
    if any(map(_says_too_long, sentences(text))):
        return True
    return names_input(text) and proves(sizes_in(text))


def about_input(text: str) -> str:
    """The sentences of a text that are not on one field of the request or on the output alone."""
    text = _EMPTY.sub(" be", text)
    return "\n".join(each for each in sentences(text) if not _is_elsewhere(each))


def _is_elsewhere(sentence: str) -> bool:
    if is_aside(sentence) or (names_output(sentence) and not names_prompt(sentence)):
        return True
    if is_setting(sentence) and not names_prompt(sentence):
        return True
    return (names_field(sentence) or is_number_of(sentence)) and not names_tokens(sentence)


def _is_over_the_cache(text: str) -> bool:
    sizes = sizes_in(text)
    return is_over_the_cache(text) or ("prompt" in sizes and proves(sizes))


def _says_too_long(sentence: str) -> bool:
    sentence = _OUTPUT.sub(" ", sentence)
    if is_long_request(sentence) or asks_for_less(sentence):
        return True
    is_limited = is_bounded(sentence) and names_length(sentence)
    return names_input(sentence) and (is_over(sentence) or is_limited)
