"""Structured notes: where they are kept, how they are found, and the tools to keep them."""

from agentmaker.memory.notes.notes import Notes as Notes
from agentmaker.memory.notes.policy import NotePolicy as NotePolicy

__all__ = ["NotePolicy", "Notes"]
