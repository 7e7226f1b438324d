"""Digests by which texts are known again, in every process; halves of characters count as well.

Some are kept in stores and indexes: how they are made never changes.
"""

from __future__ import annotations

from hashlib import blake2b, sha256


def hashed(*parts: str | bytes, size: int = 16) -> bytes:
    """BLAKE2b over *parts* as one, in *size* bytes."""
    running = blake2b(digest_size=size)
    for part in parts:
        running.update(_encoded(part))
    return running.digest()


def sha256_of(text: str | bytes) -> str:
    return sha256(_encoded(text)).hexdigest()


def _encoded(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
