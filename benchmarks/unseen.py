"""Texts of many kinds that the estimate was not learned from.

Prose and code in other languages lie in benchmarks/kinds; the rest comes from the standard
library's own source, this project's files, and what Python prints about them.
"""

from __future__ import annotations

import ast
import base64
import csv
import difflib
import dis
import hashlib
import inspect
import io
import json
import marshal
import pydoc
import random
import sqlite3
import textwrap
import traceback
import unicodedata
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import import_module
from pathlib import Path
from urllib.parse import quote

import agentmaker

FOLDER = Path(__file__).parent / "kinds"
PROJECT = FOLDER.parent.parent
LIBRARY = Path(inspect.getfile(inspect)).parent
MODULES = ("heapq", "textwrap", "argparse", "shutil", "queue", "zipfile", "statistics", "calendar")

SIZES = (500, 2_000, 8_000)
"""Characters."""

PLACES = 3
"""Stretches of a size in each document."""

Documents = Mapping[str, Sequence[str]]
Row = dict[str, object]


def documents() -> Documents:
    """Documents by kind."""
    found: dict[str, list[str]] = {}
    for path in sorted(FOLDER.glob("*.txt")):
        found.setdefault(path.name.split(".")[0], []).append(_read(path))
    return {**found, **{kind: list(make()) for kind, make in MADE.items()}}


