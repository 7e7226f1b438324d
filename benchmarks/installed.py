"""The package as a user installs it, in an environment of its own.

Of what the tests need, httpx loads trio with its first request, several megabytes of it.
"""

from __future__ import annotations

import subprocess
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


@contextmanager
def interpreter() -> Iterator[str]:
    """An interpreter that has it, until the end of the block."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(next(Path(folder).glob("bin/python")))
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)],
            check=True,
        )
        yield python
