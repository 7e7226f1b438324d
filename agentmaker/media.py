"""What images, audio and files cost: a constant by kind, whatever their size."""

from __future__ import annotations

from dataclasses import dataclass, fields

from agentmaker.errors import ConfigError

MOST = 100_000
"""Tokens that one image, recording or file may be said to cost at the most."""


@dataclass(frozen=True, slots=True)
class MediaTokens:
    """Tokens counted for each of them: 1 to `MOST`.

    Their data is not text to the model, so its length says nothing.

    Attributes:
        image: by OpenAI's tile rule (85, and 170 for each tile of 512 x 512) one of six tiles,
            such as 2,048 x 4,096 at high detail.
        low_detail_image: one sent with ``"detail": "low"``.
        audio: a recording.
        file: a document, or any other long data.

    Raises:
        ConfigError: one is out of range.
    """

    image: int = 1_105
    low_detail_image: int = 85
    audio: int = 1_000
    file: int = 1_500

    def __post_init__(self) -> None:
        for each in fields(self):
            _check(f"media.{each.name}", getattr(self, each.name))


def _check(name: str, tokens: object) -> None:
    whole = isinstance(tokens, int) and not isinstance(tokens, bool)
    if not whole or not 1 <= tokens <= MOST:  # type: ignore[operator]
        raise ConfigError(f"{name} must be a whole number of 1 to {MOST:,} tokens, not {tokens!r}")


DEFAULT_MEDIA = MediaTokens()


def media_of(counter: object) -> MediaTokens:
    """What *counter* says media cost: a counter carries it to every place that counts."""
    return getattr(counter, "media", DEFAULT_MEDIA)
