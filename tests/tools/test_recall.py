from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.context.sources import Grant
from agentmaker.messages import ToolCall
from agentmaker.prompts import PROMPT_PACKS
from agentmaker.scope import Scope
from agentmaker.sync import run
from agentmaker.tokens import count_tokens
from agentmaker.tools import MemoryArchive, Outcome, ToolRegistry, recall_tool, run_calls

ALICE, BOB = Scope(user="alice"), Scope(user="bob")
LOG = "".join(f"{at:05} step of the job\n" for at in range(5_000))
NOTE = "我们的退款政策是七天内无理由退货。Invoice 4711."


async def archived(**texts: str) -> MemoryArchive:
    archive = MemoryArchive()
    for name, text in texts.items():
        await archive.put(ALICE, name, text)
    return archive


async def recall(
    archive: MemoryArchive, tokens: int = 500, scope: Scope = ALICE, **arguments: object
) -> Outcome:
    call = ToolCall(id="c1", name="recall", arguments=json.dumps(arguments))
    registry = ToolRegistry([recall_tool(archive, scope)])
    [outcome] = await run_calls([call], registry, grant=Grant(tokens, None, count_tokens))
    assert count_tokens(outcome.text) <= tokens
    return outcome


def test_it_is_idempotent_and_its_texts_come_from_the_prompt_registry():
    made = recall_tool(MemoryArchive(), ALICE)
    assert (made.name, made.idempotent, made.confirm) == ("recall", True, False)
    assert list(made.parameters["properties"]) == ["id", "start", "end", "search"]
    assert "Character where it ends" in made.parameters["properties"]["end"]["description"]
    chinese = recall_tool(MemoryArchive(), ALICE, prompts=PROMPT_PACKS["zh"])
    assert chinese.description.startswith("取回")
    assert chinese.parameters["properties"]["id"]["description"] == "哪一份文本。"


@pytest.mark.anyio
async def test_a_text_comes_back_by_its_id_with_the_range_it_is():
    archive = await archived(r1=NOTE)
    assert (
        await recall(archive, id="r1")
    ).text == f"[r1: characters 0 to {len(NOTE)} of {len(NOTE)}]\n{NOTE}"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("start", "end"), [(10, 20), (0, 5), (-10, None), (3, 10**30), (5, 5), (20, 10), (10**30, None)]
)
async def test_a_range_is_in_characters(start, end):
    archive = await archived(r1=NOTE)
    outcome = await recall(archive, id="r1", start=start, end=end)
    heading, _, text = outcome.text.partition("\n")
    assert text == NOTE[start:end]
    assert heading.endswith(f"of {len(NOTE)}]")


@pytest.mark.anyio
async def test_the_answer_is_sized_to_its_grant_and_tells_where_to_go_on():
    archive = await archived(r1=LOG)
    read, start = "", 0
    for _ in range(3):
        outcome = await recall(archive, tokens=300, id="r1", start=start)
        heading, _, text = outcome.text.partition("\n")
        first, last = map(int, re.findall(r"characters (\d+) to (\d+)", heading)[0])
        assert first == start
        read, start = read + text, last
    assert LOG.startswith(read)
    assert count_tokens(read) > 3 * 280


@pytest.mark.anyio
async def test_an_unknown_id_is_answered_with_the_known_ones_the_latest_first():
    archive = await archived(r1="a", r2="b")
    outcome = await recall(archive, id="r9")
    assert (outcome.failed, outcome.reason) == (True, "failed")
    assert outcome.text == "recall failed: there is no text r9, or no longer. Put away: r2, r1."
    assert (await recall(archive, id="r9", search="a")).failed


@pytest.mark.anyio
async def test_without_id_and_words_it_lists_what_there_is():
    assert (await recall(await archived(r1="a", r2="b"))).text == "Put away: r2, r1."
    assert (await recall(MemoryArchive(), search=" ")).text == "Put away: none."


