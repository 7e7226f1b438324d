from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmaker.tasks.sources.front_matter import split


def fields(*lines: str) -> dict[str, str]:
    return split("\n".join(["---", *lines, "---", "body"]))[0]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("description: Reads forms", "Reads forms"),
        ("description:   Reads: forms  ", "Reads: forms"),
        ("description: Reads forms # not this", "Reads forms"),
        ("description: C#", "C#"),
        ('description: "Reads: \\"forms\\" # this"', 'Reads: "forms" # this'),
        ('description: "a" # not this', "a"),
        ("description: 'It''s # this'", "It's # this"),
        ("description: >-\n  Reads\n  forms\n\nother: 1", "Reads forms"),
        ("description: |\n  Reads\n  forms", "Reads\nforms"),
        ("description:\n  Reads\n  forms", "Reads forms"),
        ("description: Reads\n  forms", "Reads forms"),
        ("description:", ""),
        ("meta:\n  description: not this\ndescription: this", "this"),
    ],
)
def test_a_description_is_read_as_yaml_writes_it(written, value) -> None:
    assert fields("name: forms", written)["description"] == value


def test_what_follows_is_the_body() -> None:
    assert split("---\nname: a\n---\n# Body\n") == ({"name": "a"}, "# Body\n")
    assert split("\ufeff---\r\nname: a\r\n---\r\nbody") == ({"name": "a"}, "body")


@pytest.mark.parametrize("text", ["", "# Title", "---\nname: a", "text\n---\nname: a\n---\n"])
def test_without_a_frame_all_is_body(text) -> None:
    assert split(text) == ({}, text)


@given(st.text(alphabet="ab:'\"\\#|> \n-", max_size=60))
def test_no_front_matter_is_too_odd_to_read(text) -> None:
    found, body = split(f"---\n{text}\n---\nbody")
    assert all(isinstance(value, str) for value in found.values())
    assert body.endswith("body")
