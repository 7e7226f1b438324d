from __future__ import annotations

import json
import math
from dataclasses import replace

import anyio
import pytest

from agentmaker import Record, Usage
from agentmaker.calls.call import Reply
from agentmaker.calls.ledger import ROWS, Ledger
from agentmaker.calls.recording import Recording, is_truncated
from agentmaker.clients.fit import Fitter
from agentmaker.observe.clean import to_line
from agentmaker.testing import MemorySink
from tests.calls.talk import Server, assistant, call_of, ledger_of, settled, user

pytestmark = pytest.mark.anyio
CANARY = "sk-CANARY0123456789"


async def ledger() -> Ledger:
    return (await Fitter(window=4_000).fit([user("q"), assistant(), user(CANARY)])).ledger


async def test_one_record_is_written_for_each_request():
    sink, call = MemorySink(), replace(call_of(user(), model="m"), ledger=await ledger())
    await Recording([sink])(call, Server(settled(usage=Usage(prompt_tokens=20))))
    (record,) = sink
    assert record.ledger is call.ledger
    assert (record.model, record.outcome, record.request_id) == ("m", "ok", call.request_id)


async def test_the_reply_carries_the_ledger_of_its_request():
    call = replace(call_of(user()), ledger=await ledger())
    assert (await Recording([])(call, Server())).ledger is call.ledger


async def test_a_request_that_failed_is_recorded_by_the_name_of_its_error():
    sink = MemorySink()
    with pytest.raises(OSError, match=CANARY):
        await Recording([sink])(call_of(user()), Server(OSError(CANARY)))
    assert [record.outcome for record in sink] == ["OSError"]


async def test_a_request_that_was_cancelled_is_recorded_and_stays_cancelled():
    sink = MemorySink()

    async def hangs(call: object) -> Reply:
        await anyio.sleep_forever()
        raise AssertionError

    with anyio.move_on_after(0.01) as scope:
        await Recording([sink])(call_of(user()), hangs)
    assert scope.cancelled_caught
    assert [record.outcome for record in sink] == [anyio.get_cancelled_exc_class().__name__]


async def test_a_stream_is_recorded_when_it_ends_with_what_it_said_by_then():
    sink, reply = MemorySink(), Reply()
    await Recording([sink])(call_of(user(), params={"stream": True}), Server(reply))
    assert len(sink) == 0
    reply.usage, reply.finish_reason, reply.model = Usage(prompt_tokens=7), "stop", "served"
    reply.settle()
    reply.settle()
    (record,) = sink
    assert (record.stream, record.finish_reason, record.model) == (True, "stop", "served")
    assert record.usage == Usage(prompt_tokens=7)


async def test_a_sink_that_raises_harms_neither_the_call_nor_the_next_sink(
    caplog: pytest.LogCaptureFixture,
):
    class Full:
        def __call__(self, record: Record) -> None:
            raise OSError(f"disk full {CANARY}")

    sink = MemorySink()
    reply = await Recording([Full(), sink])(call_of(user()), Server())
    assert (reply.content, len(sink)) == ("ok", 1)
    assert "sink Full failed: OSError" in caplog.text
    assert CANARY not in caplog.text


async def test_the_error_of_the_estimate_is_its_share_of_the_provider_s_count():
    record = Record(ledger=ledger_of(100, 90), usage=Usage(prompt_tokens=100))
    assert record.estimate_error == pytest.approx(-0.1)
    assert replace(record, usage=Usage()).estimate_error is None
    assert replace(record, usage=Usage(prompt_tokens=0)).estimate_error is None
    assert Record(ledger=None, usage=Usage(prompt_tokens=5)).estimate_error is None


async def test_a_record_is_flat_and_has_every_row_of_the_ledger():
    fields = Record(ledger=await ledger()).fields()
    for name in ROWS:
        assert {f"{name}_{kind}" for kind in ("allotted", "used", "dropped")} <= fields.keys()
    assert not any(isinstance(value, dict) for value in fields.values())
    assert fields["window"] == sum(fields[f"{name}_used"] for name in ROWS)


async def test_case_79_what_the_provider_did_not_count_is_null():
    fields = Record(ledger=await ledger()).fields()
    names = (
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "cached_tokens",
        "estimate_error",
    )
    assert {fields[name] for name in names} == {None}


async def test_case_95_a_record_holds_no_content():
    sink = MemorySink()
    call = replace(call_of(user(CANARY), system(CANARY)), ledger=await ledger())
    await Recording([sink])(call, Server(settled(CANARY)))
    with pytest.raises(ValueError, match=CANARY):
        await Recording([sink])(call, Server(ValueError(CANARY)))
    assert CANARY not in json.dumps([record.fields() for record in sink])


def system(content: str) -> dict[str, str]:
    return {"role": "system", "content": content}


async def test_case_98_a_record_is_strict_json_whatever_is_in_it():
    ledger_with_gap = replace(await ledger(), prefix_kept=math.nan)
    record = Record(ledger=ledger_with_gap, model="m\ud83d", own_ms=math.inf)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(to_line(record.fields()).encode(), parse_constant=refuse)


@pytest.mark.parametrize(
    ("prompt", "cached", "estimate", "truncated"),
    [
        (2_051, None, 20_000, True),
        (9_999, None, 20_000, True),
        (10_000, None, 20_000, False),
        (499, None, 1_000, False),
        (500, None, 1_001, True),
        (None, None, 20_000, False),
        (0, None, 20_000, False),
        (300, 19_000, 20_000, False),
    ],
)
def test_case_55_a_count_far_below_the_estimate_is_suspected_truncation(
    prompt, cached, estimate, truncated
):
    usage = Usage(prompt_tokens=prompt, cached_tokens=cached)
    assert is_truncated(ledger_of(32_000, estimate), usage) is truncated
    assert not is_truncated(None, usage)


async def test_case_55_what_a_picture_costs_is_a_guess():
    sink, picture = MemorySink(), {"type": "image_url", "image_url": {"url": "data:,"}}
    call = replace(call_of(user()), ledger=ledger_of(32_000, 2_000))
    for content in ("text", [picture]):
        await Recording([sink])(
            replace(call, messages=(user(content),)), Server(settled(usage=Usage(prompt_tokens=99)))
        )
    assert [record.fields()["truncated"] for record in sink] == [True, False]


async def test_case_55_suspected_truncation_is_warned_of_once(caplog):
    recording = Recording([])
    call = replace(call_of(user(), model="m"), ledger=ledger_of(32_000, 20_000))
    for _ in range(3):
        await recording(call, Server(settled(usage=Usage(prompt_tokens=2_051))))
    (warning,) = caplog.records
    assert "2051 tokens in a prompt of about 20000" in warning.message
    assert "set window=" in warning.message
