from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest

from agentmaker.calls.forms.ids import short_id
from agentmaker.memory.index import items
from agentmaker.memory.knowledge import documents
from agentmaker.memory.memories.record import digest_of
from agentmaker.memory.notes.markdown import stems_for
from agentmaker.memory.sql.tables import key_of
from agentmaker.scope import Scope
from agentmaker.tasks.indexing import partition_of
from agentmaker.tasks.sources import identity, texts

ODD = "tea \ud800 茶"


@pytest.mark.parametrize(
    ("made", "kept"),
    [
        (
            lambda: partition_of(Scope(user="ann"), "records:tea"),
            "54c45e12adaef331829a6b3364182ab1",
        ),
        (
            lambda: identity.digest_of("folder", ODD, ["*.md"], None),
            "folder:24cea4e4b655d4f9816eb117",
        ),
        (lambda: texts.revision_of(b"tea\xff"), "da4b70a8c765ad9dfbc953a93d2e2c52"),
        (lambda: documents.revision_of(ODD, "Tea"), "e0f107103c0b276089c7d593e095259f"),
        (lambda: digest_of(ODD), "f262b20dc7d49f02e1e7a52e2f3d6627"),
        (lambda: items.digest(ODD).hex(), "ea899d00208b8f4be781b9edb45b301e"),
        (
            lambda: key_of(ODD * 100)[-64:],
            "473a07528c1bdcd46c8f0b02db7e4e22ee8d2cb9ddfec0f1563de4bafc379674",
        ),
        (lambda: "".join(islice(stems_for(ODD), 1, 2)), "tea-茶-d5140de5"),
        (lambda: short_id("call_1"), "Rgj3pdhdm"),
    ],
)
def test_what_is_kept_is_found_again_by_later_releases(made: Callable[[], str], kept: str) -> None:
    assert made() == kept


def test_an_id_with_half_a_character_has_a_short_one_too() -> None:
    assert len(short_id("call \ud800")) == 9
