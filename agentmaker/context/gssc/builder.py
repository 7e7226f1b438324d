"""Gather, select, structure, compress: a context for one question out of packets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from agentmaker.context.aside import aside
from agentmaker.context.clip import fits
from agentmaker.context.gssc.compress import compress
from agentmaker.context.gssc.config import DEFAULT, GSSCConfig
from agentmaker.context.gssc.gather import MEMORY_LIMIT, RAG_LIMIT, Gathered, gather
from agentmaker.context.gssc.layout import Layout
from agentmaker.context.gssc.packet import MEMORY, RAG, SYSTEM, ContextPacket
from agentmaker.context.gssc.result import GSSCContext
from agentmaker.context.gssc.retrievers import Retriever, source_of
from agentmaker.context.gssc.select import select
from agentmaker.context.gssc.structure import structure
from agentmaker.errors import ContextWindowExceeded
from agentmaker.messages import Message
from agentmaker.prompts import DEFAULT_PROMPTS, PromptRegistry
from agentmaker.scope import Scope
from agentmaker.sync import run
from agentmaker.tokens import TokenCounter, adopted, count_tokens

Turns = Iterable[Message | Mapping[str, Any]]


class GSSCBuilder:
    """Builds contexts by the four stages, which can be used one by one as well.

    *memory* and *rag* are a `ContextSource`, an object with ``search`` or ``retrieve``, or any
    function of the query, sync or async; the scope reaches those that take one.

    Raises:
        TypeError: *memory* or *rag* is none of these.
    """

    def __init__(
        self,
        config: GSSCConfig | None = None,
        *,
        memory: Retriever | None = None,
        rag: Retriever | None = None,
        counter: TokenCounter = count_tokens,
        prompts: PromptRegistry = DEFAULT_PROMPTS,
    ) -> None:
        self.config = DEFAULT if config is None else config
        self.memory = None if memory is None else source_of(memory, "memory", limit=MEMORY_LIMIT)
        self.rag = None if rag is None else source_of(rag, "rag", limit=RAG_LIMIT)
        self.counter = adopted(counter)
        self.prompts = prompts

    def build(
        self,
        user_query: str,
        *,
        conversation_history: Turns = (),
        system_instructions: str | None = None,
        custom_packets: Iterable[ContextPacket] = (),
        scope: Scope | None = None,
    ) -> str:
        """The context of *user_query* as one text, at most ``max_tokens`` long.

        Raises:
            ContextWindowExceeded: the question or the required packets are too large; without
                compression, the whole is.
            SourceError: a required source failed.
        """
        return run(
            partial(
                self.abuild,
                user_query,
                conversation_history=conversation_history,
                system_instructions=system_instructions,
                custom_packets=custom_packets,
                scope=scope,
            )
        )

    async def abuild(
        self,
        user_query: str,
        *,
        conversation_history: Turns = (),
        system_instructions: str | None = None,
        custom_packets: Iterable[ContextPacket] = (),
        scope: Scope | None = None,
    ) -> str:
        """The async form of `build`."""
        context = await self.abuild_context(
            user_query,
            conversation_history=conversation_history,
            system_instructions=system_instructions,
            custom_packets=custom_packets,
            scope=scope,
        )
        return context.text

    async def abuild_context(
        self,
        user_query: str,
        *,
        conversation_history: Turns = (),
        system_instructions: str | None = None,
        custom_packets: Iterable[ContextPacket] = (),
        scope: Scope | None = None,
    ) -> GSSCContext:
        """As `abuild`, with what is in the context and what is not, and why."""
        gathered = await gather(
            user_query,
            system_instructions=system_instructions,
            memory=self.memory,
            rag=self.rag,
            conversation_history=conversation_history,
            custom_packets=custom_packets,
            scope=scope,
            config=self.config,
            counter=self.counter,
        )
        characters = sum(len(each.content) for each in gathered.packets) + len(user_query)
        return await aside(characters, self._assemble, user_query, gathered)

    def _assemble(self, query: str, gathered: Gathered) -> GSSCContext:
        room = self._room(query)
        selection = select(
            gathered.packets, query, budget=room, config=self.config, counter=self.counter
        )
        layout = structure(selection.packets, query, prompts=self.prompts)
        fitted = self._fitted(layout)
        tokens = self.counter(fitted.text)
        return GSSCContext.of(
            layout, fitted, tokens, excluded=selection.excluded, outcomes=gathered.outcomes
        )

    def _room(self, query: str) -> int:
        """Tokens for the packets beside the question, the headings and the output text."""
        self._fitted(structure((), query, prompts=self.prompts))
        blank = [ContextPacket("", metadata={"type": each}) for each in (SYSTEM, RAG, MEMORY)]
        frame = self.counter(structure(blank, query, prompts=self.prompts).text)
        return max(0, min(self.config.room, self.config.max_tokens - frame))

    def _fitted(self, layout: Layout) -> Layout:
        most = self.config.max_tokens
        if self.config.enable_compression or fits(layout.text, most, self.counter):
            return compress(layout, most, counter=self.counter, prompts=self.prompts)
        raise ContextWindowExceeded(
            "the context",
            self.counter(layout.text),
            most,
            hint="set enable_compression=True, or raise max_tokens",
        )
