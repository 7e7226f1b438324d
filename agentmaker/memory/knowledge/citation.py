"""Where a result comes from, for people to look up."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.context.results import RetrievalResult

STEP = " › "
"""Between the headings of a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A place in a document; ``str()`` of it is short and for people.

    Attributes:
        document: the name it was added by.
        headings: what the best of it stands under, the outermost first.
        page: where that begins, None for documents without pages.
        start: first character of the result within the document's text, with *end* behind its last.
        uri: where the document was loaded from, "" for nowhere.
    """

    document: str
    title: str = ""
    headings: tuple[str, ...] = ()
    page: int | None = None
    start: int = 0
    end: int = 0
    uri: str = ""

    def __str__(self) -> str:
        path = STEP.join(path_of(self.title or self.document, self.headings))
        where = path if self.page is None else f"{path}, p. {self.page}"
        return where if path.startswith(self.document) else f"{where} ({self.document})"


def cite(result: RetrievalResult) -> Citation:
    """The place that a result of `KnowledgeBase.retrieve` was found at.

    Raises:
        KeyError: it is a result of something else.
    """
    facts = result.metadata
    return Citation(
        document=facts["document"],
        title=facts["title"],
        headings=tuple(facts["headings"]),
        page=facts["page"],
        start=facts["start"],
        end=facts["end"],
        uri=facts["uri"],
    )


def path_of(title: str, headings: tuple[str, ...]) -> tuple[str, ...]:
    """*headings* below the title, which many documents give themselves as their first heading."""
    return headings if not title or headings[:1] == (title,) else (title, *headings)
