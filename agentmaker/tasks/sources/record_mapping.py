"""How a record becomes an item of a source: its ref, its text, its title."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from agentmaker.context.rendering import is_huge, plain_data, to_yaml
from agentmaker.errors import ConfigError
from agentmaker.memory.notes.markdown import one_line
from agentmaker.tasks.source import Descriptor, Problem, Unreadable
from agentmaker.tasks.sources.texts import LONGEST_SUMMARY, readable, revision_of, summary_of
from agentmaker.tasks.sources.walk import title_of

Record: TypeAlias = Mapping[str, Any]
Field: TypeAlias = str | Callable[[Record], str]
"""A field's name, or a function of the record."""


class Refused(Exception):
    """Raised when a record cannot be offered.

    Attributes:
        problem: why, told with its ref.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.reason)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Described:
    """A record as it is listed."""

    descriptor: Descriptor | None
    problems: tuple[Problem, ...] = ()

    def as_told(self, before: Descriptor | None) -> Described:
        """With *before*, where that is equal: the same object is kept once, and compared soon."""
        return replace(self, descriptor=before) if self.descriptor == before else self


@dataclass(frozen=True, slots=True)
class RecordMapping:
    """The fields that make refs, texts and titles; None for the whole record, and for its ref.

    Raises:
        ConfigError: one is no name and no function.
    """

    key: str | None = None
    text: Field | None = None
    title: Field | None = None

    def __post_init__(self) -> None:
        fields: dict[str, object] = {"key": self.key, "text": self.text, "title": self.title}
        for name, field in fields.items():
            named = isinstance(field, str) and field != ""
            if field is not None and not named and (name == "key" or not callable(field)):
                or_that = "" if name == "key" else " or a function of the record"
                raise ConfigError(f"{name} must be the name of a field{or_that}, not {field!r}")

    def ref_of(self, record: Record) -> str:
        """What names *record*; "" where its key is missing or is no single value."""
        value = None if self.key is None else record.get(self.key)
        if type(value) is str and value.isascii():
            return value
        several = isinstance(value, (bool, Mapping, list, tuple, set)) or is_huge(value)
        return "" if value is None or several else readable(str(value))

    def text_of(self, ref: str, record: Record) -> str:
        """The text of *record*, the same for the same data.

        Raises:
            Refused: it has none, or some part of it cannot be shown.
        """
        if self.text is not None:
            return _value("text", self.text, ref, record)
        try:
            return readable(to_yaml(plain_data(record, name="record")))
        except ConfigError:
            detail = "a field cannot be shown: keep text, numbers, dates, lists and dictionaries"
            raise Refused(Problem(ref, "invalid", detail)) from None
        except Exception as error:  # such as of a list that others change meanwhile
            raise Refused(Problem(ref, "invalid", type(error).__name__)) from None

    def described(self, ref: str, record: Record) -> Described:
        problems = []
        try:
            text = self.text_of(ref, record)
        except Refused as refused:
            return Described(None, (refused.problem,))
        try:
            title = ref if self.title is None else _value("title", self.title, ref, record)
        except Refused as refused:
            title = ref
            problems.append(refused.problem)
        return Described(_descriptor(ref, title, text, self._summary(text)), tuple(problems))

    def _summary(self, text: str) -> str:
        """The first line, or as many fields of a whole record as one line holds."""
        if self.text is not None:
            return summary_of(text, markdown=False)
        return one_line(text[: 4 * LONGEST_SUMMARY], LONGEST_SUMMARY)


def readable_text(mapping: RecordMapping, ref: str, record: Record) -> str:
    """The text of *record*.

    Raises:
        Unreadable: it has none.
    """
    try:
        return mapping.text_of(ref, record)
    except Refused as refused:
        raise Unreadable(f"{refused.problem.reason}: {refused.problem.detail}") from None


def _descriptor(ref: str, title: str, text: str, summary: str) -> Descriptor:
    return Descriptor(
        ref=ref,
        revision=revision_of(text.encode()),
        role="record",
        title=title_of(title),
        summary=summary,
        size=len(text),
    )


def _value(what: str, field: Field, ref: str, record: Record) -> str:
    try:
        value = field(record) if callable(field) else record.get(field)
    except Exception as error:
        detail = f"the function of {what}= raised {type(error).__name__}"
        raise Refused(Problem(ref, "invalid", detail)) from None
    if value is None:
        raise Refused(Problem(ref, "missing_field", f"it has nothing for {what}="))
    if not isinstance(value, (str, int, float)) or is_huge(value):
        detail = f"{what}= gives a {type(value).__name__}: it must be text"
        raise Refused(Problem(ref, "invalid", detail))
    return readable(str(value))
