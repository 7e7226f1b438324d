"""An estimate of tokens by the vocabulary's family that needs neither the vocabulary nor a library.

What each code of a text is worth was learned from texts of some 250 kinds by
benchmarks/fit_estimate.py; how far off the estimate is, by kind and family, stands in
docs/benchmarks.md.
"""

from __future__ import annotations

from base64 import b85decode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from agentmaker.errors import ConfigError
from agentmaker.tokens.codes import codes_of, total
from agentmaker.tokens.estimate import no_text
from agentmaker.tokens.least import least_tokens

SAMPLED = 32_768
"""Of longer texts this many characters are looked at, in windows all over the text."""

_WINDOW = 2_048
_GENERIC = "o200k_base"
_GOLDEN = 0.6180339887498949  # the golden ratio's fraction, whose multiples repeat least
_SAME = {  # families that count much like another one's vocabulary
    "codellama": "llama2",
    "gemma4": "gemma3",
    "gpt_oss": "o200k_base",
    "kimi_k3": "kimi_k2",
    "mistral_v2": "mistral_v1",
    "olmo2": "cl100k_base",
    "phi4": "cl100k_base",
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimates tokens as the vocabulary of *family* would count them.

    None is counted like ``o200k_base``.

    - Never raises for a string, and the same text always counts the same.
    - 0 for the empty string; else from 1 to the text's bytes as UTF-8.
    """

    family: str | None = None

    @property
    def name(self) -> str:
        return f"estimate:{self.family}" if self.family else "estimate"

    def __call__(self, text: str) -> int:
        if not isinstance(text, str):
            raise no_text(text)
        if len(text) <= SAMPLED:
            return _tokens(text, self.family) if text else 0
        sample = "".join(_windows(text))
        tokens = _tokens(sample, self.family) * len(text) // len(sample)
        # Bytes are counted only where there can be fewer of them.
        return min(tokens, _bytes(text)) if tokens > len(text) else tokens


def estimate_tokens(text: str, *, family: str | None = None) -> int:
    """Estimate the tokens of *text*, closer than ``count_tokens``.

    *family* is a vocabulary, as `counter_for` picks it by the model: ``o200k_base``,
    ``cl100k_base``, ``qwen3``, ``deepseek_v3``, ``llama3``, ``glm4``, ``kimi_k2``,
    ``mistral_v3``, ``gemma3`` and others; None is counted like ``o200k_base``. Texts of more
    than 32,768 characters are sampled.

    Raises:
        ConfigError: the *family* is not known.
        TypeError: *text* is not a string.
    """
    if family is not None and family not in known_families():
        raise ConfigError(
            f"no vocabulary is called {family!r}: use one of {', '.join(known_families())}, or "
            "counter_for(model), which finds that of a model"
        )
    return estimate_for(family)(text)


@cache
def known_families() -> tuple[str, ...]:
    """The vocabularies that there is an estimate of."""
    from agentmaker.tokens.weights import WEIGHTS

    return tuple(sorted(WEIGHTS.keys() | _SAME))


@cache
def estimate_for(family: str | None) -> Estimate:
    """The one estimate of *family*."""
    return Estimate(family)


class _Table(NamedTuple):
    """What each code is worth: *least* and *steps* together, each worth *step* tokens."""

    least: int
    step: float
    steps: bytes


def _tokens(text: str, family: str | None) -> int:
    codes = codes_of(text)
    worths = [
        step * (least * len(each) + total(each.translate(steps)))
        for (least, step, steps), each in zip(_tables(family), codes, strict=False)
    ]
    utf8, kinds, *_ = codes
    return round(min(max(sum(worths), least_tokens(utf8, kinds)), len(utf8)))


@cache
def _tables(family: str | None) -> tuple[_Table, ...]:
    from agentmaker.tokens.weights import WEIGHTS

    name = family or _GENERIC
    found = WEIGHTS[_SAME.get(name, name)]
    return tuple(_Table(least, step, b85decode(steps)) for least, step, steps in found)


def _windows(text: str) -> Iterator[str]:
    # One in each stretch, at places that no period of the text follows.
    number = SAMPLED // _WINDOW
    stretch = len(text) / number
    for n in range(number):
        begin = int(n * stretch + n * _GOLDEN % 1 * (stretch - _WINDOW))
        yield text[begin : begin + _WINDOW]


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
