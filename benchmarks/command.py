"""The command line that all benchmarks share."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from benchmarks.figures import Report, save

NO_DATA = "no data: pass --data FOLDER or set AGENTMAKER_DATA"


def run(name: str, measure: Callable[[Path | None], Report | None]) -> NoReturn:
    """Measure and print; ends with 1 when a bar is missed, with 0 when there is no data.

    *measure* is given the data's folder, None where there is none, and returns None when
    it measures nothing without it.
    """
    arguments = _parser(name).parse_args()
    folder = _folder(arguments.data)
    started = time.perf_counter()
    report = measure(folder)
    if report is None:
        print(f"{name}: {NO_DATA}; nothing was measured")
        sys.exit(0)
    for table in report.all_tables():
        print(f"\n{name}.{table.name}\n\n{table.markdown()}")
    print(f"\n{name}: {time.perf_counter() - started:.0f} s")
    if arguments.save:
        save(name, report)
    sys.exit(0 if report.met else 1)


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.bench_{name}")
    parser.add_argument("--data", type=Path, help="folder of conversations to replay")
    parser.add_argument("--save", action="store_true", help="keep the figures for the docs")
    return parser


def _folder(given: Path | None) -> Path | None:
    named = given or (Path(os.environ["AGENTMAKER_DATA"]) if _set("AGENTMAKER_DATA") else None)
    if named is not None and not named.is_dir():
        sys.exit(f"{named} is no folder")
    return named


def _set(variable: str) -> bool:
    return bool(os.environ.get(variable))
