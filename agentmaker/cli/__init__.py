"""The command line: ``agentmaker demo`` and the other commands."""

from __future__ import annotations

import sys
from importlib.util import find_spec

INSTALL = "the command line needs two more packages: pip install 'agentmaker-runtime[cli]'\n"


def main() -> None:
    """Run the command line; without its packages, say how to install them and exit with 2."""
    if not (find_spec("typer") and find_spec("rich")):
        sys.stderr.write(INSTALL)
        raise SystemExit(2)
    from agentmaker.cli.app import app

    app(prog_name="agentmaker")
