from __future__ import annotations

from agentmaker.agents.sight import Sight
from agentmaker.calls.ledger import Ledger, Row


def ledger(dropped: int, *reductions: str) -> Ledger:
    rows = (Row(name="trajectory", used=100, dropped=dropped),)
    return Ledger(window=100, rows=rows, estimate=100, reductions=reductions)


def test_a_cut_that_is_only_counted_anew_narrows_nothing():
    sight = Sight()
    requests = [
        ledger(0),
        ledger(500, "trajectory: 12 units dropped"),
        ledger(507, "trajectory: 12 units dropped"),
        ledger(900, "trajectory: 20 units dropped"),
        ledger(0),
    ]
    assert [sight.narrows(each) for each in requests] == [False, True, False, True, False]
    assert sight.was_cut
