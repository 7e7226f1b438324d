from __future__ import annotations

import pytest

from agentmaker.tools.docstrings import parameters_of, purpose_of


@pytest.mark.parametrize("docstring", [None, "", "   \n"])
def test_no_docstring_says_nothing(docstring):
    assert purpose_of(docstring) == ""
    assert parameters_of(docstring) == {}


def test_the_purpose_ends_where_a_section_begins():
    assert purpose_of("Do it.\nArgs:\n    x: a") == "Do it."
    assert purpose_of("Do it.\n:param x: a") == "Do it."
    assert purpose_of("Do: it\nnow.\n\nOr later.") == "Do: it now."


def test_a_google_section_ends_at_the_margin():
    docstring = """Do.

        Args:
            a: first
            *b (list[int], optional): second: with a colon

                after a gap

        Returns:
            c: not a parameter
        """
    assert parameters_of(docstring) == {"a": "first", "b": "second: with a colon"}


def test_a_parameter_without_words_is_not_described():
    assert parameters_of("Do.\n\nArgs:\n    a:\n    b: yes") == {"b": "yes"}
    assert parameters_of(":param a:\n:param str b: yes") == {"b": "yes"}
