"""The commands: what is asked on the command line, handed to the functions that do it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich.console import Console
from rich.progress import Progress

from agentmaker import __version__
from agentmaker.cli import show
from agentmaker.cli.count import count_file
from agentmaker.cli.files import (
    Conversation,
    FileError,
    Tools,
    read_conversations,
    read_tools,
    unreadable,
)
from agentmaker.cli.replay import Attempt, Session, replay, summarise
from agentmaker.cli.resume import resume
from agentmaker.cli.runs import runs
from agentmaker.cli.stores import BAD_USAGE
from agentmaker.observe import report
from agentmaker.observe.clean import to_line
from agentmaker.observe.sinks import JsonlSink
from agentmaker.tokens import counter_for, counter_name, is_exact

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Files = Annotated[list[Path], typer.Argument(metavar="FILE", help="The files to read.")]
Model = Annotated[str, typer.Option(help="Count tokens as this model does.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]


@app.callback(invoke_without_command=True)
def agentmaker(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Keep requests to a model inside its window, and see where every token went."""
    if version:
        typer.echo(__version__)
        raise typer.Exit


@app.command()
def demo() -> None:
    """Run a long tool loop in a small window."""
    from agentmaker.cli.demo import run

    run()


@app.command("replay")
def replay_files(
    files: Files,
    window: Annotated[int, typer.Option(min=1, help="Tokens the model holds.")],
    model: Model = "gpt-4o",
    tools: Annotated[Path | None, typer.Option(help="Tools for those that bring none.")] = None,
    output_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens to reserve for each reply.")
    ] = None,
    jsonl: Annotated[Path | None, typer.Option(help="Write each call's record here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Fit recorded conversations into a window.

    Each recorded assistant message becomes a call with the messages before it.
    """
    with _refusing():
        conversations = _conversations(files)
        schemas = read_tools(tools) if tools else ()
        sinks = [_fresh_sink(jsonl, files)] if jsonl else []
        session = partial(_session, window, model, output_tokens)
        attempts = anyio.run(_replay, conversations, session, model, schemas, sinks)
    counter = counter_name(counter_for(model))
    summary = summarise(attempts, window=window, model=model, counter=counter)
    if as_json:
        typer.echo(to_line(asdict(summary)))
    else:
        show.print_summary(summary)
    raise typer.Exit(1 if summary.errors else 0)


@app.command()
def count(files: Files, model: Model = "gpt-4o", as_json: AsJson = False) -> None:
    """Count the tokens of texts or conversations."""
    counter = counter_for(model)
    name, exact = counter_name(counter), is_exact(counter)
    with _refusing():
        counts = [count_file(path, counter) for path in files]
    if as_json:
        found = [asdict(one) for one in counts]
        typer.echo(to_line({"model": model, "counter": name, "exact": exact, "files": found}))
    else:
        show.print_counts(counts, counter=name, exact=exact)


@app.command()
def ledger(
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="What JsonlSink wrote.")],
    as_json: AsJson = False,
) -> None:
    """Show the requests of a ledger file."""
    with _refusing():
        records = report.read_jsonl(file)
    totals = report.totals(records)
    if as_json:
        typer.echo(to_line({"totals": asdict(totals), "requests": records}))
    else:
        show.print_ledger(records, totals)


app.command()(runs)
app.command()(resume)


def _conversations(files: Sequence[Path]) -> list[Conversation]:
    found = [one for path in files for one in read_conversations(path)]
    if not any(one.answers for one in found):
        names = ", ".join(map(str, files))
        raise FileError(
            f"{names}: holds no assistant message with others before it to replay: "
            "record one that the model has answered"
        )
    return found


def _session(window: int, model: str, output_tokens: int | None) -> Session:
    from agentmaker.clients.fit import Fitter

    return Fitter(window=window, model=model, output_tokens=output_tokens)


async def _replay(
    conversations: Sequence[Conversation],
    session: partial[Session],
    model: str,
    tools: Tools,
    sinks: Sequence[JsonlSink],
) -> list[Attempt]:
    with _progress(sum(len(one.answers) for one in conversations)) as progress:
        task = progress.task_ids[0]

        def each(attempt: Attempt) -> None:
            for sink in sinks:
                sink(attempt.record)
            progress.advance(task)

        return await replay(conversations, session, model=model, tools=tools, each=each)


@contextmanager
def _progress(total: int) -> Iterator[Progress]:
    quiet = not sys.stderr.isatty()
    with Progress(console=Console(stderr=True), disable=quiet, transient=True) as progress:
        progress.add_task("replaying", total=total)
        yield progress


def _fresh_sink(path: Path, inputs: Sequence[Path]) -> JsonlSink:
    if any(path.resolve() == one.resolve() for one in inputs):
        raise FileError(f"{path}: is one of the files to read: give --jsonl another name")
    path.unlink(missing_ok=True)
    return JsonlSink(path)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        said = str(unreadable(error) if isinstance(error, OSError) else error)
        typer.echo(f"agentmaker: {said}", err=True)
        raise typer.Exit(BAD_USAGE) from None
