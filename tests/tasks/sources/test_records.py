from __future__ import annotations

from collections import OrderedDict
from datetime import date
from types import MappingProxyType
from uuid import UUID

import anyio
import anyio.to_thread
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.errors import ConfigError
from agentmaker.tasks.source import PAGE, Changing, TaskSource, Unreadable
from agentmaker.tasks.sources.fingerprint import fingerprint_of
from agentmaker.tasks.sources.record_mapping import RecordMapping
from agentmaker.tasks.sources.records import RecordsSource

pytestmark = pytest.mark.anyio


def tickets() -> list[dict[str, object]]:
    return [
        {"id": "T1", "title": "Broken door", "tags": ["home", "wood"], "open": True},
        {"id": "T2", "title": "Cold room", "tags": [], "open": False},
    ]


async def test_a_record_is_shown_with_its_fields_in_their_order(told) -> None:
    source = RecordsSource(tickets(), key="id", title="title")
    assert isinstance(source, TaskSource)
    assert isinstance(source, Changing)
    found = (await told(source)).descriptors
    assert [*found] == ["T1", "T2"]
    assert (found["T1"].role, found["T1"].title) == ("record", "Broken door")
    assert found["T2"].summary == "id: T2 title: Cold room tags: [] open: false"
    content = await source.read("T1")
    assert content.text == "id: T1\ntitle: Broken door\ntags:\n  - home\n  - wood\nopen: true"
    assert (content.revision, content.total) == (found["T1"].revision, found["T1"].size)
    assert (await source.read("T1", start=4, limit=2)).text == "T1"


async def test_a_read_needs_no_listing_before() -> None:
    assert (await RecordsSource(tickets(), key="id").read("T2")).text.startswith("id: T2")


async def test_one_field_or_a_function_can_be_the_text_and_nothing_else_is_shown() -> None:
    by_field = RecordsSource(tickets(), key="id", text="title")
    assert (await by_field.read("T1")).text == "Broken door"
    by_function = RecordsSource(tickets(), key="id", text=lambda record: f"<{record['title']}>")
    assert (await by_function.read("T1")).text == "<Broken door>"


async def test_records_without_a_key_are_named_by_their_place(told) -> None:
    assert (await told(RecordsSource(tickets()))).refs == ["#0", "#1"]


@pytest.mark.parametrize("key", [None, "", True, ["T3"], {"a": 1}])
async def test_a_record_without_a_key_of_one_value_is_told_and_offered_by_its_place(
    told, key
) -> None:
    source = RecordsSource([*tickets(), {"id": key, "title": "x"}, {"title": "y"}], key="id")
    found = await told(source)
    assert found.refs == ["T1", "T2", "#2", "#3"]
    assert found.reasons == {"#2": "missing_field", "#3": "missing_field"}
    assert "y" in (await source.read("#3")).text


async def test_keys_that_are_repeated_are_told_and_lose_nothing(told) -> None:
    source = RecordsSource(
        [{"id": 1, "n": "a"}, {"id": "1", "n": "b"}, {"id": 1, "n": "c"}], key="id"
    )
    found = await told(source)
    assert found.refs == ["1", "#1", "#2"]
    assert found.reasons == {"#1": "invalid", "#2": "invalid"}
    assert (await source.read("#2")).text.endswith("c")


async def test_a_key_that_looks_like_a_place_names_its_record_alone(told) -> None:
    source = RecordsSource([{"id": "#1"}, {"id": None}, {"id": "##1"}], key="id")
    assert (await told(source)).refs == ["#1", "###1", "##1"]
    assert (await source.read("#1")).text == 'id: "#1"'
    assert (await source.read("###1")).text == "id: null"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"id": 1}, "missing_field"),
        ({"id": 1, "body": None}, "missing_field"),
        ({"id": 1, "body": ["x"]}, "invalid"),
    ],
)
async def test_a_record_without_its_text_is_told_and_shown_to_nobody(told, record, reason) -> None:
    source = RecordsSource([record, {"id": 2, "body": "x"}], key="id", text="body")
    found = await told(source)
    assert (found.refs, found.reasons) == (["2"], {"1": reason})
    with pytest.raises(Unreadable, match=reason):
        await source.read("1")


