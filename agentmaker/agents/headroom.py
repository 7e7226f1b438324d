"""How much of the window a part of what is said may take."""

from __future__ import annotations

from agentmaker.agents.run import ActiveRun
from agentmaker.calls.ledger import Ledger
from agentmaker.calls.room import LEAST_SHARE, Fixed, shared_out
from agentmaker.calls.setting import Setting
from agentmaker.calls.window import Window
from agentmaker.tools import ToolRegistry

UNMEASURED = 0.25
"""Of the window, the room where no request has measured it yet."""

LEAST_DIGEST = 32
"""Tokens a summary within a digest must have room for: an extract says as much in less.

So many has what is to be done next, however little room there is.
"""


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
    """Tokens that a digest of earlier parts may take: its share of what a request leaves.

    Raises:
        ContextWindowExceeded: the fixed parts leave nothing.
    """
    fixed = Fixed.of(Window(system=run.prompt.messages, tools=tuple(tools.schemas)), run.setting)
    asked = run.prompt.question(with_output=True)
    room, taken = shared_out(fixed, run.setting, run.params), run.setting.counter(asked.text)
    # Beside a long question the reserve for the reply gives way.
    left = max(room.shared - taken, int((room.most - taken) * LEAST_SHARE))
    return max(0, int(left * share))
