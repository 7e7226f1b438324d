"""What a knowledge base keeps of a document: its text, and facts about it as JSON."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from agentmaker.errors import ConfigError
from agentmaker.memory.records import Document

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


def facts_of(document: Document) -> Facts:
    read = json.loads(document.gist)
    return Facts(**{**read, "pages": tuple(read["pages"])})


def revision_of(text: str, title: str) -> str:
    parts = (text.encode("utf-8", "surrogatepass"), title.encode("utf-8", "surrogatepass"))
    return blake2b(b"\0".join(parts), digest_size=16).hexdigest()
