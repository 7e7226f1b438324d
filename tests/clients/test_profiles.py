from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from agentmaker.clients.profiles import PROFILES, profile_of
from agentmaker.errors import ConfigError


def test_an_unknown_provider_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"'deepsek'.*base_url=.*deepseek.*openai"):
        profile_of("deepsek")


def test_an_unknown_provider_with_an_address_reads_a_key_of_its_own_name():
    profile = profile_of("our-proxy 2", "https://proxy.example/v1")
    assert (profile.base_url, profile.env) == ("https://proxy.example/v1", "OUR_PROXY_2_API_KEY")


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_only_a_server_on_this_machine_needs_no_key_and_no_tls(name):
    profile = PROFILES[name]
    local = urlsplit(profile.base_url).hostname == "localhost"
    assert profile.needs_key is not local
    assert profile.base_url.startswith("https://") is not local