async def test_a_record_without_its_title_is_told_and_has_its_ref_for_one(told) -> None:
    found = await told(RecordsSource([{"id": 1}], key="id", title="name"))
    assert found.descriptors["1"].title == "1"
    assert found.reasons == {"1": "missing_field"}


async def test_what_cannot_be_shown_is_told(told) -> None:
    cycle: dict[str, object] = {"id": "cycle"}
    cycle["self"] = cycle
    records = [{"id": "bytes", "a": b"x"}, {"id": "object", "a": object()}, cycle, {"id": "ok"}]
    found = await told(RecordsSource(records, key="id"))
    assert found.refs == ["ok"]
    assert found.reasons == dict.fromkeys(["bytes", "object", "cycle"], "invalid")


@pytest.mark.parametrize("setting", [{}, {"text": "a"}, {"title": "a"}, {"key": "a"}])
async def test_a_number_of_too_many_digits_costs_its_record_and_no_other(told, setting) -> None:
    found = await told(RecordsSource([{"a": 10**5000, "b": 1}, {"a": 2, "b": 2}], **setting))
    assert len(found.refs) == 1
    assert "invalid" in found.reasons.values()


async def test_a_function_that_fails_is_told_by_its_error_alone(told) -> None:
    def failing(record: dict[str, object]) -> str:
        raise ValueError("with content")

    found = await told(RecordsSource([{"id": 1}], key="id", text=failing))
    assert found.reasons == {"1": "invalid"}
    assert "ValueError" in found.problems[0].detail
    assert "content" not in found.problems[0].detail


async def test_values_of_many_types_are_shown_and_named(told) -> None:
    uuid = UUID(int=1)
    records = [
        {"id": uuid, "on": date(2026, 1, 2)},
        MappingProxyType({"id": 5, "a": ("x",)}),
        OrderedDict(id="ü\ud83d", a="half \ud83d"),
    ]
    source = RecordsSource(records, key="id")
    assert (await told(source)).refs == [str(uuid), "5", "ü?"]
    assert "2026-01-02" in (await source.read(str(uuid))).text
    assert "\ud83d" not in (await source.read("ü?")).text


async def test_a_record_changed_in_place_is_seen_however_deep(told) -> None:
    records = tickets()
    source = RecordsSource(records, key="id")
    known = (await told(source)).descriptors
    assert not (await source.changes(known)).descriptors
    records[0]["tags"].append("new")  # type: ignore[attr-defined]
    records[1]["open"] = 0
    changes = await source.changes(known)
    assert [each.ref for each in changes.descriptors] == ["T1", "T2"]
    assert "new" in (await source.read("T1")).text


async def test_records_added_and_removed_are_seen(told) -> None:
    records = tickets()
    source = RecordsSource(records, key="id")
    known = (await told(source)).descriptors
    records.insert(0, {"id": "T0"})
    del records[2]
    changes = await source.changes(known)
    assert [each.ref for each in changes.descriptors] == ["T0"]
    assert changes.gone == ("T2",)
    with pytest.raises(Unreadable, match="gone"):
        await source.read("T2")


async def test_of_unchanged_records_no_text_is_made_again(told, monkeypatch) -> None:
    records = [{"id": number, "n": [number]} for number in range(PAGE + 5)]
    source = RecordsSource(records, key="id")
    known = (await told(source)).descriptors
    made, described = [], RecordMapping.described

    def counting(self, ref, record):
        made.append(ref)
        return described(self, ref, record)

    monkeypatch.setattr(RecordMapping, "described", counting)
    records[7]["n"] = "other"
    assert [each.ref for each in (await source.changes(known)).descriptors] == made == ["7"]


async def test_another_process_finds_the_same_records_unchanged(told) -> None:
    known = (await told(RecordsSource(tickets(), key="id"))).descriptors
    changes = await RecordsSource(tickets(), key="id").changes(known)
    assert (changes.descriptors, changes.gone) == ((), ())


async def test_pages_have_no_more_than_they_may() -> None:
    source = RecordsSource([{"id": number} for number in range(2 * PAGE)], key="id")
    assert [len(page.descriptors) async for page in source.pages()] == [PAGE, PAGE]


