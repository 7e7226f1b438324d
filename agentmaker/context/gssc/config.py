"""The knobs of a GSSC context."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose

from agentmaker.context.allocation import whole
from agentmaker.context.knobs import check_count, check_seconds, check_share, check_switch
from agentmaker.errors import ConfigError


@dataclass(frozen=True, slots=True)
class GSSCConfig:
    """How much goes into a context, and what counts.

    Attributes:
        max_tokens: the whole context, never exceeded.
        reserve_ratio: the share that `select` leaves to the question, headings and output text.
        min_relevance: packets below are dropped.
        enable_compression: cut what does not fit; otherwise that is an error.
        recency_weight: what newness counts in a packet's score.
        relevance_weight: what relevance counts in it; both together are 1.
        source_timeout: seconds that memory and RAG may take, None for no limit.

    Raises:
        ConfigError: a knob is out of range, or the weights do not sum to 1.
    """

    max_tokens: int = 3000
    reserve_ratio: float = 0.2
    min_relevance: float = 0.1
    enable_compression: bool = True
    recency_weight: float = 0.3
    relevance_weight: float = 0.7
    source_timeout: float | None = 10.0

    def __post_init__(self) -> None:
        check_count("max_tokens", self.max_tokens, least=1)
        if check_share("reserve_ratio", self.reserve_ratio) == 1:
            raise ConfigError("reserve_ratio must be below 1, or nothing is left to fill")
        check_share("min_relevance", self.min_relevance)
        check_switch("enable_compression", self.enable_compression)
        check_seconds("source_timeout", self.source_timeout)
        self._check_weights()

    @property
    def room(self) -> int:
        """Tokens for the packets."""
        return whole(self.max_tokens * (1 - self.reserve_ratio))

    def _check_weights(self) -> None:
        recency = check_share("recency_weight", self.recency_weight)
        relevance = check_share("relevance_weight", self.relevance_weight)
        if not isclose(recency + relevance, 1, abs_tol=1e-6):
            raise ConfigError(
                f"recency_weight {recency:g} and relevance_weight {relevance:g} must sum to 1: "
                "raise one by what you take from the other"
            )


DEFAULT = GSSCConfig()
