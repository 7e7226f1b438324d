from __future__ import annotations

from agentmaker.calls.forms.defects import NAMED, Defects


def test_defects_are_listed_by_kind_with_their_places():
    defects = Defects()
    defects.add("ids mended", "call_1")
    defects.add("messages dropped", "messages[3]")
    defects.add("ids mended", "call_2")
    assert defects.lines() == ("ids mended: call_1, call_2", "messages dropped: messages[3]")


def test_a_thousand_defects_of_a_kind_are_one_short_line():
    defects = Defects()
    for index in range(1_000):
        defects.add("ids mended", f"call_{index}" * 50)
    (line,) = defects.lines()
    assert line.endswith(f"and {1_000 - NAMED} more")
    assert len(line) < 500
