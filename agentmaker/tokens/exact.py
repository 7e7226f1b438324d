"""Exact offline counters by model family, from the vocabularies that splintr and tiktoken carry."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from agentmaker.errors import ConfigError
from agentmaker.tokens.estimate import TokenCounter, count_tokens, no_text
from agentmaker.tokens.estimated import estimate_for
from agentmaker.tokens.families import COMPOSED, family_of
from agentmaker.tokens.pieces import Encode, Spell, composed, piece_counts, piece_length
from agentmaker.tokens.tiktokens import cached_encoding

if TYPE_CHECKING:
    from splintr import AnyTokenizer

SURROGATE = re.compile(r"[\ud800-\udfff]")

_UNKNOWN_WORD = "zqxjkvzqxjkv"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExactCounter:
    """Counts as the model's own vocabulary does; a literal ``<|endoftext|>`` counts as text.

    Never raises for a string: lone surrogates count as the replacement character.

    Attributes:
        composes: whether the model sees texts in Unicode's composed form.
    """

    name: str
    encode: Encode = field(repr=False, compare=False)
    spell: Spell = field(repr=False, compare=False)
    composes: bool = False

    @property
    def exact(self) -> bool:
        return True

    def __call__(self, text: str) -> int:
        return sum(self.pieces(text))

    def pieces(self, text: str) -> Iterator[int]:
        """The counts of *text* cut into pieces, none of which takes long; they add up."""
        if not isinstance(text, str):
            raise no_text(text)
        if self.composes and not text.isascii():
            parts = []
            for part in composed(text):
                parts.append(part)
                yield 0  # composing a long text takes long too
            text = "".join(parts)
        if len(text) <= piece_length(text):
            yield len(self._tokens(text))
        else:
            yield from piece_counts(text, self._tokens, self.spell)

    def _tokens(self, text: str) -> Sequence[int]:
        try:
            return self.encode(text)
        except UnicodeEncodeError:
            return self._tokens(SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))
        except BaseException as error:
            if not is_panic(error) or len(text) < 2:
                raise
            half = len(text) // 2
            return [*self._tokens(text[:half]), *self._tokens(text[half:])]


def is_panic(error: BaseException) -> bool:
    """Whether *error* is Rust's, which no ``except Exception`` catches."""
    return type(error).__name__ == "PanicException"


def counter_for(model: str | None) -> TokenCounter:
    """The counter of *model*'s family; the estimate where nothing counts that, or none is known.

    Needs ``agentmaker-runtime[exact]``, or for OpenAI's models tiktoken with its vocabulary
    in its cache. Nothing is downloaded. Each vocabulary is loaded once in a process, which
    takes up to half a second: in an async program call this first where nothing waits.

    Raises:
        ConfigError: *model* is no name.
    """
    if not isinstance(model, str | None):
        raise ConfigError(f"model must be a name or None, not {type(model).__name__}")
    family = family_of(model) if model else None
    return (_loaded(family) if family else None) or estimate_for(family)


def is_loaded(model: str) -> bool:
    """Whether `counter_for` has nothing to load for *model*."""
    family = family_of(model)
    return family is None or family in _counters


def counter_name(counter: TokenCounter) -> str:
    """What to call *counter* in a record: a vocabulary, ``estimate``, its own name, ``custom``."""
    if counter is count_tokens:
        return "count_tokens"
    return str(getattr(counter, "name", "custom"))


def is_exact(counter: TokenCounter) -> bool:
    """Whether *counter* says of itself that it counts as the model does."""
    return bool(getattr(counter, "exact", False))


_counters: dict[str, ExactCounter | None] = {}
_loading = Lock()


def _loaded(family: str) -> ExactCounter | None:
    with _loading:
        if family not in _counters:
            _counters[family] = _load(family)
        return _counters[family]


def _load(family: str) -> ExactCounter | None:
    """The first there is; what fails to load is said once, and costs exactness but no call."""
    for backend, load in (("splintr", _from_splintr), ("tiktoken", _from_tiktoken)):
        try:
            if counter := load(family):
                return counter
        except Exception as error:
            _log.warning("%s cannot load the vocabulary %r: %s", backend, family, error)
    _log.info("nothing carries the vocabulary %r: tokens are estimated", family)
    return None


def _from_splintr(family: str) -> ExactCounter | None:
    try:
        from splintr import Tokenizer
    except ModuleNotFoundError:
        return None
    found = Tokenizer.from_pretrained(family)
    found.encode_batch([_UNKNOWN_WORD])  # builds its tables now, without the GIL
    return ExactCounter(family, found.encode_ordinary, _spelling(found), family in COMPOSED)


def _spelling(found: AnyTokenizer) -> Spell:
    """What *found* says a token stands for; some SentencePiece models say ``▁`` for a space."""
    mark, spell = "\u2581".encode(), found.decode_token_bytes
    if spell(found.encode_ordinary(" ")[-1]) == mark:
        return lambda token: spell(token).replace(mark, b" ")
    return spell


def _from_tiktoken(family: str) -> ExactCounter | None:
    found = cached_encoding(family)
    if found is None:
        return None
    return ExactCounter(family, found.encode_ordinary, found.decode_single_token_bytes)
