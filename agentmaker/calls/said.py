"""A call, said in the dialect of its server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentmaker.calls.call import Call
from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.room import OUTPUT_CAPS


def in_dialect(call: Call, dialect: Dialect) -> Call:
    if dialect == call.setting.dialect:
        return call
    return replace(call, setting=replace(call.setting, dialect=dialect))


def adapted(call: Call) -> Call:
    """The call said in its dialect, and its output cap under the name that this has for it."""
    setting = call.setting
    window = setting.adaptations.of(call.window, setting.dialect, setting.prompts)
    params = _with_cap_named(call.params, setting.dialect.cap)
    if window is call.window and params is call.params:
        return call
    return replace(call, window=window, params=params)


def _with_cap_named(params: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    if name == "keep":
        return params
    sent = {each: params[each] for each in OUTPUT_CAPS if params.get(each) is not None}
    if not sent or sent.keys() == {name}:
        return params
    kept = {key: value for key, value in params.items() if key not in OUTPUT_CAPS}
    return {**kept, name: sent.get(name, next(iter(sent.values())))}
