"""What is known about a model: how many tokens it holds and how many it can write.

Windows come from genai-prices, from the data inside the package; nothing here uses the
network. What that data does not say comes from the small tables below, and what they do
not say is None: no window is ever made up.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from agentmaker.errors import ConfigError

# Names that genai-prices lists without a window, or not at all. Where a name means several
# versions, the smallest: a window too small costs some room, one too large costs requests.
WINDOWS = {
    "codestral-latest": 256_000,
    "gemini-2.0-flash": 1_048_576,
    "gemini-2.5-flash": 1_048_576,
    "gemini-2.5-pro": 1_048_576,
    "glm-4.5": 128_000,
    "glm-4.6": 200_000,
    "llama-3.1-8b-instant": 131_072,
    "llama-3.3-70b-versatile": 131_072,
    "mistral-large-latest": 131_072,
    "mistral-medium-latest": 131_072,
    "mistral-small-latest": 131_072,
    "qwen-max": 32_768,
    "qwen-plus": 131_072,
    "qwen-turbo": 131_072,
    "qwen3-max": 262_144,
}

# The most tokens of one reply, as the providers document it; genai-prices does not have it.
MAX_OUTPUTS = {
    "chatgpt-4o-latest": 16_384,
    "claude-3-5-haiku": 8_192,
    "claude-3-5-sonnet": 8_192,
    "claude-3-7-sonnet": 64_000,
    "claude-3-haiku": 4_096,
    "claude-haiku-4-5": 64_000,
    "claude-opus-4": 32_000,
    "claude-opus-4-1": 32_000,
    "claude-opus-4-5": 64_000,
    "claude-sonnet-4": 64_000,
    "claude-sonnet-4-5": 64_000,
    "deepseek-chat": 8_192,
    "deepseek-reasoner": 65_536,
    "gemini-2.0-flash": 8_192,
    "gemini-2.5-flash": 65_536,
    "gemini-2.5-pro": 65_536,
    "gpt-3.5-turbo": 4_096,
    "gpt-4": 8_192,
    "gpt-4-turbo": 4_096,
    "gpt-4.1": 32_768,
    "gpt-4.1-mini": 32_768,
    "gpt-4.1-nano": 32_768,
    "gpt-4o": 16_384,
    "gpt-4o-2024-05-13": 4_096,
    "gpt-4o-mini": 16_384,
    "gpt-5": 128_000,
    "gpt-5-mini": 128_000,
    "gpt-5-nano": 128_000,
    "gpt-5.1": 128_000,
    "gpt-5.2": 128_000,
    "o1": 100_000,
    "o3": 100_000,
    "o3-mini": 100_000,
    "o4-mini": 100_000,
}

# Servers that hold whatever model under whatever window they were started with.
LOCAL_PROVIDERS = frozenset({"llamacpp", "lmstudio", "localai", "ollama", "sglang", "vllm"})

_LOCAL_TAG = re.compile(r":(latest$|\d[\d.x]*[bm]\b)")  # the size in "qwen3:14b"
_DATE = re.compile(r"[-@](\d{4}-\d\d-\d\d|20\d{6}|(0[1-9]|1[0-2])\d\d)$")


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a model holds and what it can write, in tokens; None where it is not known."""

    window: int | None = None
    max_output: int | None = None


def facts_of(model: str, *, provider: str | None = None) -> ModelFacts:
    """What is known about *model*, by its name with or without provider, version and date.

    *provider* is a name like ``"openai"``. A model on a local server (``"ollama"``, or a
    name with a size tag like ``qwen3:14b``) has the window that server was started with,
    which no table can know.
    """
    return _facts_of(_folded(model), _folded(provider))


def max_output_of(model: str, *, provider: str | None = None) -> int | None:
    """`facts_of` without the window, whose table is large and need not be loaded for this."""
    return _first(MAX_OUTPUTS, _known_as(_folded(model), _folded(provider)))


def known_window(
    model: str,
    *,
    call: int | None = None,
    client: int | None = None,
    provider: str | None = None,
    fallback: int | None = None,
) -> int | None:
    """The window to use: what the call says, else the client, the tables, the *fallback*.

    Using the fallback is logged once for each model.

    Raises:
        ConfigError: a window that was given is not positive.
    """
    given = {"window": call, "context_window": client, "fallback_window": fallback}
    for name, value in given.items():
        check_tokens(name, value)
    window = call or client or facts_of(model, provider=provider).window
    if window is None and fallback is not None:
        _log_fallback(model, fallback)
    return window or fallback


def check_tokens(name: str, value: object) -> None:
    """Refuse a number of tokens that is neither None nor a positive integer.

    Raises:
        ConfigError: it is not.
    """
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise ConfigError(
            f"{name} must be a positive whole number of tokens or None, not {value!r}"
        )


@lru_cache(maxsize=256)
def _log_fallback(model: str, fallback: int) -> None:
    logging.getLogger("agentmaker").warning(
        "the window of model %r is not known: using fallback_window=%d; "
        "give the model's own window to override it",
        model,
        fallback,
    )


@lru_cache(maxsize=1024)
def _facts_of(model: str, provider: str) -> ModelFacts:
    names = _known_as(model, provider)
    if not names:
        return ModelFacts()
    return ModelFacts(window=_window_of(names, provider), max_output=_first(MAX_OUTPUTS, names))


def _folded(name: str | None) -> str:
    return (name or "").strip().lower()


def _known_as(model: str, provider: str) -> list[str]:
    """The names by which the tables know *model*; none for one on a local server."""
    if not model or provider in LOCAL_PROVIDERS or _LOCAL_TAG.search(model):
        return []
    return list(_names(model))


def _names(model: str) -> Iterator[str]:
    """*model* as it is, then with less and less around its name."""
    yield model
    if model.startswith("ft:"):
        model = model.split(":")[1]
        yield model
    if "/" in model:
        model = model.rsplit("/", 1)[1]
        yield model
    model = model.split(":")[0]
    yield model
    yield _DATE.sub("", model)


def _first(values: dict[str, int], names: list[str]) -> int | None:
    return next((values[name] for name in names if name in values), None)


def _window_of(names: list[str], provider: str) -> int | None:
    maker, slash, _ = names[0].partition("/")
    return (
        (_listed(names, provider) if provider else None)
        or _first(WINDOWS, names)
        or (_listed(names, maker) if slash else None)
        or _listed(names, None)
    )


def _listed(names: list[str], provider: str | None) -> int | None:
    from genai_prices.data_snapshot import get_snapshot

    for name in dict.fromkeys(names):
        try:
            _, model = get_snapshot().find_provider_model(name, None, provider, None)
        except LookupError:
            continue
        if model.context_window:
            return model.context_window
    return None