async def test_records_that_change_while_they_are_listed_are_never_half_a_record(told) -> None:
    records = [{"id": number, "parts": ["0"] * 50} for number in range(50)]
    source, done = RecordsSource(records, key="id", text=lambda each: "".join(each["parts"])), []

    def change() -> None:
        for value in map(str, range(1, 10)):
            for each in records:
                each["parts"] = [value] * 50
        done.append(True)

    async def read() -> None:
        while not done:
            await source.changes({})
            for ref in ("0", "49"):
                content = await source.read(ref)
                assert len(set(content.text)) == 1

    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(read)
        await anyio.to_thread.run_sync(change)
    known = (await told(source)).descriptors
    assert (
        known
        == (await told(RecordsSource(records, key="id", text=source._mapping.text))).descriptors
    )


async def test_a_generator_is_read_once_and_kept(told) -> None:
    source = RecordsSource((each for each in tickets()), key="id")
    assert (await told(source)).refs == (await told(source)).refs == ["T1", "T2"]


async def test_a_function_is_asked_at_each_listing(told) -> None:
    asked: list[int] = []

    def sync() -> list[dict[str, object]]:
        asked.append(1)
        return [{"id": len(asked)}]

    async def coroutine() -> object:
        return sync()

    async def stream():
        for each in sync():
            yield each

    def generator():
        yield from sync()

    for function in (sync, coroutine, stream, generator):
        asked.clear()
        source = RecordsSource(function, key="id")
        assert (await told(source)).refs == ["1"]
        assert (await source.read("1")).text == "id: 1"
        assert (await told(source)).refs == ["2"]
        assert asked == [1, 1]


async def test_what_a_function_gives_beside_records_is_told(told) -> None:
    found = await told(RecordsSource(lambda: ["x", {"id": 1}, None], key="id"))
    assert found.refs == ["1"]
    assert found.reasons == {"#0": "invalid", "#2": "invalid"}


async def test_a_function_that_gives_no_records_is_an_error(told) -> None:
    for nothing in (None, "text", {"id": 1}, 5):
        with pytest.raises(ConfigError, match="list of dictionaries"):
            await told(RecordsSource(lambda nothing=nothing: nothing))


@pytest.mark.parametrize("records", ["text", b"x", {"id": 1}, 5, None, ["x"], [{"a": 1}, 5]])
async def test_what_is_no_list_of_records_is_refused(records) -> None:
    with pytest.raises(ConfigError):
        RecordsSource(records)


@pytest.mark.parametrize(
    "setting",
    [{"key": ""}, {"key": 5}, {"key": str}, {"text": 5}, {"title": ""}, {"name": ""}, {"id": " "}],
)
async def test_a_setting_that_cannot_work_is_refused(setting) -> None:
    with pytest.raises(ConfigError):
        RecordsSource([], **setting)


async def test_the_id_of_records_is_made_of_their_name() -> None:
    assert RecordsSource([]).id == "records:records"
    assert RecordsSource([], name="tickets").id == "records:tickets"
    assert RecordsSource([], id="mine", name="tickets").id == "mine"
    assert repr(RecordsSource([], name="tickets")) == "RecordsSource(name='tickets')"


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
RECORDS = st.dictionaries(st.text(max_size=3), DATA, max_size=4)


@given(RECORDS, RECORDS)
async def test_records_of_one_mark_have_one_text(one, two) -> None:
    mapping = RecordMapping()
    if fingerprint_of(one) == fingerprint_of(two):
        assert mapping.text_of("", one) == mapping.text_of("", two)
    assert fingerprint_of(one) == fingerprint_of({**one})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ("1", 1),
        ([1], [True]),
        (None, "null"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ],
)
async def test_values_that_python_calls_equal_have_marks_of_their_own(one, two) -> None:
    assert fingerprint_of({"a": one}) != fingerprint_of({"a": two})


@pytest.mark.anyio
async def test_a_record_that_is_as_it_was_told_is_told_as_the_same_object() -> None:
    records = [{"id": "a", "text": "cats"}, {"id": "b", "text": "dogs"}]
    before = dict((await RecordsSource(records, key="id").listing({})).descriptors)
    changed = [records[0], {"id": "b", "text": "birds"}]
    now = (await RecordsSource(changed, key="id").listing(before)).descriptors
    assert now["a"] is before["a"]
    assert now["b"] != before["b"]