@pytest.mark.anyio
async def test_case_97_only_the_scope_it_was_made_for_can_be_read():
    archive = await archived(r1=NOTE)
    assert (await recall(archive, scope=BOB, id="r1")).failed
    assert "Nothing found" in (await recall(archive, scope=BOB, search="invoice")).text
    call = ToolCall(id="c", name="recall", arguments={"id": "r1", "user": "alice"})
    registry = ToolRegistry([recall_tool(archive, BOB)])
    [outcome] = await run_calls([call], registry, grant=Grant(99, None, count_tokens), scope=ALICE)
    assert outcome.reason == "arguments"


@pytest.mark.anyio
@pytest.mark.parametrize("words", ["INVOICE", "退款政策", "退款的政策", "invoice 4711"])
async def test_words_are_found_in_all_texts_whatever_their_case_or_script(words):
    archive = await archived(r1=LOG, r2=NOTE, r3="other")
    outcome = await recall(archive, search=words)
    assert outcome.text.startswith(f"[r2: characters 0 to {len(NOTE)} of {len(NOTE)}]\n")
    assert NOTE in outcome.text


@pytest.mark.anyio
async def test_matches_show_where_they_stand_so_that_the_text_around_them_can_be_read():
    archive = await archived(r1=LOG, r2=NOTE)
    outcome = await recall(archive, id="r1", search="04711")
    first, last = map(int, re.findall(r"characters (\d+) to (\d+)", outcome.text)[0])
    assert LOG[first:last] in outcome.text
    assert "04711 step" in LOG[first:last]
    assert "r2" not in outcome.text


@pytest.mark.anyio
async def test_many_matches_are_told_by_number_when_there_is_no_room_for_them():
    archive = await archived(r1=LOG)
    outcome = await recall(archive, tokens=1_000, search="step")
    headings = re.findall(r"\[r1: characters", outcome.text)
    [more] = re.findall(r"\[(\d+) more passages", outcome.text)
    assert len(headings) > 1
    assert int(more) > 100


@pytest.mark.anyio
async def test_words_that_are_nowhere_are_said_to_be_nowhere():
    outcome = await recall(await archived(r1=NOTE), search="absent")
    assert not outcome.failed
    assert outcome.text == "Nothing found for absent in all. Put away: r1."


@pytest.mark.anyio
async def test_searching_all_texts_does_not_change_which_are_forgotten_first():
    archive = await archived(r1="a", r2="b", r3="c")
    await recall(archive, search="b")
    assert await archive.names(ALICE) == ("r3", "r2", "r1")


def joined(text: str) -> int:
    """Counts more for a heading and a text together than for each by itself."""
    return len(text) + 10 * ("]\n0" in text)


@pytest.mark.anyio
async def test_a_counter_that_does_not_add_up_is_kept_to_as_well():
    made = recall_tool(await archived(r1=LOG), ALICE)
    call = ToolCall(id="c", name="recall", arguments={"id": "r1"})
    for tokens in range(60, 80):
        grant = Grant(tokens, None, joined)
        [outcome] = await run_calls([call], ToolRegistry([made]), grant=grant)
        assert tokens - 12 <= joined(outcome.text) <= tokens


@given(
    st.text("ab中 \n", max_size=400),
    st.integers(0, 120),
    st.integers(-500, 500),
    st.none() | st.text("ab中 ", max_size=3),
)
def test_the_answer_never_has_more_tokens_than_its_grant(text, tokens, start, search):
    async def check() -> None:
        made = recall_tool(archive, ALICE)
        arguments = {"id": "r1", "start": start, "search": search}
        call = ToolCall(id="c", name="recall", arguments=arguments)
        grant = Grant(tokens, None, count_tokens)
        [outcome] = await run_calls([call], ToolRegistry([made]), grant=grant)
        assert not outcome.failed
        assert count_tokens(outcome.text) <= tokens

    archive = run(lambda: archived(r1=text))
    run(check)
