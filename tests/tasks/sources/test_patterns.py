from __future__ import annotations

import pytest

from agentmaker.errors import ConfigError
from agentmaker.tasks.sources.patterns import Patterns


@pytest.mark.parametrize(
    ("pattern", "path", "named"),
    [
        ("**/*", "a", True),
        ("**/*", "a/b/c", True),
        ("*.md", "a.md", True),
        ("*.md", "d/e/a.md", True),
        ("*.md", "a.mdx", False),
        ("/*.md", "a.md", True),
        ("/*.md", "d/a.md", False),
        ("d/*.md", "d/a.md", True),
        ("d/*.md", "d/e/a.md", False),
        ("d/**/*.md", "d/a.md", True),
        ("d/**/*.md", "d/e/f/a.md", True),
        ("d/**/*.md", "e/d/a.md", False),
        ("**/d/*.md", "e/d/a.md", True),
        ("d/**", "d/e/a", True),
        ("d", "d/e/a", True),
        ("d", "e/d/a", True),
        ("d/", "d/a", True),
        ("d", "dd/a", False),
        ("/d", "e/d/a", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].txt", "b.txt", True),
        ("[!ab].txt", "b.txt", False),
        ("[!ab].txt", "c.txt", True),
        ("d[!a]e", "d/e", False),
        ("[^a].txt", "^.txt", True),
        ("[]].txt", "].txt", True),
        ("a[", "a[", True),
        ("a.b", "axb", False),
        ("a\nb", "a\nb", True),
        ("*", "a\nb", True),
    ],
)
def test_a_pattern_names_what_it_matches_and_all_below(pattern, path, named) -> None:
    assert (path in Patterns("include", (pattern,))) is named


def test_no_pattern_names_nothing() -> None:
    assert "a" not in Patterns("exclude", ())


@pytest.mark.parametrize("path", ["SECRET", "secret", "Secret/a", "d/sEcret"])
def test_folded_patterns_overlook_case(path) -> None:
    assert path in Patterns("exclude", ("Secret",), folded=True)


def test_folded_patterns_overlook_how_a_character_is_composed() -> None:
    assert "cafe\u0301" in Patterns("exclude", ("caf\u00e9",), folded=True)


@pytest.mark.parametrize("given", ["*.md", b"*.md", ("",), ("/",), (None,), ("[z-a]",)])
def test_what_is_no_pattern_is_refused(given) -> None:
    with pytest.raises(ConfigError, match="include"):
        Patterns("include", given)
