from __future__ import annotations

import pytest

from agentmaker import ConfigError
from agentmaker.calls.forms.dialects import (
    DEFAULT,
    DIALECTS,
    LENIENT,
    STRICT,
    Dialect,
    changes,
    choices,
)


def test_dialects_are_found_by_name():
    assert all(DIALECTS[name].name == name for name in DIALECTS)
    assert {"default", "lenient", "strict"} <= DIALECTS.keys()


def test_the_default_changes_nothing_and_the_strict_one_whatever_makes_a_server_refuse():
    assert changes(DEFAULT) == {}
    assert changes(LENIENT) == {"system": "anywhere"}
    assert choices().keys() - changes(STRICT).keys() == {"block", "cap", "learns", "usage"}


@pytest.mark.parametrize("name", choices())
def test_a_value_that_a_field_does_not_have_is_refused_with_those_it_has(name):
    with pytest.raises(ConfigError, match=rf"Dialect\({name}='latin'\) .* use one of '?\w+"):
        Dialect(**{name: "latin"})
