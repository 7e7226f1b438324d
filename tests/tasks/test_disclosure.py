from __future__ import annotations

from dataclasses import dataclass

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmaker.errors import ContextWindowExceeded
from agentmaker.tasks.context import TaskContext
from agentmaker.tasks.package import ContextPackage
from agentmaker.tasks.source import Span
from agentmaker.tokens import count_tokens
from tests.tasks.shelf import Shelf

LONG = "\n\n".join(f"Paragraph {n} is about the {n}th of many items." for n in range(400))


def by_words(text: str) -> int:
    """A counter that is neither additive nor monotone by characters."""
    return len(text.split()) + text.count("\n\n\n")


def by_seams(text: str) -> int:
    """A counter by which blocks cost more together than one by one."""
    return count_tokens(text) + 7 * text.count("</reference>\n\n<reference")


async def read(shelf: Shelf, query: str, budget: int | None, **bound: bool) -> ContextPackage:
    task = TaskContext()
    task.attach(shelf, **bound)  # type: ignore[arg-type]
    return await task.reader(consumer="writer", budget_tokens=budget).read(query)


@pytest.mark.anyio
async def test_a_long_thing_is_shown_around_what_the_query_hits() -> None:
    package = await read(Shelf({"long": LONG}), "the 317th", 300)
    (block,) = package.blocks
    assert block.completeness == "truncated"
    assert "the 317th of" in block.text
    assert LONG[block.start : block.start + len(block.text)] == block.text
    assert block.size == len(LONG)


@pytest.mark.anyio
async def test_a_part_begins_and_ends_where_paragraphs_do() -> None:
    package = await read(Shelf({"long": LONG}), "the 317th", 300)
    text = package.blocks[0].text
    assert text.startswith("Paragraph ")
    assert text.endswith("many items.")


@pytest.mark.anyio
async def test_without_a_budget_a_block_has_two_thousand_tokens() -> None:
    package = await read(Shelf({"long": LONG}), "paragraph", None)
    assert package.blocks[0].completeness == "truncated"
    assert 1_700 < package.blocks[0].tokens <= 2_000


@pytest.mark.anyio
async def test_a_model_is_told_which_part_it_is_shown() -> None:
    package = await read(Shelf({"long": LONG}), "the 317th", 300)
    block = package.blocks[0]
    assert f"characters {block.start} to {block.start + len(block.text)} of {len(LONG)}" in (
        package.text
    )


@pytest.mark.anyio
async def test_a_source_that_locates_says_which_part_is_shown() -> None:
    class Locating(Shelf):
        async def locate(self, ref: str, query: str, *, limit: int) -> list[Span]:
            at = self.texts[ref].index("the 42th")
            return [Span(at, at + 5)]

    package = await read(Locating({"long": LONG}), "the 317th", 200)
    assert "the 42th" in package.blocks[0].text


@pytest.mark.anyio
async def test_a_source_that_locates_wrongly_costs_nothing_but_its_help() -> None:
    class Lost(Shelf):
        async def locate(self, ref: str, query: str, *, limit: int) -> list[Span]:
            raise LookupError("lost")

    package = await read(Lost({"long": LONG}), "the 317th", 200)
    assert "the 317th" in package.blocks[0].text
    assert "locate_failed" in [each.code for each in package.diagnostics]


@pytest.mark.anyio
async def test_a_place_beyond_one_read_is_read_where_it_is() -> None:
    class Far(Shelf):
        async def locate(self, ref: str, query: str, *, limit: int) -> list[Span]:
            return [Span(400_000, 400_010)]

    text = "word " * 80_000 + "needle in it " + "word " * 1_000
    package = await read(Far({"huge": text}), "needle", 100)
    (block,) = package.blocks
    assert "needle" in block.text
    assert text[block.start : block.start + len(block.text)] == block.text


