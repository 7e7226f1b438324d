"""How much of the window a part of what is said may take."""

from __future__ import annotations

from agentmaker.agents.run import ActiveRun
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.setting import Setting
from agentmaker.messages import dumps
from agentmaker.tools import ToolRegistry

UNMEASURED = 0.25
"""Of the window, the room where no request has measured it yet."""


def headroom(ledger: Ledger | None, setting: Setting) -> int:
    """Tokens the trajectory could have, when all that is old in it gave way."""
    if ledger is None:
        return int(setting.window * UNMEASURED)
    return ledger["trajectory"].used + ledger["free"].used


def fill(ledger: Ledger | None) -> float:
    """The share of that room which the trajectory had taken."""
    if ledger is None:
        return 0.0
    used, free = ledger["trajectory"].used, ledger["free"].used
    return used / (used + free) if used + free else 0.0


def digest_room(run: ActiveRun, tools: ToolRegistry, share: float) -> int:
    """Tokens that a digest of earlier parts may take: its share of what the fixed parts leave."""
    setting = run.setting
    reserve = setting.output_tokens or setting.budget.output_reserve(
        window=setting.window, model_max_output=setting.max_output
    )
    schemas = dumps(tools.schemas) if tools.schemas else ""
    texts = (*(each.text for each in (*run.system, run.question)), schemas)
    fixed = sum(map(setting.counter, texts))
    return max(0, int((setting.window - reserve - fixed) * share))
