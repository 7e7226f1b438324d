"""Templates with named places, and the registry that holds them by key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A text with places such as ``{query}``.

    Only the declared *variables* are places, so JSON and code need no escaping. *protected*
    lists what an override must keep: variables, or pieces of the text.

    Raises:
        TypeError: the text or a list of names has the wrong type.
        ValueError: a protected item is not in the text.
    """

    template: str
    variables: tuple[str, ...] = field(default=(), kw_only=True)
    protected: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.template, str):
            raise TypeError(f"a template is a string, not {type(self.template).__name__}")
        object.__setattr__(self, "variables", _names("variables", self.variables))
        object.__setattr__(self, "protected", _names("protected", self.protected))
        self._check_protected(self.template)

    def render(self, **values: object) -> str:
        """The text with every place filled; what fills one is not searched for places.

        Raises:
            ValueError: a variable is missing, or a value is for none.
        """
        missing = [name for name in self.variables if name not in values]
        if missing:
            raise ValueError(f"the prompt needs {_listed(missing)}: pass {missing[0]}=...")
        unknown = [name for name in values if name not in self.variables]
        if unknown:
            raise ValueError(
                f"the prompt has no place for {_listed(unknown)}: "
                f"its variables are {_listed(self.variables)}"
            )
        return self._fill(values)

    def overridden(self, template: str) -> PromptTemplate:
        """The same places and protection around another text.

        Raises:
            ValueError: *template* lacks a protected item.
        """
        return PromptTemplate(template, variables=self.variables, protected=self.protected)

    def _fill(self, values: Mapping[str, object]) -> str:
        if not self.variables:
            return self.template
        places = "|".join(map(re.escape, self.variables))
        return re.sub(rf"\{{({places})\}}", lambda place: str(values[place[1]]), self.template)

    def _check_protected(self, template: str) -> None:
        wanted = [f"{{{it}}}" if it in self.variables else it for it in self.protected]
        missing = [item for item in wanted if item not in template]
        if missing:
            raise ValueError(f"the text must keep {_listed(missing)}: put it back in")


class PromptRegistry:
    """Prompts by key. What a key says never changes: overriding makes a new registry.

    Keys are dotted (``context.section.rag``). A text without variables may stand for its
    template.
    """

    __slots__ = ("_templates",)

    def __init__(self, templates: Mapping[str, PromptTemplate | str] | None = None) -> None:
        self._templates = {key: _template(value) for key, value in (templates or {}).items()}

    def __contains__(self, key: object) -> bool:
        return key in self._templates

    def __iter__(self) -> Iterator[str]:
        return iter(self._templates)

    def __len__(self) -> int:
        return len(self._templates)

    def keys(self) -> tuple[str, ...]:
        return tuple(self._templates)

    def template(self, key: str) -> PromptTemplate:
        """The template of *key*.

        Raises:
            KeyError: there is none.
        """
        try:
            return self._templates[key]
        except KeyError:
            raise KeyError(
                f"no prompt {key!r}: register() it, or use one of {_listed(self._near(key))}"
            ) from None

    def text(self, key: str) -> str:
        """The text of *key* as written, its places unfilled.

        Raises:
            KeyError: there is none.
        """
        return self.template(key).template

    def render(self, key: str, **values: object) -> str:
        """The text of *key* with its places filled.

        Raises:
            KeyError: there is no such key.
            ValueError: a variable is missing, or a value is for none.
        """
        try:
            return self.template(key).render(**values)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None

    def register(self, key: str, template: PromptTemplate | str) -> PromptRegistry:
        """Add a new key to this registry, and return it.

        Raises:
            ValueError: *key* is taken.
        """
        if key in self._templates:
            raise ValueError(f"prompt {key!r} exists: change it with with_overrides()")
        self._templates[key] = _template(template)
        return self

    def with_overrides(self, overrides: Mapping[str, PromptTemplate | str]) -> PromptRegistry:
        """A new registry with other texts for some keys; this one stays as it is.

        Raises:
            KeyError: a key is unknown.
            ValueError: a text lacks what its key protects.
        """
        changed = {key: self._override(key, value) for key, value in overrides.items()}
        return PromptRegistry({**self._templates, **changed})

    def _override(self, key: str, value: PromptTemplate | str) -> PromptTemplate:
        template = self.template(key)
        text = value.template if isinstance(value, PromptTemplate) else value
        try:
            return template.overridden(text)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None

    def _near(self, key: str) -> tuple[str, ...]:
        family = f"{key.split('.', 1)[0]}."
        return tuple(known for known in self if known.startswith(family)) or self.keys()


def _template(value: PromptTemplate | str) -> PromptTemplate:
    return value if isinstance(value, PromptTemplate) else PromptTemplate(value)


def _names(field_name: str, names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise TypeError(f"{field_name} is a tuple of strings: write ({names!r},)")
    return tuple(names)


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
