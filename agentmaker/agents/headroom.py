"""How much of the window the next results may take."""

from __future__ import annotations

from agentmaker.calls.ledger import Ledger
from agentmaker.calls.setting import Setting

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
