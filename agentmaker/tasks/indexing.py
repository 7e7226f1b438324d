"""Items as the index keeps them: their text in pieces, their descriptor beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace

from anyio import to_thread

from agentmaker.memory.chunks import chunks
from agentmaker.memory.index.values import Indexed, Kept, Passage
from agentmaker.scope import Scope
from agentmaker.tasks.digest import digest
from agentmaker.tasks.exact_read import read_exact
from agentmaker.tasks.source import Descriptor, TaskSource

PASSAGE_TOKENS = 400
"""Of one passage, by the documented estimate: no counter makes an index another one."""

_LONG = 16_384  # characters; parting a longer text would hold up the event loop


def partition_of(scope: Scope | None, source_id: str) -> str:
    """Where the index keeps a source's items: apart from those of every other tenant."""
    return digest("task", asdict(scope or Scope()), source_id)[:32]


async def indexed(source: TaskSource, item: Descriptor, seconds: float | None) -> Indexed:
    """*item* with its text, read within so many *seconds*.

    What cannot be read, or is no longer what was told, is found by its label alone, without a
    revision, so that it is tried again.

    Raises:
        TimeoutError: it was late.
    """
    text = await _text(source, item, seconds)
    if text is None:
        return labelled(item, "")
    return replace(labelled(item, item.revision), passages=await passages(text))


def labelled(item: Descriptor, revision: str) -> Indexed:
    """*item* without its text."""
    return Indexed(
        key=item.ref,
        revision=revision,
        label=" ".join(filter(None, (item.title, item.ref, item.summary))),
        data=json.dumps(asdict(item), sort_keys=True, default=str),
    )


async def passages(text: str) -> tuple[Passage, ...]:
    if len(text) <= _LONG:
        return _passages(text)
    return await to_thread.run_sync(_passages, text, abandon_on_cancel=True)


def remembered(kept: Mapping[str, Kept]) -> dict[str, Descriptor | None]:
    """What a source told when it was put into the index; None for what has to be put again."""
    return {ref: _told_by(each.data) if each.revision else None for ref, each in kept.items()}


def _told_by(data: str) -> Descriptor | None:
    """The descriptor kept as *data*, None when another release kept it."""
    try:
        return Descriptor(**json.loads(data))
    except (TypeError, ValueError):
        return None


def _passages(text: str) -> tuple[Passage, ...]:
    parts = chunks(text, most=PASSAGE_TOKENS) if text.strip() else ()
    return tuple(Passage(each.text, each.start, each.end) for each in parts)


async def _text(source: TaskSource, item: Descriptor, seconds: float | None) -> str | None:
    try:
        content = await read_exact(source, item.ref, 0, seconds)
    except TimeoutError:
        raise
    except Exception:
        return None
    return content.text if content.revision == item.revision else None