def stretches(document: str) -> Iterator[str]:
    """Parts of each size, or all of a document that is shorter."""
    if len(document) <= SIZES[0]:
        yield document
    for size in SIZES:
        last = len(document) - size
        if last > 0:
            yield from (document[n * last // PLACES :][:size] for n in range(PLACES))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _prose(*languages: str) -> str:
    """What the folder holds in *languages*."""
    paths = (path for name in languages for path in sorted(FOLDER.glob(f"{name}.*")))
    return "\n".join(map(_read, paths))


def _source(module: str) -> str:
    return inspect.getsource(import_module(module))


def _sources() -> Iterator[str]:
    return map(_source, MODULES)


def _files() -> list[Path]:
    return sorted(LIBRARY.glob("[a-z]*.py"))


@cache
def _records() -> list[Row]:
    """A record for each file of the library."""
    start = datetime(2024, 3, 1, 8, tzinfo=UTC)
    return [
        {
            "name": path.name,
            "size": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest()[:16],
            "changed": (start + timedelta(seconds=number * 40_007)).isoformat(),
            "about": (ast.get_docstring(ast.parse(path.read_bytes())) or "").split("\n")[0],
            "public": not path.name.startswith("_"),
        }
        for number, path in enumerate(_files())
    ]


def _lines(make: Callable[[random.Random], str], number: int = 400) -> list[str]:
    """A document of as many lines, the same every time."""
    chance = random.Random(1)
    return ["\n".join(make(chance) for _ in range(number))]


# Code, and what is printed about it


def tracebacks() -> Iterator[str]:
    broken: Iterable[Callable[[], object]] = (
        lambda: json.loads("{'a': 1}"),
        lambda: import_module("no.such.module"),
        lambda: Path("/no/such/file").read_text(encoding="utf-8"),
        lambda: datetime.fromisoformat("yesterday"),
        lambda: base64.b64decode("abcde"),
        lambda: ast.parse("def f(:"),
        lambda: textwrap.wrap("text", width=0),
    )
    found = []
    for call in broken:
        try:
            call()
        except Exception:
            found.append(traceback.format_exc())
    yield "\n".join(found)


def diffs() -> Iterator[str]:
    for old, new in (("posixpath", "ntpath"), ("asyncio.locks", "asyncio.queues")):
        before, after = (_source(name).splitlines(keepends=True) for name in (old, new))
        yield "".join(difflib.unified_diff(before, after, f"a/{old}.py", f"b/{new}.py"))


def bytecode() -> Iterator[str]:
    out = io.StringIO()
    dis.dis(compile(_source("heapq"), "heapq.py", "exec"), file=out)
    yield out.getvalue()


def _schemas() -> list[Row]:
    """The functions of this package as tools."""
    members = [getattr(agentmaker, name) for name in agentmaker.__all__]
    return [_schema(each) for each in members if inspect.isfunction(each)]


def _schema(function: Callable[..., object]) -> Row:
    properties = {
        name: {"type": "string", "description": f"{name}: {parameter.annotation}"}
        for name, parameter in inspect.signature(function).parameters.items()
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)[:1]}
    about = {"name": function.__name__, "description": inspect.getdoc(function)}
    return {"type": "function", "function": {**about, "parameters": parameters}}


def _yaml(value: object, indent: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, held in value.items():
            nested = isinstance(held, dict | list)
            yield f"{indent}{key}:" if nested else f"{indent}{key}: {held}"
            yield from _yaml(held, f"{indent}  ") if nested else ()
    elif isinstance(value, list):
        for held in value:
            first, *more = _yaml(held, f"{indent}  ")
            yield from (f"{indent}- {first.lstrip()}", *more)
    else:
        yield f"{indent}{value}"


# Data


def table(separator: str) -> list[str]:
    out = io.StringIO()
    rows = _records()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return [out.getvalue()]


def markdown_table() -> Iterator[str]:
    rows = [["name", "size", "changed"], ["---", "--:", "---"]]
    rows += [[str(row[key]) for key in rows[0]] for row in _records()]
    yield "\n".join(f"| {' | '.join(row)} |" for row in rows)


def dump() -> Iterator[str]:
    """A database as SQL."""
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE files (name TEXT PRIMARY KEY, size INTEGER, about TEXT)")
        rows = [(row["name"], row["size"], row["about"]) for row in _records()]
        base.executemany("INSERT INTO files VALUES (?, ?, ?)", rows)
        yield "\n".join(base.iterdump())
    base.close()


def _compiled() -> bytes:
    return zlib.compress(marshal.dumps(compile(_source("argparse"), "argparse.py", "exec")))


def hex_dump() -> Iterator[str]:
    data = marshal.dumps(compile(_source("heapq"), "heapq.py", "exec"))
    yield "\n".join(f"{at:08x}: {data[at : at + 16].hex(' ', 2)}" for at in range(0, len(data), 16))


def hashes() -> Iterator[str]:
    yield "\n".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in _files()
    )


def listing() -> Iterator[str]:
    yield "\n".join(
        f"-rw-r--r-- 1 app app {row['size']:>7} Mar  1 08:15 {row['name']}" for row in _records()
    )


def paths() -> Iterator[str]:
    found = sorted(LIBRARY.glob("[a-r]*/*.py"))
    yield "\n".join(f"/usr/lib/python/{path.relative_to(LIBRARY).as_posix()}" for path in found)


def addresses() -> Iterator[str]:
    page = "https://docs.python.org/3/library"
    names = ((name, each) for name in MODULES for each in dir(import_module(name)))
    yield "\n".join(f"{page}/{name}.html?highlight={each}#{name}.{each}" for name, each in names)


def log(chance: random.Random) -> str:
    at = datetime(2025, 6, 3, tzinfo=UTC) + timedelta(milliseconds=chance.randrange(10**8))
    level = chance.choice(("INFO", "INFO", "DEBUG", "WARNING", "ERROR"))
    said = chance.choice(
        (
            "connection from {}:{} accepted",
            "job {} finished in {} ms",
            "retrying upload of part {}, attempt {}",
            "cache miss for key user:{}:profile:{}",
            "query returned {} rows, {} were skipped",
        )
    ).format(chance.randrange(10**4), chance.randrange(10**3))
    return f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03} {level} worker.{level}: {said}"


