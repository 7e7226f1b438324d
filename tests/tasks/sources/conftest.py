from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from agentmaker.tasks.source import Descriptor, Problem, TaskSource

Write = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a secret beside it."""
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def write(root: Path) -> Write:
    def write(files: Mapping[str, str | bytes]) -> Path:
        for ref, content in files.items():
            path = root / ref
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return write


class Told:
    """All that a source tells at once."""

    def __init__(self, descriptors: dict[str, Descriptor], problems: list[Problem]) -> None:
        self.descriptors = descriptors
        self.problems = problems
        self.refs = [*descriptors]
        self.reasons = {each.ref: each.reason for each in problems}


@pytest.fixture
def told() -> Callable[[TaskSource], object]:
    async def told(source: TaskSource) -> Told:
        pages = [page async for page in source.pages()]
        descriptors = {each.ref: each for page in pages for each in page.descriptors}
        return Told(descriptors, [each for page in pages for each in page.problems])

    return told
