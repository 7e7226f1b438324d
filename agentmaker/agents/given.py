"""What users give an agent, looked at before anything is asked and refused in words that help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from agentmaker.agents.knobs import AgentConfig
from agentmaker.agents.toolbox import Confirm
from agentmaker.calls.limits import RunPolicy
from agentmaker.context.knobs import check_switch, kind_of
from agentmaker.errors import ConfigError
from agentmaker.memory.given import as_given
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.session import Session
from agentmaker.memory.store import Store
from agentmaker.messages import Message
from agentmaker.tools import RECALL, ToolRegistry

if TYPE_CHECKING:
    from agentmaker.memory.notes.notes import Notes


def read_name(given: object) -> str:
    if isinstance(given, str) and given.strip():
        return given
    raise ConfigError(f"an agent needs a name, by which its runs are found; not {given!r}")


def read_instructions(given: object) -> str:
    if isinstance(given, str):
        return given
    raise ConfigError(f"instructions are text, not {kind_of(given)}: put data into the question")


def read_tools(given: Any, notes: Notes | None, config: AgentConfig) -> ToolRegistry:
    """The tools, those of *notes* among them; none by a name that is an agent's own."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise ConfigError("tools is a list of tools: write tools=[...]")
    registry = given if isinstance(given, ToolRegistry) else ToolRegistry(given)
    if RECALL in registry:
        raise ConfigError(f"{RECALL!r} is what brings long results back: name your tool otherwise")
    if config.self_compaction:
        _check_no_compact(registry)
    return registry if notes is None else registry.with_tools(*notes.tools())


def _check_no_compact(registry: ToolRegistry) -> None:
    from agentmaker.agents.compaction import COMPACT

    if COMPACT in registry:
        raise ConfigError(
            f"{COMPACT!r} is what AgentConfig(self_compaction=True) gives the model: "
            "name your tool otherwise"
        )


def read_notes(given: Any) -> Notes | None:
    if given is None or callable(getattr(given, "tools", None)):
        return given  # type: ignore[no-any-return]
    raise ConfigError(f"notes must be a Notes(...), not {kind_of(given)}: Notes('a-folder') is one")


def read_session(given: object) -> Session | None:
    if given is None or isinstance(given, Session):
        return given
    raise ConfigError(f"session must be a Session(...), not {kind_of(given)}")


def read_store(session: Session | None, given: Any) -> Store:
    """Where runs are kept: where the session is, or in the store given."""
    if session is not None and given not in (None, session.store):
        raise ConfigError("an agent's runs are kept where its session is: leave store= out")
    store: Store = session.store if session is not None else given
    if store is None:
        return MemoryStore()
    if not callable(getattr(store, "commit", None)):
        raise ConfigError(
            f"store must be a SessionStore(...) or MemoryStore(), not {kind_of(store)}"
        )
    return store


def read_limits(given: object) -> RunPolicy:
    if isinstance(given, RunPolicy):
        return given
    raise ConfigError(f"limits must be a RunPolicy(...), not {kind_of(given)}")


def read_confirm(given: Any) -> Confirm | None:
    if given is None or callable(given):
        confirm: Confirm | None = given
        return confirm
    raise ConfigError(f"confirm must be a function of a call, not {kind_of(given)}")


def read_config(given: object) -> AgentConfig:
    if given is None:
        return AgentConfig()
    if isinstance(given, AgentConfig):
        return given
    raise ConfigError(f"config must be an AgentConfig(...), not {kind_of(given)}")


def read_run_id(given: object) -> str:
    if isinstance(given, str):
        return given
    raise ConfigError(
        "resume takes the id of a run, as result.run_id or `agentmaker runs` say it, "
        f"not {kind_of(given)}"
    )


def read_approvals(given: object) -> dict[str, bool]:
    """What is decided of calls, by their ids."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ConfigError("approvals are True or False by call id, as in {'call_1': True}")
    return {str(id): check_switch(f"approvals[{id!r}]", said) for id, said in given.items()}


def read_question(given: Any) -> Message:
    """A user message of text, content parts, or what is one already."""
    if isinstance(given, list) and any("role" in each for each in given if isinstance(each, dict)):
        raise ConfigError("a question is one message: what was said before belongs in a session")
    try:
        said = Message(given) if isinstance(given, (str, list)) else given
        (question,) = as_given([Message.from_wire(said)])
    except (TypeError, ValueError) as error:
        raise ConfigError(f"a question is text, content parts or a user message: {error}") from None
    if isinstance(question.content, list) and not all(map(_is_part, question.content)):
        raise ConfigError("content parts are dictionaries with a type: give data as a dictionary")
    if question.role != "user":
        raise ConfigError(f"a question must be a user message, not a {question.role} message")
    if not question.content or (isinstance(question.content, str) and not question.text.strip()):
        raise ConfigError("a question needs words: this one is empty")
    return question


def _is_part(given: object) -> bool:
    return isinstance(given, Mapping) and "type" in given
