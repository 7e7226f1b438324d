"""What tools read last and a cut has taken from sight, as it is by now."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from agentmaker.agents.toolbox import Toolbox
from agentmaker.calls.forms.fence import fence
from agentmaker.calls.ledger import Ledger
from agentmaker.context.measure import message_tokens
from agentmaker.messages import Message, ToolCall
from agentmaker.tokens import TokenCounter
from agentmaker.tools import Outcome, run_calls


async def shown_anew(
    messages: Sequence[Message], ledger: Ledger, toolbox: Toolbox, room: int
) -> str:
    """The artefacts of *messages* that the cut of *ledger* took out of sight, read again.

    "" when there are none. All of them together take no more than the results of one batch.
    """
    if not any(tool.artefact for tool in toolbox.registry):
        return ""
    gone = _out_of_sight(messages, ledger["trajectory"].used, toolbox.counter)
    calls = _latest(messages[:gone], toolbox)
    still_seen = {_artefact(call, toolbox) for call in _calls(messages[gone:])}
    wanted = [call for name, call in calls.items() if name not in still_seen]
    wanted = wanted[: toolbox.config.artefacts]
    if not wanted:
        return ""
    grant = toolbox.grant(room, len(wanted))
    outcomes = await run_calls(
        wanted,
        toolbox.registry,
        grant=grant,
        scope=toolbox.scope,
        prompts=toolbox.prompts,
    )
    return "\n\n".join([_shown(each, await toolbox.cut(each, grant), toolbox) for each in outcomes])


def _out_of_sight(messages: Sequence[Message], used: int, counter: TokenCounter) -> int:
    """How many of the oldest messages have no room in the *used* tokens of the trajectory."""
    left = used
    for at in range(len(messages) - 1, -1, -1):
        left -= message_tokens(messages[at], counter)
        if left < 0:
            return at + 1
    return 0


def _latest(messages: Sequence[Message], toolbox: Toolbox) -> dict[tuple[str, str], ToolCall]:
    """The newest call that read each artefact, the latest used first."""
    found: dict[tuple[str, str], ToolCall] = {}
    for call in _calls(messages):
        name = _artefact(call, toolbox)
        if name is not None and name not in found:
            found[name] = call
    return found


def _calls(messages: Sequence[Message]) -> Iterator[ToolCall]:
    for message in reversed(messages):
        yield from reversed(message.tool_calls)


def _artefact(call: ToolCall, toolbox: Toolbox) -> tuple[str, str] | None:
    """The tool and the thing a call of it names; None where it names none."""
    tool = toolbox.registry.get(call.name)
    # What had to be approved is not run again of itself.
    if tool is None or tool.artefact is None or tool.confirm:
        return None
    try:
        value = json.loads(call.arguments)[tool.artefact]
    except (TypeError, ValueError, KeyError, RecursionError):
        return None
    return tool.name, str(value)


def _shown(outcome: Outcome, text: str, toolbox: Toolbox) -> str:
    tool, thing = _artefact(outcome.call, toolbox) or (outcome.call.name, "")
    note = toolbox.prompts.render("run.artefact", tool=tool, thing=thing)
    return fence(text, kind="artefact", note=note)
