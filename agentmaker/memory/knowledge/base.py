"""A base of knowledge: documents in a store, found by their chunks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anyio import to_thread

from agentmaker.context.knobs import check_count
from agentmaker.context.results import RetrievalResult
from agentmaker.context.sources import Grant
from agentmaker.context.words import common
from agentmaker.errors import ConfigError, LoadError
from agentmaker.memory.checks import (
    checked_index,
    checked_scope,
    checked_store,
    checked_text,
)
from agentmaker.memory.in_memory import MemoryStore
from agentmaker.memory.index import Embedder, EmbeddingUsage, Index, Strategy
from agentmaker.memory.index.fallback import FallbackLog
from agentmaker.memory.index.following import Follower
from agentmaker.memory.keys import owner_of
from agentmaker.memory.knowledge.documents import KIND, document_of, keep
from agentmaker.memory.knowledge.folder import Loaded, files_of, read_some
from agentmaker.memory.knowledge.indexing import ChunkRecipe
from agentmaker.memory.knowledge.ranking import Stretch, below, joined
from agentmaker.memory.knowledge.results import Searched, is_known, results_of, stretches_of
from agentmaker.memory.store import Store
from agentmaker.scope import Scope
from agentmaker.tokens import TokenCounter, adopted, count_tokens

CHUNK_TOKENS = 200

_ENDLESS = 1 << 62
_TRIES = 3
"""Searches where documents change while they are looked for; what changed again is left out."""

_LEAST, _TIMES = 40, 4
"""Chunks that are looked at: so many, or so many times those wanted."""


class KnowledgeBase:
    """Documents to look things up in, found by words, and by meaning where there is an embedder.

    - What was added for a `Scope` is found for that scope, and where it names no session, for all
      of its sessions; for no other.
    - The index follows the store: what another process added to it is found by the next search.
      Only what changed is chunked and embedded again.
    - Texts are data. They reach a model fenced, by way of a builder's block.

    Args:
        store: keeps the documents; by default, memory.
        index: keeps the chunks; by default, memory. It has its own *embedder*, or none, and
            serves one store.
        embedder: makes vectors of texts, for an index made here.
        chunk_tokens: the most tokens of a chunk, by *counter*.
        scope: whose knowledge it is where a method is not told.
        name: the source that results name.

    Raises:
        ConfigError: a setting is out of range; an index *and* an embedder are given.
        TypeError: (by any method) an argument is of another type.
        StoreError: (by any method) the store or the index cannot be read or written.
    """

    def __init__(
        self,
        *,
        store: Store | None = None,
        index: Index | None = None,
        embedder: Embedder | None = None,
        chunk_tokens: int = CHUNK_TOKENS,
        scope: Scope | None = None,
        counter: TokenCounter = count_tokens,
        name: str = "rag",
    ) -> None:
        if index is not None and embedder is not None:
            raise ConfigError("give the embedder to the index: Index(path, embedder=...)")
        self.name = name
        self._scope = checked_scope(scope) or Scope()
        self._store = checked_store(store) or MemoryStore(
            max_documents=_ENDLESS, max_characters=_ENDLESS
        )
        self._index = checked_index(index) or Index(embedder=embedder)
        self._usage = EmbeddingUsage()
        self._fallback = FallbackLog("documents")
        self._chunk_tokens = check_count("chunk_tokens", chunk_tokens, least=1)
        self._follower = Follower(
            self._store,
            self._index,
            ChunkRecipe(chunk_tokens, adopted(counter)),
            owned=index is None,
        )

    async def add(
        self,
        text: str,
        *,
        name: str,
        title: str = "",
        metadata: Mapping[str, Any] | None = None,
        scope: Scope | None = None,
    ) -> None:
        """Keep a document, in the place of the one of that name; an unchanged one stays.

        Raises:
            ConfigError: the name or the text is blank, or *metadata* is no JSON.
            TypeError: one of them is no string.
        """
        if not checked_text("name", name).strip():
            raise ConfigError("a document needs a name: add(text, name=...)")
        if not checked_text("text", text).strip():
            raise ConfigError(f"the document {name!r} has no text: remove(name) takes one away")
        checked_text("title", title)
        document = document_of(name, text, title=title, metadata=metadata or {})
        await keep(self._store, self._of(scope), [document])

    async def load(
        self,
        path: str | os.PathLike[str],
        *paths: str | os.PathLike[str],
        scope: Scope | None = None,
    ) -> Loaded:
        """Add files, and all files of folders, by their paths as given; what is gone stays.

        Text, Markdown, HTML, PDF and DOCX are read, the last three with
        ``pip install "agentmaker-runtime[docs-loaders]"``.

        Raises:
            LoadError: a file cannot be read that was named by itself; earlier ones are kept.
            ConfigError: a library is missing.
        """
        owner = self._of(scope)
        given = [*map(Path, (path, *paths))]
        files = iter(await to_thread.run_sync(files_of, given))
        documents: list[str] = []
        problems: list[LoadError] = []
        while some := await to_thread.run_sync(read_some, files, abandon_on_cancel=True):
            read = [each.document for each in some if each.document]
            await keep(self._store, owner, read)
            documents += (each.name for each in read)
            problem = some[-1].problem
            if problem and some[-1].file in given:
                raise problem
            problems += [problem] if problem else []
        await self._follower.view(owner)
        return Loaded(tuple(documents), tuple(problems))

    async def remove(self, name: str, scope: Scope | None = None) -> bool:
        """Take a document away; whether there was one."""
        return await self._store.remove(self._of(scope), KIND, name)

    async def names(self, scope: Scope | None = None) -> tuple[str, ...]:
        """The names of the documents, the latest changed first."""
        listed = await self._store.documents(self._of(scope), KIND)
        return tuple(each.name for each in listed)

    async def retrieve(
        self,
        query: str,
        *,
        top_k: int = 5,
        scope: Scope | None = None,
        grant: Grant | None = None,
    ) -> list[RetrievalResult]:
        """The *top_k* texts that answer *query* best, each below the headings it stands under.

        A text is a chunk, or two that follow each other, unless the *grant* of a builder has no
        room for two. Where there are fewer, those come last that share only words like "the" with
        the query. The ``metadata`` of a result say where it is from: `cite` reads them.

        Raises:
            ConfigError: *top_k* is less than 1.
            TypeError: *query* is no string.
        """
        checked_text("query", query)
        check_count("top_k", top_k, least=1)
        scopes = dict.fromkeys((self._of(scope), owner_of(self._of(scope))))
        results: list[RetrievalResult | None] = []
        for _ in range(_TRIES):
            searched = [
                Searched(each, await self._follower.view(each), self._store) for each in scopes
            ]
            results = await self._found(query, searched, top_k, self._pairs(grant))
            if None not in results:
                break
        return [each for each in results if each is not None]

    @property
    def usage(self) -> EmbeddingUsage:
        """What embedding took so far."""
        return self._usage

    async def aclose(self) -> None:
        """Give back what an index made here holds; what was given is left open."""
        await self._follower.aclose()

    def _of(self, scope: Scope | None) -> Scope:
        return checked_scope(scope) or self._scope

    async def _found(
        self, query: str, searched: Sequence[Searched], top_k: int, pairs: bool
    ) -> list[RetrievalResult | None]:
        arranged = joined if pairs else list[Stretch]
        limit = max(_LEAST, _TIMES * top_k)
        strategy: Strategy = "hybrid" if self._index.embeds else "lexical"
        shown = arranged(await self._best(query, searched, limit, strategy))
        if len(shown) < top_k and (rest := common(query)):
            more = await self._best(rest, searched, limit, "lexical")
            shown += arranged(below(more, shown))
        return await results_of(shown[:top_k], searched, self.name)

    async def _best(
        self, query: str, searched: Sequence[Searched], limit: int, strategy: Strategy
    ) -> list[Stretch]:
        views = {each.view.partition: each.view for each in searched}
        partitions = dict.fromkeys(views)
        found = await self._index.search(query, partitions, limit=limit, strategy=strategy)
        self._usage += found.usage
        if strategy == "hybrid":
            self._fallback.tell(found.problem)
        known = [hit for hit in found.hits if is_known(hit, views[hit.partition])]
        if len(known) < len(found.hits):
            for each in searched:
                self._follower.forget(each.scope)
        return stretches_of(known, views)

    def _pairs(self, grant: Grant | None) -> bool:
        return grant is None or grant.tokens >= 2 * self._chunk_tokens
