"""What the model wrote as arguments, as a dictionary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from agentmaker.prompts import PromptRegistry
from agentmaker.tools.values import BadArguments


def read_arguments(written: object, prompts: PromptRegistry) -> dict[str, Any]:
    """The arguments of a call; none where nothing was written.

    Raises:
        BadArguments: they are no JSON object; says what they are.
    """
    value = _parsed(written, prompts)
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return dict(value)
    raise BadArguments(prompts.render("tool.no_object", why=_kind(value)))


def _parsed(written: object, prompts: PromptRegistry) -> object:
    try:
        if not isinstance(written, str):
            # A tool may do to them what it likes: the call stays as it was written.
            return deepcopy(written)
        return json.loads(written) if written.strip() else None
    except (ValueError, RecursionError) as error:
        raise BadArguments(prompts.render("tool.no_object", why=error)) from None


def _kind(value: object) -> str:
    kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), type(value).__name__)
