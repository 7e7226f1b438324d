"""Gather, select, structure, compress: contexts made of rated packets, one stage a file."""

from agentmaker.context.gssc.builder import GSSCBuilder
from agentmaker.context.gssc.compress import compress
from agentmaker.context.gssc.config import GSSCConfig
from agentmaker.context.gssc.gather import Gathered, gather
from agentmaker.context.gssc.layout import Layout, Part, Section
from agentmaker.context.gssc.packet import ContextPacket
from agentmaker.context.gssc.result import GSSCContext
from agentmaker.context.gssc.select import Excluded, Selection, select
from agentmaker.context.gssc.structure import structure

__all__ = [
    "ContextPacket",
    "Excluded",
    "GSSCBuilder",
    "GSSCConfig",
    "GSSCContext",
    "Gathered",
    "Layout",
    "Part",
    "Section",
    "Selection",
    "compress",
    "gather",
    "select",
    "structure",
]
