"""Markdown: its own text, with the front matter apart."""

from __future__ import annotations

import re
from dataclasses import replace

from agentmaker.memory.blocks import FRONT, blocks
from agentmaker.memory.knowledge.loaders.plain import decoded
from agentmaker.memory.knowledge.loaders.read import Read

_FIELD = re.compile(r"^([\w.-]+)[ \t]*:[ \t]+(\S.*)$", re.MULTILINE)


def read_markdown(data: bytes) -> Read:
    """Simple fields of the front matter become metadata; its ``title`` names the document."""
    text = decoded(data)
    front = FRONT.match(text)
    if not front:
        return Read(text=text, title=first_heading(text))
    fields = {name: value.rstrip(" \t\r").strip("\"'") for name, value in _FIELD.findall(front[0])}
    read = Read(text=text[front.end() :].lstrip("\n"), metadata=fields)
    return replace(read, title=fields.pop("title", "") or first_heading(read.text))


def first_heading(text: str) -> str:
    """The heading that *text* begins with, "" where it begins otherwise."""
    return next((block.title for block in blocks(text)), "")
