from __future__ import annotations

import pytest

from agentmaker.errors import ConfigError
from agentmaker.tasks.source import Changing, TaskSource, Unreadable
from agentmaker.tasks.sources.skills import SkillsSource

pytestmark = pytest.mark.anyio

CARD = "---\nname: Forms\ndescription: Fills in forms.\n---\n# Forms\nHow to.\n"


async def test_a_folder_with_a_card_is_a_skill_and_the_rest_of_it_its_children(write, told) -> None:
    source = SkillsSource(write({"forms/SKILL.md": CARD, "forms/a/fill.py": "import os"}))
    assert isinstance(source, TaskSource)
    assert isinstance(source, Changing)
    found = (await told(source)).descriptors
    skill, child = found["forms/SKILL.md"], found["forms/a/fill.py"]
    assert (skill.role, skill.title, skill.summary) == ("skill", "Forms", "Fills in forms.")
    assert (child.role, child.parent, skill.parent) == ("file", "forms/SKILL.md", "")
    assert (await source.read("forms/a/fill.py")).text == "import os"


async def test_without_front_matter_heading_and_folder_describe_a_skill(write, told) -> None:
    source = SkillsSource(write({"forms/SKILL.md": "# Fills in forms\n", "b/SKILL.md": "Does b."}))
    found = (await told(source)).descriptors
    assert found["forms/SKILL.md"].title == "forms"
    assert found["forms/SKILL.md"].summary == "Fills in forms"
    assert found["b/SKILL.md"].summary == "Does b."


async def test_a_skill_within_a_skill_has_its_own_children(write, told) -> None:
    source = SkillsSource(
        write({"a/SKILL.md": CARD, "a/b/SKILL.md": CARD, "a/b/c.txt": "x", "a/d.txt": "x"})
    )
    found = (await told(source)).descriptors
    assert found["a/b/c.txt"].parent == "a/b/SKILL.md"
    assert found["a/d.txt"].parent == "a/SKILL.md"


async def test_a_root_may_be_a_skill_itself(write, told) -> None:
    source = SkillsSource(write({"SKILL.md": "Does it.", "d/a.txt": "x"}))
    found = (await told(source)).descriptors
    assert found["SKILL.md"].summary == "Does it."
    assert found["d/a.txt"].parent == "SKILL.md"


async def test_files_of_no_skill_can_be_neither_listed_nor_read(write, told) -> None:
    root = write({"a/SKILL.md": CARD, "README.md": "x", "plain/b.txt": "x"})
    (root / "linked").mkdir()
    (root / "linked" / "SKILL.md").symlink_to("../a/SKILL.md")
    write({"linked/c.txt": "x"})
    source = SkillsSource(root)
    found = await told(source)
    assert found.refs == ["a/SKILL.md"]
    assert found.reasons == {"plain": "missing_field", "linked": "missing_field"}
    for ref in ("README.md", "plain/b.txt", "linked/c.txt", "../secret.txt", "linked/SKILL.md"):
        with pytest.raises(Unreadable):
            await source.read(ref)


async def test_a_skill_without_a_description_is_told(write, told) -> None:
    found = await told(SkillsSource(write({"a/SKILL.md": "---\nname: A\n---\n"})))
    assert found.descriptors["a/SKILL.md"].title == "A"
    assert found.reasons == {"a/SKILL.md": "missing_field"}


async def test_a_long_description_and_an_odd_name_stay_within_bounds(write, told) -> None:
    card = f"---\nname: {'n' * 5_000}\ndescription: {'word ' * 5_000}\n---\n"
    skill = (await told(SkillsSource(write({"a/SKILL.md": card})))).descriptors["a/SKILL.md"]
    assert (len(skill.title), len(skill.summary)) == (300, 1_000)


async def test_changes_of_skills_are_told(write, told) -> None:
    root = write({"a/SKILL.md": CARD, "a/b.txt": "x"})
    source = SkillsSource(root)
    known = (await told(source)).descriptors
    write({"a/SKILL.md": CARD.replace("Fills in", "Reads")})
    changed = {each.ref: each for each in (await source.changes(known)).descriptors}
    assert changed["a/SKILL.md"].summary == "Reads forms."
    (root / "a" / "SKILL.md").unlink()
    assert set((await source.changes(known)).gone) == {"a/SKILL.md", "a/b.txt"}


async def test_a_root_of_skills_must_be_a_folder(write, root) -> None:
    write({"a": "x"})
    for given in (root / "a", root / "missing"):
        with pytest.raises(ConfigError, match="folder"):
            SkillsSource(given)


async def test_skills_name_their_place(root) -> None:
    assert repr(SkillsSource(root)) == f"SkillsSource({str(root)!r})"
    assert SkillsSource(root).id == SkillsSource(str(root)).id
    assert SkillsSource(root, id="mine").id == "mine"