@pytest.mark.anyio
async def test_what_fits_is_not_left_out_because_something_larger_came_before() -> None:
    shelf = Shelf({"long": LONG, "short": "Paragraph on cats."})
    package = await read(shelf, "paragraph", 400)
    assert {ref.ref for ref in package.refs} == {"long", "short"}
    assert package.coverage.tokens > 340, "what room is left goes to what was cut"


@pytest.mark.anyio
async def test_no_budget_at_all_shows_nothing() -> None:
    package = await read(Shelf({"a": "one", "b": "two"}), "", 0)
    assert (package.blocks, package.text) == ((), "")
    assert package.omission_counts == {"size_budget_exhausted": 2}


@pytest.mark.anyio
async def test_required_things_share_the_room() -> None:
    shelf = Shelf({"one": LONG, "two": LONG, "three": "A short one."})
    package = await read(shelf, "", 500, required=True)
    assert [block.required for block in package.blocks] == [True] * 3
    assert count_tokens(package.text) <= 500


@pytest.mark.anyio
async def test_many_short_required_things_are_shown_whole() -> None:
    shelf = Shelf({f"{n}": f"fact {n}" for n in range(10)})
    package = await read(shelf, "", 450, required=True)
    assert package.coverage.complete == 10


@pytest.mark.anyio
async def test_what_is_required_and_covered_keeps_no_room_from_others() -> None:
    shelf = Shelf(
        {"book": "One. Two.", "book#1": "One. " * 9, "book#2": "Two. " * 9, "long": LONG},
        told={"book#1": {"parent": "book"}, "book#2": {"parent": "book"}},
    )
    package = await read(shelf, "", 400, required=True)
    assert [ref.ref for ref in package.refs] == ["book", "long"]
    assert package.coverage.tokens > 340


@pytest.mark.anyio
async def test_blocks_that_cost_more_together_are_shown_as_far_as_they_go() -> None:
    task = TaskContext(counter=by_seams)
    task.attach(Shelf({f"{n}": f"fact {n}" for n in range(10)}))
    package = await task.reader(consumer="writer", budget_tokens=200).read("")
    assert by_seams(package.text) <= 200
    assert 2 < len(package.blocks) < 10


@pytest.mark.anyio
async def test_required_things_without_room_are_an_error_before_anything_is_shown() -> None:
    shelf = Shelf({"one": LONG, "two": LONG})
    with pytest.raises(ContextWindowExceeded, match="what the task requires") as caught:
        await read(shelf, "", 60, required=True)
    assert caught.value.room == 60
    assert caught.value.needed > 60


TEXT = st.text(alphabet=st.sampled_from("ab \n.#|`<>/é中文字\u200d\ud800reference"), max_size=600)


@dataclass(frozen=True)
class Case:
    texts: list[str]
    budget: int
    blocks: int


CASES = st.builds(
    Case,
    st.lists(TEXT, max_size=6),
    st.integers(0, 600),
    st.integers(1, 6),
)


@settings(max_examples=120)
@given(CASES, st.sampled_from([count_tokens, by_words, by_seams]))
def test_a_package_never_counts_more_than_its_budget_and_shows_only_what_is_there(
    case: Case, counter: object
) -> None:
    shelf = Shelf({f"t{place}": text for place, text in enumerate(case.texts)})

    async def go() -> ContextPackage:
        task = TaskContext(counter=counter)  # type: ignore[arg-type]
        task.configure_index(strategy="structural")
        task.attach(shelf)
        reader = task.reader(consumer="w", budget_tokens=case.budget, max_blocks=case.blocks)
        return await reader.read("a b")

    package = anyio.run(go)
    assert counter(package.text) <= case.budget  # type: ignore[operator]
    assert len(package.blocks) <= case.blocks
    for block, ref in zip(package.blocks, package.refs, strict=True):
        text = shelf.texts[ref.ref]
        assert text[block.start : block.start + len(block.text)] == block.text
        assert (block.completeness == "complete") == (bool(text) and block.text == text)
    told = {ref.ref for ref in package.refs} | {each.ref for each in package.omissions}
    assert told == set(shelf.texts), "everything is shown or said to be left out"
