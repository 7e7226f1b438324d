"""Tells in the log why words alone were searched where meaning was asked for."""

from __future__ import annotations

import logging
from dataclasses import dataclass


@dataclass(slots=True)
class WordsAlone:
    """*what* is searched, and the problem that was told last."""

    what: str
    problem: str = ""

    def tell(self, problem: str) -> None:
        """Once, as long as it is the same."""
        if problem and problem != self.problem:
            logging.getLogger("agentmaker").warning(
                "%s are searched by their words alone: %s", self.what, problem
            )
        self.problem = problem
