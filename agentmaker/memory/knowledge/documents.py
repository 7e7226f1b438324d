"""What a knowledge base keeps of a document: its text, and facts about it as JSON."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmaker.context.together import Together
from agentmaker.digests import hashed
from agentmaker.errors import ConfigError
from agentmaker.memory.blocks import LONGEST_TITLE
from agentmaker.memory.notes.markdown import one_line
from agentmaker.memory.records import Document
from agentmaker.memory.store import Store
from agentmaker.scope import Scope

KIND = "knowledge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """About a document.

    Attributes:
        revision: changes whenever what is indexed of the document does.
        uri: where it was loaded from, "" for nowhere.
        pages: the character at which each page begins.
        metadata: whatever the application wants to find with its results; JSON.
    """

    revision: str
    title: str = ""
    uri: str = ""
    pages: tuple[int, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def page_at(self, character: int) -> int | None:
        """The number of the page that a character is on, None where there are no pages."""
        return bisect_right(self.pages, character) or None

    def to_gist(self) -> str:
        """Raises ConfigError: the metadata is no JSON."""
        try:
            return json.dumps(self._as_json(), ensure_ascii=False, sort_keys=True)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"the metadata of a document must be JSON ({error})") from error

    def _as_json(self) -> dict[str, Any]:
        return {
            "revision": self.revision,
            "title": self.title,
            "uri": self.uri,
            "pages": self.pages,
            "metadata": dict(self.metadata),
        }


def facts_of(gist: str) -> Facts:
    read = json.loads(gist)
    return Facts(**{**read, "pages": tuple(read["pages"])})


def document_of(
    name: str,
    text: str,
    *,
    title: str,
    metadata: Mapping[str, Any],
    uri: str = "",
    pages: tuple[int, ...] = (),
) -> Document:
    """Raises ConfigError: the metadata is no JSON."""
    title = one_line(title, LONGEST_TITLE)
    facts = Facts(
        revision=revision_of(text, title), title=title, uri=uri, pages=pages, metadata=metadata
    )
    return Document(kind=KIND, name=name, text=text, gist=facts.to_gist())


async def keep(store: Store, scope: Scope, documents: Sequence[Document]) -> None:
    """Put those that changed, all at once: a store may write them together."""
    latest = {each.name: each for each in documents}
    before = {each.name: each.gist for each in await store.read(scope, KIND, [*latest])}
    async with Together() as tasks:
        for name, document in latest.items():
            if before.get(name) != document.gist:
                tasks.start_soon(store.put, scope, document)


def revision_of(text: str, title: str) -> str:
    return hashed(text, "\0", title).hex()
