"""Notes an agent keeps for itself: titles and gists in the window, texts where they are needed."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import replace
from difflib import SequenceMatcher

from agentmaker.calls.forms.content import encodable
from agentmaker.context.knobs import check_count
from agentmaker.context.sources import ContextSource
from agentmaker.errors import ConfigError, ToolError
from agentmaker.memory.exclusive import exclusive
from agentmaker.memory.keys import owner_of
from agentmaker.memory.notes.folder import LONGEST_FILE, MOST_FILES, Folder
from agentmaker.memory.notes.index import index_of
from agentmaker.memory.notes.markdown import LONGEST_GIST, LONGEST_TITLE, gist_of, one_line
from agentmaker.memory.notes.place import KIND, Place, StoredNotes
from agentmaker.memory.notes.search import search
from agentmaker.memory.notes.source import note_source
from agentmaker.memory.notes.tools import NoteTools
from agentmaker.memory.records import Document
from agentmaker.memory.store import Store
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter, adopted, count_tokens
from agentmaker.tools import Tool

LONGEST = LONGEST_FILE // 4
"""Characters that are surely read again, whatever bytes they take."""

NEAREST = 3
"""Titles an error names."""


class Notes:
    """Notes by title, in a folder of Markdown files or in a store.

    - In a folder a note is a file that people can read and write too; whoever has the folder has
      the notes. In a store they belong to *scope*, and without one to that of the run they serve,
      whatever its session.
    - A note is written whole or not at all. Two that append to one note wait for each other on an
      event loop.
    - Their text is data: the index comes fenced, and whose notes are read is never a model's say.

    Args:
        place: the path of a folder, made by the first note, or a store.
        most: how many notes may be written, at most `MOST_FILES` in a folder; what people put in
            one beyond that is read too.
        longest: characters of a note that is written, at most `LONGEST`.

    Raises:
        ConfigError: a setting is out of range, or *place* is neither.
        ToolError: in a method, what was asked cannot be done; says what can, for a model too.
        StoreError: in a method, the place cannot be read or written.
    """

    def __init__(
        self,
        place: str | os.PathLike[str] | Store,
        *,
        scope: Scope | None = None,
        most: int = 200,
        longest: int = 20_000,
        prompts: PromptRegistry = DEFAULT_PROMPTS,
    ) -> None:
        self.longest = _checked_longest(longest)
        self._place = _place(place, scope)
        self.most = _checked_most(most, self._place)
        self._bound = scope is not None
        self._prompts = prompts

    async def write(self, title: str, text: str, gist: str | None = None) -> None:
        """Keep a note, in the place of the one of that title.

        *gist* is it in one line, by default its first sentence, and cut where it is long.
        """
        title = self._checked_title(title)
        async with exclusive(self._place.key):
            await self._check_number(title)
            await self._write(title, text, gist or gist_of(text))

    async def append(self, title: str, text: str, gist: str | None = None) -> None:
        """Go on with a note on a new line; its gist stays unless another is given."""
        async with exclusive(self._place.key):
            note = await self.read(title)
            longer = "\n".join(filter(None, (note.text, text)))
            await self._write(note.name, longer, gist or note.gist)

    async def remove(self, title: str) -> None:
        """Let go of a note. Models have no tool for that."""
        async with exclusive(self._place.key):
            note = await self.read(title)
            await self._place.remove(note.name)

    async def read(self, title: str) -> Document:
        """A note: its ``name`` is the title, beside ``gist``, ``text`` and ``updated``."""
        title = _title(title)
        note = await self._place.read(title)
        if note is None:
            short = one_line(title, LONGEST_TITLE)
            raise self._refusal("unknown", title=repr(short), instead=await self._nearest(short))
        return note

    async def search(self, words: str, limit: int = 10) -> tuple[Document, ...]:
        """The notes that hold some of *words* in title, gist or text, the best first."""
        found = await search(words, await self.texts())
        return tuple(each.note for each in found[:limit])

    async def list(self) -> tuple[Document, ...]:
        """Every note with an empty ``text``, the latest changed first."""
        return await self._place.listed()

    async def texts(self) -> tuple[Document, ...]:
        """Every note with its text, the latest changed first."""
        return await self._place.whole()

    async def index(self, tokens: int, counter: TokenCounter = count_tokens) -> str:
        """Titles and gists for the window, the newest first, in at most *tokens*.

        It says how many are left out; "" where there are none or not one fits.
        """
        return index_of(await self.list(), tokens, adopted(counter), self._prompts)

    def tools(self) -> tuple[Tool, ...]:
        """``note_write``, ``note_read``, ``note_search`` and ``note_list``."""
        return NoteTools(self, self._prompts).tools()

    def source(self, name: str = "memory") -> ContextSource:
        """The notes about a question as candidates for the block; *name* is its quota's."""
        return note_source(self, name)

    def of(self, scope: Scope | None) -> Notes:
        """These notes for a run of *scope*: its own where they belong to nobody yet."""
        if self._bound or scope is None or not isinstance(self._place, StoredNotes):
            return self
        theirs = copy(self)
        theirs._place = replace(self._place, scope=owner_of(scope))
        theirs._bound = True
        return theirs

    async def _write(self, title: str, text: str, gist: str) -> None:
        if len(text) > self.longest:
            raise self._refusal("too_long", title=repr(title), number=len(text), most=self.longest)
        line = one_line(encodable(gist), LONGEST_GIST)
        await self._place.write(Document(kind=KIND, name=title, text=encodable(text), gist=line))

    async def _check_number(self, title: str) -> None:
        titles = {note.name for note in await self.list()}
        if len(titles) >= self.most and title not in titles:
            raise self._refusal(
                "full", number=len(titles), most=self.most, instead=await self._nearest(title)
            )

    async def _nearest(self, title: str) -> str:
        def likeness(other: str) -> float:
            return SequenceMatcher(None, title.casefold(), other.casefold()).ratio()

        titles = [note.name for note in await self.list()]
        nearest = sorted(titles, key=likeness, reverse=True)[:NEAREST]
        named = ", ".join(map(repr, nearest))
        if not named:
            return self._prompts.text("notes.write_first")
        return self._prompts.render("notes.nearest", titles=named)

    def _checked_title(self, title: str) -> str:
        line = _title(title)
        if not 0 < len(line) <= LONGEST_TITLE:
            raise self._refusal("no_title", number=len(line), most=LONGEST_TITLE)
        return line

    def _refusal(self, why: str, **values: object) -> ToolError:
        return ToolError(self._prompts.render(f"notes.{why}", **values))


def _title(title: str) -> str:
    return " ".join(encodable(title).split())


def _checked_most(most: int, place: Place) -> int:
    if check_count("most", most, least=1) > MOST_FILES and isinstance(place, Folder):
        raise ConfigError(
            f"most must be at most {MOST_FILES} notes in a folder, not {most}: keep more in a store"
        )
    return most


def _checked_longest(longest: int) -> int:
    if check_count("longest", longest, least=1) > LONGEST:
        raise ConfigError(f"longest must be at most {LONGEST} characters, not {longest}")
    return longest


def _place(place: str | os.PathLike[str] | Store, scope: Scope | None) -> Place:
    if isinstance(place, (str, os.PathLike)):
        if not os.fspath(place):
            raise ConfigError("notes need a place: the path of a folder, or a store")
        return Folder(place)
    if not callable(getattr(place, "documents", None)):
        raise ConfigError(
            f"notes are kept in a folder or a store, not in {type(place).__name__}: "
            "give a path or a store"
        )
    return StoredNotes(place, scope or Scope())
