"""tiktoken as a second backend, where it is installed and its vocabulary lies in its cache.

tiktoken downloads what it does not find there. So it is only asked for a vocabulary whose
file is there and whole: nothing here reaches for the network.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

# What names tiktoken's cache in the environment; the first that is set counts.
_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")


@dataclass(frozen=True, slots=True)
class _File:
    """A vocabulary's file as tiktoken keeps it: by its address, checked by its digest."""

    encoding: str
    sha256: str

    @property
    def name(self) -> str:
        address = f"https://openaipublic.blob.core.windows.net/encodings/{self.encoding}.tiktoken"
        return hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()

    def is_whole(self, folder: Path) -> bool:
        try:
            content = (folder / self.name).read_bytes()
        except OSError:
            return False
        return hashlib.sha256(content).hexdigest() == self.sha256


# The digests that tiktoken_ext/openai_public.py holds them to.
_O200K = _File("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d")
_CL100K = _File("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7")

# o200k_harmony differs from o200k_base in special tokens only, and those count as text here.
_FILES = {"o200k_base": _O200K, "gpt_oss": _O200K, "cl100k_base": _CL100K}


def cached_encoding(family: str) -> Encoding | None:
    """tiktoken's encoding of *family*; None where it is not installed or would be downloaded."""
    file, folder = _FILES.get(family), _folder()
    if file is None or folder is None or not file.is_whole(folder):
        return None
    try:
        from tiktoken import get_encoding
    except ImportError:
        return None
    return get_encoding(file.encoding)


def _folder() -> Path | None:
    """Where tiktoken keeps its files; an empty name tells it to keep none."""
    named = next((os.environ[each] for each in _VARIABLES if each in os.environ), None)
    if named is None:
        return Path(tempfile.gettempdir(), "data-gym-cache")
    return Path(named) if named else None
