"""A JSON schema as a few lines that a person would write to say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentmaker.plain import dumps

Schema = Mapping[str, Any]

_REF = "#/$defs/"
_PLAIN = re.compile(r"\w(?:[\w -]*\w)?")


def shape_of(schema: Schema) -> str:
    """What JSON of *schema* looks like: a key and its type a line, with its description.

    >>> print(shape_of({"type": "object", "properties": {"n": {"type": "integer"}}}))
    n: integer
    """
    return "\n".join(_lines(schema, schema.get("$defs", {}), ()))


def _lines(schema: Schema, known: Schema, above: tuple[str, ...]) -> Iterator[str]:
    """*schema* over several lines; a definition that contains itself is named there."""
    inner, above = _resolved(schema, known, above)
    if inner.get("properties"):
        for key, each in inner["properties"].items():
            yield from _entry(f"{_key(key)}:", each, known, above)
    elif _nests(inner.get("items"), known, above):
        yield from _entry("-", inner["items"], known, above)
    else:
        yield _kind(schema, known, above) + _about(schema)


def _entry(before: str, schema: Schema, known: Schema, above: tuple[str, ...]) -> Iterator[str]:
    if _nests(schema, known, above):
        yield before + _about(schema)
        yield from (f"  {line}" for line in _lines(schema, known, above))
    else:
        yield f"{before} {_kind(schema, known, above)}{_about(schema)}"


def _nests(schema: Any, known: Schema, above: tuple[str, ...]) -> bool:
    """Whether *schema* needs lines of its own."""
    if not isinstance(schema, Mapping):
        return False
    inner, above = _resolved(schema, known, above)
    return bool(inner.get("properties")) or _nests(inner.get("items"), known, above)


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) else dumps(key)


def _kind(schema: Schema, known: Schema, above: tuple[str, ...]) -> str:
    """*schema* in one line."""
    inner, above = _resolved(schema, known, above)
    if "const" in inner or "enum" in inner:
        return " | ".join(map(dumps, inner.get("enum", [inner.get("const")])))
    choices: Sequence[Schema] = inner.get("anyOf") or inner.get("oneOf") or ()
    if choices:
        return " | ".join(_kind(each, known, above) for each in choices)
    if isinstance(inner.get("items"), Mapping):
        return f"[{_kind(inner['items'], known, above)}, ...]"
    if inner.get("properties"):
        fields = inner["properties"].items()
        pairs = (f"{_key(key)}: {_kind(each, known, above)}" for key, each in fields)
        return f"{{{', '.join(pairs)}}}"
    return str(inner.get("format") or inner.get("type") or _name(schema) or "anything")


def _resolved(
    schema: Schema, known: Schema, above: tuple[str, ...]
) -> tuple[Schema, tuple[str, ...]]:
    """What *schema* refers to, where that is not what it stands in."""
    name = _name(schema)
    if not name or name in above:
        return schema, above
    return known.get(name, {}), (*above, name)


def _name(schema: Schema) -> str:
    return str(schema.get("$ref", "")).removeprefix(_REF)


def _about(schema: Schema) -> str:
    description = " ".join(str(schema.get("description", "")).split())
    return f"  # {description}" if description else ""
