from __future__ import annotations

import anyio
import pytest
from anyio.lowlevel import checkpoint

from agentmaker import RunLimitExceeded, Scope
from agentmaker.calls.call import Call, Reply
from agentmaker.calls.memory.once import OnceFailed
from agentmaker.calls.setting import Setting
from agentmaker.calls.summaries import Summaries
from tests.calls.talk import call_of, settled, system, user

pytestmark = pytest.mark.anyio


class Writer:
    """Writes a summary of its own for each call, and lets others come in meanwhile."""

    def __init__(self, *answers: Exception | Reply) -> None:
        self.answers = list(answers)
        self.asked: list[Call] = []
        self.summaries = Summaries()

    async def __call__(self, call: Call) -> Reply:
        self.asked.append(call)
        number = len(self.asked)
        for _ in range(5):
            await checkpoint()
        answer = self.answers.pop(0) if self.answers else summary(f"number {number}")
        if isinstance(answer, Exception):
            raise answer
        return answer


def summary(text: str, finish_reason: str = "stop") -> Reply:
    return settled(text, finish_reason=finish_reason)


def calls(
    number: int, setting: Setting, text: str = "all they said", **given: object
) -> list[Call]:
    return [call_of(system("Sum up."), user(text), setting=setting, **given) for _ in range(number)]


async def answers(asked: list[Call], write: Writer) -> list[str | None]:
    got: list[str | None] = ["under way"] * len(asked)

    async def ask(index: int, call: Call) -> None:
        try:
            got[index] = (await write.summaries(call, write)).content
        except (OnceFailed, RunLimitExceeded, ValueError) as error:
            got[index] = type(error).__name__

    async with anyio.create_task_group() as group:
        for index, call in enumerate(asked):
            group.start_soon(ask, index, call)
    assert len(write.summaries) == 0
    return got


async def test_the_same_summary_is_asked_for_once_and_remembered() -> None:
    setting, write = Setting(window=8_000), Writer()
    assert await answers(calls(5, setting), write) == ["number 1"] * 5
    assert await answers(calls(2, setting), write) == ["number 1"] * 2
    assert len(write.asked) == 1


@pytest.mark.parametrize(
    "other",
    [{"text": "something else"}, {"model": "other"}, {"scope": Scope(user="bob")}],
    ids=["text", "model", "scope"],
)
async def test_another_text_model_or_scope_is_another_summary(other: dict[str, object]) -> None:
    setting, write = Setting(window=8_000), Writer()
    same: dict[str, object] = {"model": "m", "scope": Scope(user="ann")}
    asked = [*calls(1, setting, **same), *calls(1, setting, **{**same, **other})]
    assert sorted(map(str, await answers(asked, write))) == ["number 1", "number 2"]


async def test_case_20_a_failure_is_shared_but_not_remembered() -> None:
    setting, write = Setting(window=8_000), Writer(ValueError("down"))
    got = await answers(calls(3, setting), write)
    assert sorted(map(str, got)) == ["OnceFailed", "OnceFailed", "ValueError"]
    assert len(write.asked) == 1
    assert await answers(calls(1, setting), write) == ["number 2"]


async def test_case_22_one_that_did_not_come_to_its_end_is_not_remembered() -> None:
    setting, write = Setting(window=8_000), Writer(summary("half a", "length"))
    assert await answers(calls(2, setting), write) == ["half a"] * 2
    assert await answers(calls(1, setting), write) == ["number 2"]


async def test_a_run_at_its_limit_does_not_keep_the_others_from_asking() -> None:
    limit = RunLimitExceeded("calls", allowed=1, used=1)
    setting, write = Setting(window=8_000), Writer(limit)
    got = await answers(calls(3, setting), write)
    assert sorted(map(str, got)) == ["RunLimitExceeded", "number 2", "number 2"]


async def test_what_is_remembered_holds_nothing_of_the_server_s() -> None:
    setting = Setting(window=8_000)
    write = Writer(settled("short", finish_reason="stop", raw=object()))
    await write.summaries(calls(1, setting)[0], write)
    assert (await write.summaries(calls(1, setting)[0], write)).raw is None
