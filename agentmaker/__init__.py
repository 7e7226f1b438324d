"""Requests that fit the window, hold what deserves a place in it, and account for every token.

The public names are loaded when they are first used, so that importing the package stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "Agent": "agents.agent",
    "AgentConfig": "agents.knobs",
    "AgentmakerConfig": "config",
    "AgentmakerError": "errors",
    "Call": "calls.call",
    "CallableSource": "context.sources",
    "CompactionConfig": "context.kept",
    "ConfigError": "errors",
    "ContextBuilder": "context.builder",
    "ContextConfig": "context.allocation",
    "ContextError": "errors",
    "ContextOverflow": "errors",
    "ContextPackage": "tasks.package",
    "ContextPacket": "context.gssc.packet",
    "ContextReader": "tasks.reader",
    "ContextSource": "context.sources",
    "ContextWindowExceeded": "errors",
    "Delta": "calls.call",
    "Dialect": "calls.forms.dialects",
    "EmbeddingError": "errors",
    "Fitted": "clients.fit",
    "FolderSource": "tasks.sources.folder",
    "GSSCBuilder": "context.gssc.builder",
    "GSSCConfig": "context.gssc.config",
    "Grant": "context.sources",
    "HistoryCompactor": "context.compaction",
    "KnowledgeBase": "memory.knowledge",
    "LLMClient": "clients.llm",
    "LLMError": "errors",
    "LLMRequestError": "errors",
    "LLMResponseError": "errors",
    "Ledger": "calls.ledger",
    "LoadError": "errors",
    "LocalEmbedder": "memory.index.local",
    "MediaTokens": "media",
    "Memory": "memory.memories",
    "MemoryStore": "memory.in_memory",
    "Message": "messages",
    "Middleware": "calls.middleware",
    "Model": "calls.middleware",
    "ModelSelector": "tasks.model_selector",
    "Next": "calls.middleware",
    "NotePolicy": "memory.notes.policy",
    "Notes": "memory.notes.notes",
    "OpenAIEmbedder": "clients.embeddings",
    "PairingError": "errors",
    "PlanAgent": "agents.plan",
    "PromptRegistry": "prompts",
    "PromptTemplate": "prompts",
    "QueryGroup": "tasks.plan",
    "Record": "calls.recording",
    "RecordsSource": "tasks.sources.records",
    "ReducerConfig": "context.kept",
    "ReflectionAgent": "agents.reflection",
    "Reply": "calls.call",
    "RetrievalPlan": "tasks.plan",
    "RetrievalResult": "context.results",
    "Row": "calls.ledger",
    "Run": "calls.limits",
    "RunCancelled": "errors",
    "RunLimitExceeded": "errors",
    "RunPolicy": "calls.limits",
    "RunResult": "agents.result",
    "RunStopped": "errors",
    "RunUnfinished": "errors",
    "Scope": "scope",
    "SelectionRequest": "tasks.selection",
    "Session": "memory.session",
    "SessionError": "errors",
    "SessionSource": "tasks.sources.session",
    "SessionStore": "memory.sql.store",
    "Sink": "calls.recording",
    "SkillsSource": "tasks.sources.skills",
    "SourceError": "errors",
    "SourceOutcome": "context.results",
    "Step": "calls.middleware",
    "StoreError": "errors",
    "Table": "context.rendering",
    "TaskContext": "tasks.context",
    "TokenCounter": "tokens",
    "Tool": "tools.values",
    "ToolCall": "messages",
    "ToolError": "errors",
    "ToolRegistry": "tools.registry",
    "Trajectory": "calls.window",
    "Usage": "calls.call",
    "Window": "calls.window",
    "WindowBudget": "context.budget",
    "WindowBudgetConfig": "context.budget",
    "afit": "clients.fit",
    "ammr_select": "context.mmr",
    "count_tokens": "tokens",
    "counter_for": "tokens",
    "estimate_tokens": "tokens",
    "fit": "clients.fit",
    "mmr_select": "context.mmr",
    "tool": "tools.functions",
    "using": "clients.using",
    "wrap": "clients.wrap",
}

__all__ = tuple(_HOMES)

if TYPE_CHECKING:
    from agentmaker.agents.agent import Agent as Agent
    from agentmaker.agents.knobs import AgentConfig as AgentConfig
    from agentmaker.agents.plan import PlanAgent as PlanAgent
    from agentmaker.agents.reflection import ReflectionAgent as ReflectionAgent
    from agentmaker.agents.result import RunResult as RunResult
    from agentmaker.calls.call import Call as Call
    from agentmaker.calls.call import Delta as Delta
    from agentmaker.calls.call import Reply as Reply
    from agentmaker.calls.call import Usage as Usage
    from agentmaker.calls.forms.dialects import Dialect as Dialect
    from agentmaker.calls.ledger import Ledger as Ledger
    from agentmaker.calls.ledger import Row as Row
    from agentmaker.calls.limits import Run as Run
    from agentmaker.calls.limits import RunPolicy as RunPolicy
    from agentmaker.calls.middleware import Middleware as Middleware
    from agentmaker.calls.middleware import Model as Model
    from agentmaker.calls.middleware import Next as Next
    from agentmaker.calls.middleware import Step as Step
    from agentmaker.calls.recording import Record as Record
    from agentmaker.calls.recording import Sink as Sink
    from agentmaker.calls.window import Trajectory as Trajectory
    from agentmaker.calls.window import Window as Window
    from agentmaker.clients.embeddings import OpenAIEmbedder as OpenAIEmbedder
    from agentmaker.clients.fit import Fitted as Fitted
    from agentmaker.clients.fit import afit as afit
    from agentmaker.clients.fit import fit as fit
    from agentmaker.clients.llm import LLMClient as LLMClient
    from agentmaker.clients.using import using as using
    from agentmaker.clients.wrap import wrap as wrap
    from agentmaker.config import AgentmakerConfig as AgentmakerConfig
    from agentmaker.context.allocation import ContextConfig as ContextConfig
    from agentmaker.context.budget import WindowBudget as WindowBudget
    from agentmaker.context.budget import WindowBudgetConfig as WindowBudgetConfig
    from agentmaker.context.builder import ContextBuilder as ContextBuilder
    from agentmaker.context.compaction import HistoryCompactor as HistoryCompactor
    from agentmaker.context.gssc.builder import GSSCBuilder as GSSCBuilder
    from agentmaker.context.gssc.config import GSSCConfig as GSSCConfig
    from agentmaker.context.gssc.packet import ContextPacket as ContextPacket
    from agentmaker.context.kept import CompactionConfig as CompactionConfig
    from agentmaker.context.kept import ReducerConfig as ReducerConfig
    from agentmaker.context.mmr import ammr_select as ammr_select
    from agentmaker.context.mmr import mmr_select as mmr_select
    from agentmaker.context.rendering import Table as Table
    from agentmaker.context.results import RetrievalResult as RetrievalResult
    from agentmaker.context.results import SourceOutcome as SourceOutcome
    from agentmaker.context.sources import CallableSource as CallableSource
    from agentmaker.context.sources import ContextSource as ContextSource
    from agentmaker.context.sources import Grant as Grant
    from agentmaker.errors import AgentmakerError as AgentmakerError
    from agentmaker.errors import ConfigError as ConfigError
    from agentmaker.errors import ContextError as ContextError
    from agentmaker.errors import ContextOverflow as ContextOverflow
    from agentmaker.errors import ContextWindowExceeded as ContextWindowExceeded
    from agentmaker.errors import EmbeddingError as EmbeddingError
    from agentmaker.errors import LLMError as LLMError
    from agentmaker.errors import LLMRequestError as LLMRequestError
    from agentmaker.errors import LLMResponseError as LLMResponseError
    from agentmaker.errors import LoadError as LoadError
    from agentmaker.errors import PairingError as PairingError
    from agentmaker.errors import RunCancelled as RunCancelled
    from agentmaker.errors import RunLimitExceeded as RunLimitExceeded
    from agentmaker.errors import RunStopped as RunStopped
    from agentmaker.errors import RunUnfinished as RunUnfinished
    from agentmaker.errors import SessionError as SessionError
    from agentmaker.errors import SourceError as SourceError
    from agentmaker.errors import StoreError as StoreError
    from agentmaker.errors import ToolError as ToolError
    from agentmaker.media import MediaTokens as MediaTokens
    from agentmaker.memory.in_memory import MemoryStore as MemoryStore
    from agentmaker.memory.index.local import LocalEmbedder as LocalEmbedder
    from agentmaker.memory.knowledge import KnowledgeBase as KnowledgeBase
    from agentmaker.memory.memories import Memory as Memory
    from agentmaker.memory.notes.notes import Notes as Notes
    from agentmaker.memory.notes.policy import NotePolicy as NotePolicy
    from agentmaker.memory.session import Session as Session
    from agentmaker.memory.sql.store import SessionStore as SessionStore
    from agentmaker.messages import Message as Message
    from agentmaker.messages import ToolCall as ToolCall
    from agentmaker.prompts import PromptRegistry as PromptRegistry
    from agentmaker.prompts import PromptTemplate as PromptTemplate
    from agentmaker.scope import Scope as Scope
    from agentmaker.tasks.context import TaskContext as TaskContext
    from agentmaker.tasks.model_selector import ModelSelector as ModelSelector
    from agentmaker.tasks.package import ContextPackage as ContextPackage
    from agentmaker.tasks.plan import QueryGroup as QueryGroup
    from agentmaker.tasks.plan import RetrievalPlan as RetrievalPlan
    from agentmaker.tasks.reader import ContextReader as ContextReader
    from agentmaker.tasks.selection import SelectionRequest as SelectionRequest
    from agentmaker.tasks.sources.folder import FolderSource as FolderSource
    from agentmaker.tasks.sources.records import RecordsSource as RecordsSource
    from agentmaker.tasks.sources.session import SessionSource as SessionSource
    from agentmaker.tasks.sources.skills import SkillsSource as SkillsSource
    from agentmaker.tokens import TokenCounter as TokenCounter
    from agentmaker.tokens import count_tokens as count_tokens
    from agentmaker.tokens import counter_for as counter_for
    from agentmaker.tokens import estimate_tokens as estimate_tokens
    from agentmaker.tools.functions import tool as tool
    from agentmaker.tools.registry import ToolRegistry as ToolRegistry
    from agentmaker.tools.values import Tool as Tool

else:
    from agentmaker.lazy import names_of

    __getattr__, __dir__ = names_of(__name__, _HOMES)
