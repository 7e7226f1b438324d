"""Every knob in one value, set once where an application is put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, Self

from agentmaker.context.allocation import ContextConfig
from agentmaker.context.budget import WindowBudgetConfig
from agentmaker.context.kept import CompactionConfig, ReducerConfig
from agentmaker.errors import ConfigError
from agentmaker.media import MediaTokens
from agentmaker.prompts import PromptRegistry, prompts_for


@dataclass(frozen=True, slots=True)
class AgentmakerConfig:
    """The configurations of all parts; each checks itself when it is made.

    Attributes:
        language: of the built-in prompts, a code such as ``"en"`` or ``"zh-CN"``.
        send: how a wrapped client sends: ``"body"`` posts a dictionary, ``"create"`` calls the
            client's own, and ``"auto"`` posts, long requests as bytes where nothing listens in.

    Raises:
        ConfigError: a part is of another type, there are no prompts in *language*, or *send* is
            not known.
    """

    context: ContextConfig = field(default_factory=ContextConfig)
    reducer: ReducerConfig = field(default_factory=ReducerConfig)
    compaction: CompactionConfig = field(default_factory=CompactionConfig)
    window_budget: WindowBudgetConfig = field(default_factory=WindowBudgetConfig)
    media: MediaTokens = field(default_factory=MediaTokens)
    language: str = "en"
    send: Literal["auto", "body", "create"] = "auto"

    def __post_init__(self) -> None:
        for name, part in _PARTS.items():
            _check_part(name, getattr(self, name), part)
        if self.send not in ("auto", "body", "create"):
            raise ConfigError(f"send must be 'auto', 'body' or 'create', not {self.send!r}")
        try:
            prompts_for(self.language)
        except (ValueError, AttributeError) as error:
            raise ConfigError(f"language: {error}") from None

    @property
    def prompts(self) -> PromptRegistry:
        """The built-in prompts in this language."""
        return prompts_for(self.language)

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, strings and numbers: what `from_dict` reads."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote; what is left out has its default.

        Raises:
            ConfigError: a key is unknown, at any level, or a value is out of range.
        """
        read = _checked(cls, values, "")
        for name, part in _PARTS.items():
            if name in read:
                read[name] = part(**_checked(part, read[name], f"{name}."))
        return cls(**read)

    def for_window(
        self,
        context_window: int | None,
        *,
        use_ratio: float = 0.5,
        fallback_window: int | None = None,
    ) -> Self:
        """A copy whose context may take *use_ratio* of a model's window, in tokens.

        Raises:
            ConfigError: the window is unknown and there is no *fallback_window*.
        """
        sized = ContextConfig.for_window(
            context_window, use_ratio=use_ratio, fallback_window=fallback_window
        )
        return replace(self, context=replace(self.context, max_tokens=sized.max_tokens))


_PARTS: dict[str, type[Any]] = {
    "context": ContextConfig,
    "reducer": ReducerConfig,
    "compaction": CompactionConfig,
    "window_budget": WindowBudgetConfig,
    "media": MediaTokens,
}


def _check_part(name: str, value: object, part: type[Any]) -> None:
    if not isinstance(value, part):
        raise ConfigError(
            f"{name} must be a {part.__name__}, not {type(value).__name__}: "
            f"write {name}={part.__name__}(...), or read dictionaries by from_dict"
        )


def _checked(part: type[Any], values: object, path: str) -> dict[str, Any]:
    """*values* as a dictionary of the fields of *part*, and nothing else."""
    if not isinstance(values, Mapping):
        name = path.rstrip(".") or part.__name__
        raise ConfigError(f"{name} must be a dictionary, not {type(values).__name__}")
    known = [each.name for each in fields(part)]
    unknown = [f"{path}{key}" for key in values if key not in known]
    if unknown:
        raise ConfigError(
            f"unknown configuration key {', '.join(unknown)}: "
            f"{path.rstrip('.') or part.__name__} knows {', '.join(known)}"
        )
    return dict(values)
