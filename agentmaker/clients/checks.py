"""What users give, looked at before anything is sent and refused in words that say what to give."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from agentmaker.calls.forms.dialects import DIALECTS, Dialect
from agentmaker.clients.hosts import LEARNING, Chosen
from agentmaker.config import AgentmakerConfig
from agentmaker.context.knobs import kind_of
from agentmaker.errors import ConfigError
from agentmaker.scope import Scope

if TYPE_CHECKING:
    from agentmaker.calls.limits import Run
    from agentmaker.calls.middleware import Middleware
    from agentmaker.calls.recording import Sink
    from agentmaker.context.sources import ContextSource


def read_config(given: Any) -> AgentmakerConfig:
    """The configuration, or the default one.

    Raises:
        ConfigError: it is none.
    """
    if given is None:
        return AgentmakerConfig()
    if not isinstance(given, AgentmakerConfig):
        raise ConfigError(
            f"config must be an AgentmakerConfig, not {kind_of(given)}: "
            "AgentmakerConfig.from_dict(...) reads a dictionary"
        )
    return given


def read_dialect(given: Any) -> Dialect | Chosen:
    """The dialect itself, the one so called, or the choice by address and model.

    Raises:
        ConfigError: no dialect has that name.
    """
    if given is None:
        return Chosen()
    if isinstance(given, Dialect):
        return given
    if given == LEARNING:
        return Chosen(learns=True)
    if not isinstance(given, str) or given not in DIALECTS:
        known = ", ".join(sorted((*DIALECTS, LEARNING)))
        raise ConfigError(f"no dialect {given!r}: use one of {known}, or a Dialect")
    return DIALECTS[given]


def read_middleware(given: Any) -> tuple[Middleware, ...]:
    """The middleware, outermost first.

    Raises:
        ConfigError: it is no list, or an item cannot be called with a call and the next.
    """
    return _functions("middleware", given, "async (call, next) -> reply", arguments=2)


def read_sinks(given: Any) -> tuple[Sink, ...]:
    """The sinks.

    Raises:
        ConfigError: it is no list, or an item cannot be called with a record, or is async.
    """
    sinks: tuple[Sink, ...] = _functions("sinks", given, "(record) -> None", arguments=1)
    for index, sink in enumerate(sinks):
        if inspect.iscoroutinefunction(sink):
            raise ConfigError(f"sinks[{index}] is async: a sink is a plain function (record)")
    return sinks


def read_sources(given: Any) -> tuple[ContextSource, ...]:
    """The sources; whether they have a share is for the configuration to say.

    Raises:
        ConfigError: it is no list, or an item is no source.
    """
    sources: tuple[ContextSource, ...] = _items("sources", given)
    if not sources:
        return ()
    from agentmaker.context.sources import ContextSource

    for index, source in enumerate(sources):
        if not isinstance(source, ContextSource):
            raise ConfigError(
                f"sources[{index}] must be a ContextSource, not {kind_of(source)}: "
                "wrap a function in CallableSource(name, fn)"
            )
    return sources


def read_scope(given: Any) -> Scope | None:
    """The scope.

    Raises:
        ConfigError: it is none.
    """
    if given is None or isinstance(given, Scope):
        return given
    raise ConfigError(f"scope must be a Scope, not {kind_of(given)}: Scope(user=...)")


def read_run(given: Any) -> Run | None:
    """The run; a policy starts one of its own.

    Raises:
        ConfigError: it is neither.
    """
    if given is None:
        return None
    from agentmaker.calls.limits import Run, RunPolicy

    if isinstance(given, Run):
        return given
    if not isinstance(given, RunPolicy):
        raise ConfigError(f"run must be a RunPolicy, not {kind_of(given)}: RunPolicy(calls=...)")
    return Run(given)


def _items(name: str, given: Any) -> tuple[Any, ...]:
    # Some sinks can be iterated themselves: what can be called is one item, not a list.
    if isinstance(given, (str, bytes)) or callable(given) or not isinstance(given, Iterable):
        raise ConfigError(f"{name} must be a list, not {kind_of(given)}: put it in a list")
    return tuple(given)


def _functions(name: str, given: Any, shape: str, *, arguments: int) -> tuple[Any, ...]:
    items = _items(name, given)
    for index, item in enumerate(items):
        if not callable(item) or isinstance(item, type) or not _takes(item, arguments):
            raise ConfigError(f"{name}[{index}] must be a function {shape}, not {kind_of(item)}")
    return items


def _takes(function: Callable[..., Any], arguments: int) -> bool:
    try:
        inspect.signature(function).bind(*range(arguments))
    except TypeError:
        return False
    except ValueError:
        # Some functions written in C do not tell.
        return True
    return True
