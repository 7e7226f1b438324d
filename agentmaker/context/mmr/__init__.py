"""Maximal marginal relevance: relevant candidates that do not repeat each other."""

from agentmaker.context.mmr.select import ammr_select, mmr_select

__all__ = ["ammr_select", "mmr_select"]
