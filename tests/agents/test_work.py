from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agentmaker.agents.work import Work, as_read, began, decided, ended, remarked, said
from agentmaker.memory.records import Entry
from agentmaker.messages import Message, ToolCall


def calling(*ids: str) -> Message:
    calls = tuple(ToolCall(id=each, name="look", arguments="{}") for each in ids)
    return Message(None, "assistant", tool_calls=calls)


def test_what_a_model_says_is_the_same_said_now_and_read_again():
    written = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    read = Message.from_wire({"role": "assistant", "tool_calls": [written], "odd": [1]})

    for message in (read, calling("a", "b"), Message("Done.", "assistant", extra={"odd": True})):
        now = Work().saying(as_read(message), finish="stop")
        assert now == Work().after([said("", message, finish="stop")])
        assert now.calls == now.messages[-1].tool_calls
    assert as_read(read) is read


def test_a_batch_is_open_until_every_call_has_its_result():
    work = Work().after([said("", calling("a", "b")), ended("", 1, "B")])

    assert work.open == (0,)
    assert [each.role for each in work.messages] == ["assistant"]


def test_results_stand_in_the_order_asked_whatever_order_they_came_in():
    work = Work().after([said("", calling("a", "b")), ended("", 1, "B"), ended("", 0, "A")])

    assert [(each.tool_call_id, each.content) for each in work.messages[1:]] == [
        ("a", "A"),
        ("b", "B"),
    ]
    assert work.open == ()


def test_calls_that_share_an_id_keep_their_own_results():
    work = Work().after([said("", calling("", "")), ended("", 0, "first"), ended("", 1, "second")])

    assert [each.content for each in work.messages[1:]] == ["first", "second"]


def test_what_began_and_what_was_decided_is_of_the_open_batch_only():
    work = Work().after([said("", calling("a")), began("", 0), decided("", 0, True)])
    assert (work.began, work.allowed) == (frozenset({0}), {0: True})

    work = work.after([ended("", 0, "A"), said("", calling("b"))])
    assert (work.began, work.allowed, work.open) == (frozenset(), {}, (0,))


def test_a_note_stands_under_the_newest_result():
    work = Work().after([said("", calling("a")), ended("", 0, "A"), remarked("", "mind the gap")])

    assert work.messages[-1].content == "A\n\nmind the gap"
    assert work.messages[-1].tool_call_id == "a"


def test_parts_of_a_run_and_other_kinds_of_entries_do_not_mix():
    entries = [said("step 1", Message("one", "assistant")), Entry("digest", {"text": "x"})]

    assert Work(part="step 2").after(entries) == Work(part="step 2")
    assert Work(part="step 1").after(entries).messages[0].text == "one"


@given(st.data())
def test_going_on_from_any_point_is_the_same_as_never_having_stopped(data: st.DataObject):
    entries = data.draw(histories())
    cut = data.draw(st.integers(0, len(entries)))

    through_json = [Entry(each.kind, json.loads(json.dumps(each.data))) for each in entries]
    assert Work().after(through_json[:cut]).after(entries[cut:]) == Work().after(entries)


@given(st.data())
def test_no_result_is_without_its_call_and_none_comes_twice(data: st.DataObject):
    work = Work().after(data.draw(histories()))

    waiting: list[str] = []
    for message in work.messages:
        if message.role == "assistant":
            assert not waiting
            waiting = [call.id for call in message.tool_calls]
        elif message.role == "tool":
            assert message.tool_call_id == waiting.pop(0)
    assert len(waiting) == len(work.calls)


@st.composite
def histories(draw: st.DrawFn) -> list[Entry]:
    entries: list[Entry] = []
    for batch in range(draw(st.integers(0, 4))):
        size = draw(st.integers(1, 4))
        entries.append(said("", calling(*(f"c{batch}-{at}" for at in range(size)))))
        order = draw(st.permutations(range(size)))
        last = batch == 3
        for at in order[: draw(st.integers(0, size)) if last else size]:
            entries += [began("", at), ended("", at, draw(st.text(max_size=5)))]
    return entries
