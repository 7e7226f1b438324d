from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from agentmaker.tasks.enumeration import enumerate_source
from agentmaker.tasks.inventory import by_ref
from agentmaker.tasks.source import Changes, Descriptor
from tests.tasks.shelf import Shelf

pytestmark = pytest.mark.anyio


class Telling(Shelf):
    """A source that tells *now* as what changed."""

    now = Changes()

    async def changes(self, known: Mapping[str, Descriptor]) -> Changes:
        return self.now


def items(*refs: str) -> dict[str, Descriptor]:
    return by_ref(Descriptor(ref=ref, revision="1", role="file") for ref in refs)


def telling(changes: Changes) -> Telling:
    source = Telling({})
    source.now = changes
    return source


async def test_where_nothing_changed_the_same_object_is_told_again() -> None:
    known = items("a 2", "a 10")
    assert (await enumerate_source(telling(Changes()), known, None)).descriptors is known


async def test_what_changed_keeps_its_place_and_what_is_known_is_left_as_it_was() -> None:
    known = items("a 2", "a 10", "b")
    changed = replace(known["a 10"], revision="2")
    found = await enumerate_source(
        telling(Changes(descriptors=[changed], gone=["a 2"])), known, None
    )
    assert [*found.descriptors.values()] == [changed, known["b"]]
    assert [*known] == ["a 2", "a 10", "b"]


async def test_what_is_new_comes_in_the_order_of_refs() -> None:
    known = items("a 2", "a 10")
    new = items("a 3")["a 3"]
    found = await enumerate_source(telling(Changes(descriptors=[new])), known, None)
    assert [*found.descriptors] == ["a 2", "a 3", "a 10"]


async def test_what_is_told_as_gone_and_as_there_is_there() -> None:
    known = items("a", "b")
    changed = replace(known["a"], revision="2")
    found = await enumerate_source(telling(Changes(descriptors=[changed], gone=["a"])), known, None)
    assert found.descriptors == {"a": changed, "b": known["b"]}
