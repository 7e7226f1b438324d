"""An estimate of tokens by the vocabulary's family that needs neither the vocabulary nor a library.

Which text is counted how was learned from texts of some 200 kinds (benchmarks/fit_estimate.py);
how far off it is, by kind and family, stands in docs/benchmarks.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from operator import mul

from agentmaker.tokens.shapes import PAIRS, PLAIN, SCRIPTS, Script, Shape, pairs_of, shape_of

SAMPLED = 32_768
"""Of longer texts this many characters are looked at, in windows all over the text."""

_WINDOW = 2_048
_GENERIC = "o200k_base"
_LEAST = 1 / 128  # tokens a byte: no vocabulary has much longer tokens
_GOLDEN = 0.6180339887498949
_SAME = {
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

    None and families without weights of their own are counted like ``o200k_base``.

    - Never raises for a string, and the same text always counts the same.
    - 0 for the empty string; else from 1 to the text's bytes as UTF-8.
    """

    family: str | None = None

    @property
    def name(self) -> str:
        return f"estimate:{self.family}" if self.family else "estimate"

    def __call__(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(
                f"estimate_tokens takes a string, not {type(text).__name__}: "
                "count the text that is sent"
            )
        if len(text) <= SAMPLED:
            return self._weights.tokens(shape_of(text)) if text else 0
        sample = "".join(_windows(text))
        tokens = self._weights.tokens(shape_of(sample)) * len(text) // len(sample)
        return min(tokens, _bytes(text)) if tokens > len(text) else tokens

    @property
    def _weights(self) -> _Weights:
        return _weights(self.family)


def estimate_tokens(text: str, *, family: str | None = None) -> int:
    """Estimate the tokens of *text*, closer than ``count_tokens``.

    *family* is a vocabulary, as `counter_for` picks it by the model: ``o200k_base``,
    ``cl100k_base``, ``qwen3``, ``deepseek_v3``, ``llama3``, ``glm4``, ``kimi_k2``,
    ``mistral_v3``, ``gemma3`` and others; o200k where it is unknown. Texts of more than
    `SAMPLED` characters are sampled.

    Raises:
        TypeError: *text* is not a string.
    """
    return estimate_for(family)(text)


@cache
def estimate_for(family: str | None) -> Estimate:
    """The one estimate of *family*."""
    return Estimate(family)


@dataclass(frozen=True, slots=True)
class _Weights:
    plain: Sequence[float]
    pairs: Sequence[float]
    scripts: Sequence[tuple[Script, Sequence[float]]]

    def tokens(self, shape: Shape) -> int:
        """Tokens of a text that is not empty."""
        plain, size = shape.plain(), len(shape.utf8)
        tokens = _dot(self.plain, plain) + _dot(self.pairs, pairs_of(plain)) / size
        if not shape.utf8.isascii():
            tokens += self._of_scripts(shape)
        return max(1, round(min(max(tokens, size * _LEAST), size)))

    def _of_scripts(self, shape: Shape) -> float:
        return sum(
            _dot(weights, shape.script(script))
            for script, weights in self.scripts
            if script.sign in shape.classes
        )


@cache
def _weights(family: str | None) -> _Weights:
    from agentmaker.tokens.weights import WEIGHTS

    name = _SAME.get(family or _GENERIC, family or _GENERIC)
    weights = WEIGHTS.get(name, WEIGHTS[_GENERIC])
    start = PLAIN + len(PAIRS)
    ends = accumulate(map(len, SCRIPTS), initial=start)
    scripts = [weights[begin:end] for begin, end in pairwise(ends)]
    pairs = weights[PLAIN:start]
    return _Weights(weights[:PLAIN], pairs, list(zip(SCRIPTS, scripts, strict=True)))


def _dot(weights: Sequence[float], counts: Sequence[int] | Iterator[int]) -> float:
    total: float = sum(map(mul, weights, counts))
    return total


def _windows(text: str) -> Iterator[str]:
    # One in each stretch, at places that no period of the text follows.
    number = SAMPLED // _WINDOW
    stretch = len(text) / number
    for n in range(number):
        begin = int(n * stretch + n * _GOLDEN % 1 * (stretch - _WINDOW))
        yield text[begin : begin + _WINDOW]


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
