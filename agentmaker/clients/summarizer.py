"""Who writes the summaries of a client's calls."""

from __future__ import annotations

from dataclasses import dataclass

from agentmaker.calls.middleware import Next
from agentmaker.calls.setting import SummaryModel
from agentmaker.clients.models import known_window
from agentmaker.tokens import remembered_counter


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarizer:
    """Where summary calls go.

    Attributes:
        name: the model to ask, None for the model of the call that needs the summary.
        window: its window in tokens, where it says so itself.
        fallback: its window where nobody knows it.
        send: how it is reached, None for the client of the call itself.
    """

    name: str | None = None
    window: int | None = None
    fallback: int | None = None
    send: Next | None = None

    def model(self, model: str, window: int, provider: str | None) -> SummaryModel:
        """The summariser of a call to *model*, whose window is *window*, at *provider*.

        One that does not say its own window is taken to hold no more than the model does.
        """
        name = self.name or model
        return SummaryModel(
            model=name,
            window=self.window or min(window, self._known(name, provider) or window),
            counter=remembered_counter(name),
        )

    def _known(self, name: str, provider: str | None) -> int | None:
        at = None if self.send else provider
        return known_window(name, provider=at, fallback=self.fallback)
