from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from agentmaker import ConfigError
from agentmaker.context.rendering import Table, plain_data, to_yaml

MINUTES = st.integers(-14 * 60, 14 * 60)
ZONES = st.none() | MINUTES.map(lambda least: timezone(timedelta(minutes=least)))
WORDS = st.sampled_from(
    [
        "yes",
        "Null",
        "~",
        "1e5",
        "0x1f",
        "2026-07-20",
        "12:30:00",
        "a: b",
        "a #b",
        "- a",
        "x:",
        "=",
        "<<",
    ]
)
LINES = st.lists(st.sampled_from(["", " ", "  a", "a ", "\tb", "# c", "- d", "k: v", "---", "文"]))
TEXTS = st.text() | WORDS | LINES.map("\n".join)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | TEXTS
    | st.dates()
    | st.datetimes(timezones=ZONES).filter(lambda moment: 1 < moment.year < 9999)
)
KEYS = st.text(max_size=40) | WORDS | st.integers() | st.booleans() | st.none() | st.dates()
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def read(text: str) -> Any:
    return yaml.safe_load(text + "\n")


def shown(value: Any) -> str:
    return to_yaml(plain_data(value, name="info"))


@given(DATA)
def test_a_reader_of_yaml_gets_the_same_data_back(data: Any) -> None:
    text = shown(data)
    assert read(text) == data
    assert shown(read(text)) == text


@given(st.dictionaries(st.text(max_size=9), SCALARS, max_size=5))
def test_the_same_data_is_the_same_bytes_and_keys_keep_their_order(data: dict[str, Any]) -> None:
    assert shown(dict(data)) == shown(data)
    assert list(read(shown(data)) or {}) == list(data)


def test_data_reads_like_something_written_by_hand() -> None:
    data = {
        "severities": ["P0", "P1"],
        "owner": {"name": "Li Wei", "since": date(2026, 7, 20), "on call": True},
        "rules": "Be brief.\nBe kind.",
        "hours": [{"day": "Mon", "open": "09:00"}, {"day": "Sun", "open": None}],
        "none": [],
        "语言": "中文",
    }
    assert shown(data) == (
        "severities:\n"
        "  - P0\n"
        "  - P1\n"
        "owner:\n"
        "  name: Li Wei\n"
        "  since: 2026-07-20\n"
        "  on call: true\n"
        "rules: |-\n"
        "  Be brief.\n"
        "  Be kind.\n"
        "hours:\n"
        "  - day: Mon\n"
        '    open: "09:00"\n'
        "  - day: Sun\n"
        "    open: null\n"
        "none: []\n"
        "语言: 中文"
    )


def test_a_changed_value_is_a_changed_line() -> None:
    before, after = ({"a": 1, "b": {"c": each}, "d": "x"} for each in ("old", "new"))
    changed = zip(shown(before).split("\n"), shown(after).split("\n"), strict=True)
    assert [pair for pair in changed if pair[0] != pair[1]] == [("  c: old", "  c: new")]


class Colour(Enum):
    RED = "red"


class Owner(BaseModel):
    name: str
    level: Decimal


@dataclass
class Team:
    owner: Owner
    colours: tuple[Colour, ...]


def test_models_dataclasses_and_other_values_become_what_yaml_has() -> None:
    team = Team(Owner(name="Ann", level=Decimal("1.50")), (Colour.RED,))
    data = {
        "team": team,
        "at": time(9, 30),
        "for": timedelta(hours=1),
        "path": PurePosixPath("a/b"),
        "id": UUID(int=1),
        "tags": {"b", "a"},
        Colour.RED: datetime(2026, 1, 2, tzinfo=UTC),
    }
    assert read(shown(data)) == {
        "team": {"owner": {"name": "Ann", "level": "1.50"}, "colours": ["red"]},
        "at": "09:30:00",
        "for": "1:00:00",
        "path": "a/b",
        "id": "00000000-0000-0000-0000-000000000001",
        "tags": ["a", "b"],
        "red": datetime(2026, 1, 2, tzinfo=UTC),
    }


def test_what_is_changed_later_is_not_changed_in_the_copy() -> None:
    data = {"a": [1]}
    plain = plain_data(data, name="info")
    data["a"].append(2)
    assert plain == {"a": [1]}


def cycle() -> list[Any]:
    inside: list[Any] = []
    inside.append({"again": inside})
    return inside


def deep() -> list[Any]:
    data: list[Any] = []
    for _ in range(100):
        data = [data]
    return data


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": [print]}, r"info\['a'\]\[0\] cannot be shown .*builtin"),
        ({"a": b"x"}, r"info\['a'\] cannot be shown .*bytes.*give text"),
        (Team, "class Team"),
        (cycle(), r"info\[0\]\['again'\] contains itself"),
        (deep(), "nested more than 64"),
        ({(1, 2): 1}, "info has a key that cannot be shown .tuple"),
        ({float("nan"): 1}, "key"),
        ({"k" * 200: 1}, "200 characters"),
        ({"a": (each for each in ())}, "generator"),
        ({"a": [10**5000]}, r"info\['a'\]\[0\] is a number of more than 640 digits"),
        ({-(10**5000): 1}, "a key of info is a number of more than 640 digits"),
    ],
)
def test_what_cannot_be_shown_is_named_by_its_place(value: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        plain_data(value, name="info")


ROWS = [{"code": "P0", "what": "down|broken\nnow"}, {"what": None, "code": "P1"}]


def test_rows_are_shown_as_a_table_with_pipes_and_line_ends_escaped() -> None:
    assert shown(Table(ROWS)) == (
        "| code | what |\n| --- | --- |\n| P0 | down\\|broken\\nnow |\n| P1 | null |"
    )


def test_a_table_within_data_is_a_block_of_it() -> None:
    text = shown({"codes": Table(ROWS), "x": 1})
    assert text.startswith("codes: |-\n  | code | what |\n")
    assert read(text) == {"codes": shown(Table(ROWS)), "x": 1}


@given(st.lists(st.fixed_dictionaries({"a": SCALARS, "b": TEXTS}), min_size=1, max_size=4))
def test_a_table_has_one_line_a_row_whatever_its_cells_hold(rows: list[dict[str, Any]]) -> None:
    lines = shown(Table(rows)).splitlines()
    assert len(lines) == len(rows) + 2
    assert all(line.replace("\\\\", "").replace("\\|", "").count("|") == 3 for line in lines)


@pytest.mark.parametrize(
    "rows", [[], [1], [{"a": 1}, {"b": 1}], [{"a": [1]}], [{}], "text", [{"a": 1}, 2]]
)
def test_what_is_no_table_is_refused(rows: Any) -> None:
    with pytest.raises(ConfigError, match=r"info\['rows'\] is no table"):
        plain_data({"rows": Table(rows)}, name="info")
