"""Turns what a caller gives into a call; nothing of it is changed, and nothing is sent."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

from anyio import to_thread

from agentmaker.calls.call import Call, new_id
from agentmaker.calls.forms.adaptations import Adaptations
from agentmaker.calls.forms.dialects import Dialect
from agentmaker.calls.memory.calibrations import Calibrations
from agentmaker.calls.memory.conversations import Conversations
from agentmaker.calls.memory.remembered import Remembered
from agentmaker.calls.setting import Setting, SummaryModel
from agentmaker.calls.views import Views
from agentmaker.calls.window import Window
from agentmaker.clients.given import Given, checked_schemas, schema, schemas
from agentmaker.clients.hosts import Chosen
from agentmaker.clients.models import LOCAL_PROVIDERS, known_window, max_output_of
from agentmaker.clients.options import Options
from agentmaker.clients.summarizer import Summarizer
from agentmaker.clients.using import Overrides
from agentmaker.errors import ConfigError
from agentmaker.tokens import counter_for, is_loaded, remembered_counter

MOST_SETTINGS = 256
"""So many models and windows are remembered with what follows from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads calls by what a client was wrapped with, for a memory of their cuts."""

    options: Options
    summarizer: Summarizer | None = None
    views: Views = field(default_factory=Views)
    conversations: Conversations = field(default_factory=Conversations)
    adaptations: Adaptations = field(default_factory=Adaptations)
    calibrations: Calibrations = field(default_factory=Calibrations)
    _settings: Remembered[Hashable, Setting] = field(
        init=False, default_factory=partial(Remembered, MOST_SETTINGS)
    )

    def at(self, base_url: str) -> Self:
        """The same reader for a server at *base_url*, whose way to count it has yet to learn."""
        options = replace(self.options, base_url=base_url)
        return replace(self, options=options, calibrations=Calibrations())

    async def load(self, model: object) -> None:
        """Load the vocabularies of *model* and its summariser, once in a process, in a thread."""
        for name in (model, self.summarizer and self.summarizer.name):
            if isinstance(name, str) and not is_loaded(name):
                await to_thread.run_sync(counter_for, name, abandon_on_cancel=True)

    def call(self, given: Given, overrides: Overrides) -> Call:
        """The call that *given* means where *overrides* hold.

        Raises:
            ConfigError: the model's window is not known and no fallback is given, or there
                is no message to send, or the model is no name.
            TypeError, ValueError: a message or a schema is none.
        """
        started = time.perf_counter()
        if not isinstance(given.model, str):
            raise ConfigError(f"model must be a name, not {type(given.model).__name__}")
        setting = self.setting(given.model, overrides)
        repaired = self.conversations.read(given.messages, setting.prompts)
        if not repaired.messages:
            raise ConfigError("nothing in messages can be sent: give it at least a user message")
        window = Window.from_messages(
            repaired.messages,
            tools=self._tools(given.tools),
            response_format=given.response_format and self._format(given.response_format),
            asked=repaired.asked,
        )
        return Call(
            window=window,
            setting=setting,
            model=given.model,
            params=given.params,
            options=given.options,
            scope=overrides.scope or self.options.scope,
            run=overrides.run,
            run_id=overrides.run.id if overrides.run else new_id(),
            repairs=repaired.defects,
            started=started,
            own_ms=(time.perf_counter() - started) * 1000,
        )

    def _tools(self, given: Any) -> Sequence[Any]:
        items = checked_schemas("tools", given)
        return items and self.views.schemas.read(items, partial(schemas, "tools"))

    def _format(self, given: Any) -> Any:
        def read(one: list[Any]) -> list[Any]:
            return [schema("response_format", each) for each in one]

        return self.views.schemas.read([given], read)[0]

    def setting(self, model: str, overrides: Overrides) -> Setting:
        """How the window of a call to *model* is used.

        Raises:
            ConfigError: the window is not known.
        """
        key = model, overrides.window
        setting = self._settings.get(key)
        if setting is None:
            setting = self._setting(model, self._window(model, overrides))
            self._settings.put(key, setting)
        if overrides.sources is None:
            return setting
        return replace(setting, sources=overrides.sources)

    def _setting(self, model: str, window: int) -> Setting:
        options, config = self.options, self.options.config
        return Setting(
            window=window,
            max_output=options.max_output or max_output_of(model, provider=options.provider),
            output_tokens=options.output_tokens,
            counter=remembered_counter(model, config.media),
            budget=config.window_budget,
            context=config.context,
            prompts=config.prompts,
            dialect=self._dialect(model),
            sources=options.sources,
            summary=self._summary(model, window),
            views=self.views,
            adaptations=self.adaptations,
            calibrations=self.calibrations,
        )

    def _dialect(self, model: str) -> Dialect:
        given = self.options.dialect
        if isinstance(given, Dialect):
            return given
        return given.dialect(self.options.base_url, model)

    def _summary(self, model: str, window: int) -> SummaryModel | None:
        """Who summarises for *model*; on a client of its own, in the dialect of its name."""
        if self.summarizer is None:
            return None
        summary = self.summarizer.model(model, window, self.options.provider)
        name, own = summary.model, self.summarizer.send is not None
        dialect = Chosen().dialect(None, name) if own else self._dialect(name)
        return replace(summary, dialect=dialect)

    def _window(self, model: str, overrides: Overrides) -> int:
        options = self.options
        window = known_window(
            model,
            call=overrides.window,
            client=options.window,
            provider=options.provider,
            fallback=options.fallback_window,
        )
        if window is None:
            local = options.provider in LOCAL_PROVIDERS
            why = " (a local server has the one it was started with)" if local else ""
            raise ConfigError(
                f"the window of model {model!r} is not known{why}: pass {options.knob}= with the "
                "model's own, or fallback_window= for every model nobody knows"
            )
        return window