def access(chance: random.Random) -> str:
    host = ".".join(str(chance.randrange(256)) for _ in range(4))
    page = chance.choice(("orders/{}", "users/{}/avatar.png", "search?q=shoes&page={}"))
    return (
        f"{host} - - [03/Jun/2025:10:{chance.randrange(60):02}:07 +0000] "
        f'"GET /api/{page.format(chance.randrange(999))} HTTP/1.1" 200 {chance.randrange(9999)}'
    )


def conversation() -> Iterator[str]:
    said = [line for line in _prose("English", "Chinese", "French").split("\n") if line]
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)]
    yield json.dumps(messages, ensure_ascii=False, indent=2)


def two_languages() -> Iterator[str]:
    pairs = zip(_prose("Chinese").split("。"), _source("queue").split("\n\n"), strict=False)
    yield "\n".join(f"{said}。\n{code}" for said, code in pairs)


def characters() -> Iterator[str]:
    some = [chr(code) for code in range(0xA1, 0x2FF)]
    yield "\n".join(f"U+{ord(each):04X}\t{unicodedata.name(each, '?')}" for each in some)


def names() -> Iterator[str]:
    modules = ("errno", "signal", "socket", "token", "stat")
    known = [name for each in modules for name in dir(import_module(each))]
    yield "\n".join(name for name in known if not name.startswith("_"))


MADE: Mapping[str, Callable[[], Iterable[str]]] = {
    "Python": _sources,
    "Python tests": lambda: map(_read, sorted(PROJECT.glob("tests/context/*.py"))[:6]),
    "shell": lambda: map(_read, sorted(LIBRARY.glob("venv/scripts/**/activate*"))),
    "TOML": lambda: [_read(PROJECT / "pyproject.toml")],
    "Markdown documentation": lambda: [
        _read(PROJECT / "docs" / name) for name in ("how-it-works.md", "testing.md")
    ],
    "tracebacks": tracebacks,
    "diffs": diffs,
    "bytecode": bytecode,
    "syntax trees": lambda: [ast.dump(ast.parse(_source("heapq")), indent=1)],
    "HTML": lambda: [pydoc.HTMLDoc().docmodule(import_module(name)) for name in ("queue", "heapq")],
    "manual": lambda: [pydoc.plain(pydoc.render_doc(import_module("zipfile")))],
    "tool schemas": lambda: [json.dumps(_schemas())],
    "tool schemas, indented": lambda: [json.dumps(_schemas(), indent=2)],
    "YAML": lambda: ["\n".join(_yaml(_schemas()))],
    "tool result, JSON": lambda: [json.dumps({"files": _records(), "next": None})],
    "tool result, indented": lambda: [json.dumps(_records(), indent=2)],
    "tool result, compact": lambda: [json.dumps(_records(), separators=(",", ":"))],
    "JSON lines": lambda: ["\n".join(map(json.dumps, _records()))],
    "JSON in JSON": lambda: [json.dumps({"arguments": json.dumps(_records())})],
    "conversation": conversation,
    "CSV": lambda: table(","),
    "tab-separated": lambda: table("\t"),
    "Markdown table": markdown_table,
    "SQL": dump,
    "hex": lambda: [_compiled().hex()],
    "hex dump": hex_dump,
    "base64": lambda: [base64.b64encode(_compiled()).decode()],
    "base64 in lines": lambda: [base64.encodebytes(_compiled()).decode()],
    "hashes": hashes,
    "file list": listing,
    "paths": paths,
    "URLs": addresses,
    "log": lambda: _lines(log),
    "access log": lambda: _lines(access),
    "identifiers": lambda: _lines(lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4))),
    "numbers": lambda: _lines(lambda r: f"{r.gauss(0, 90):.3f}\t{r.randrange(10**6)}"),
    "vector": lambda: [json.dumps([round(x / 7919 % 2 - 1, 8) for x in range(1, 999)])],
    "escaped": lambda: [json.dumps(_prose("Russian")), json.dumps(_prose("Chinese"))],
    "percent-encoded": lambda: [quote(_prose("French"))],
    "Chinese and code": two_languages,
    "character names": characters,
    "constants": names,
}
