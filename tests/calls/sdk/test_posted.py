"""What the SDK is told of a request beside its body."""

from __future__ import annotations

from openai._models import FinalRequestOptions
from openai._types import NotGiven

from agentmaker.calls.sdk.posted import not_given


def test_what_nobody_gives_is_said_to_be_what_the_sdk_takes_it_for():
    defaults = {name: FinalRequestOptions.model_fields[name].default for name in not_given()}
    for name, value in not_given().items():
        assert value == defaults[name] or isinstance(value, NotGiven)
        assert isinstance(value, NotGiven) == isinstance(defaults[name], NotGiven)
