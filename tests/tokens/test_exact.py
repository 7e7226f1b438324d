from __future__ import annotations

import builtins
import random
import string

import pytest

from agentmaker import count_tokens, counter_for
from agentmaker.tokens import ExactCounter, counter_name, exact, families, is_exact
from agentmaker.tokens.exact import PIECE, pieces
from agentmaker.tokens.families import family_of


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o", "o200k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("azure/GPT-4o-mini", "o200k_base"),
        ("gpt-4o-2024-11-20", "o200k_base"),
        ("ft:gpt-4o-mini-2024-07-18:acme::abc", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5.1-codex", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini-2025-04-16", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo-2024-04-09", "cl100k_base"),
        ("gpt-4-1106-preview", "cl100k_base"),
        ("gpt-3.5-turbo-0125", "cl100k_base"),
        ("azure/gpt-35-turbo", "cl100k_base"),
        ("openai/gpt-oss-120b", "gpt_oss"),
        ("gpt-oss:20b", "gpt_oss"),
        ("deepseek-chat", "deepseek_v3"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek_v3"),
        ("deepseek/deepseek-r1:free", "deepseek_v3"),
        ("deepseek-v2", None),
        ("deepseek-r1-distill-llama-70b", "llama3"),
        ("DeepSeek-R1-Distill-Qwen-32B", "qwen3"),
        ("deepseek-r1:14b", "qwen3"),
        ("qwen3:14b", "qwen3"),
        ("Qwen/Qwen2.5-72B-Instruct", "qwen3"),
        ("accounts/fireworks/models/qwen2p5-72b-instruct", "qwen3"),
        ("qwen-max", "qwen3"),
        ("qwq:32b", "qwen3"),
        ("qwen3.5-plus", None),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3"),
        ("llama3.1:8b", "llama3"),
        ("accounts/fireworks/models/llama-v3p1-8b-instruct", "llama3"),
        ("us.meta.llama3-1-70b-instruct-v1:0", "llama3"),
        ("llama-4-scout", None),
        ("llama2:7b", "llama2"),
        ("codellama:13b", "codellama"),
        ("zai-org/GLM-4.6", "glm4"),
        ("glm-4-plus", "glm4"),
        ("glm-40", None),
        ("moonshotai/Kimi-K2-Instruct", "kimi_k2"),
        ("moonshot-v1-8k", "kimi_k2"),
        ("kimi-k3", "kimi_k3"),
        ("mistral:7b", "mistral_v2"),
        ("mistralai/Mistral-7B-Instruct-v0.2", "mistral_v1"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "mistral_v2"),
        ("mixtral:8x7b", "mistral_v1"),
        ("open-mixtral-8x22b", "mistral_v2"),
        ("mistral-large-2407", "mistral_v2"),
        ("mistral-large-latest", "mistral_v3"),
        ("mistral-small-2409", "mistral_v2"),
        ("mistral-small-2503", "mistral_v3"),
        ("open-mistral-nemo", "mistral_v3"),
        ("ministral-8b-latest", "mistral_v3"),
        ("gemma3:27b", "gemma3"),
        ("google/gemma-2-9b-it", "gemma2"),
        ("gemma:7b", "gemma2"),
        ("gemini-2.5-pro", "gemma3"),
        ("microsoft/phi-4", "phi4"),
        ("phi4:14b", "phi4"),
        ("phi-4-mini-instruct", None),
        ("allenai/OLMo-2-7B", "olmo2"),
        ("claude-sonnet-4", None),
        ("my-deploy-01", None),
        ("marco-o1", None),
        ("", None),
    ],
)
def test_a_model_name_tells_its_vocabulary(model, family):
    assert family_of(model) == family


@pytest.mark.parametrize("model", [None, "", "my-deploy-01", "claude-sonnet-4"])
def test_an_unknown_model_is_estimated(model):
    counter = counter_for(model)
    assert counter is count_tokens
    assert counter_name(counter) == "estimate"
    assert not is_exact(counter)


def test_without_splintr_a_known_model_is_estimated(monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name == "splintr":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    exact._load.cache_clear()
    try:
        assert counter_for("gpt-4o") is count_tokens
    finally:
        exact._load.cache_clear()


def test_a_vocabulary_that_splintr_does_not_have_is_estimated_and_logged_once(monkeypatch, caplog):
    pytest.importorskip("splintr")
    monkeypatch.setattr(exact, "family_of", lambda model: "no_such_vocabulary")
    assert counter_for("a") is count_tokens
    assert counter_for("b") is count_tokens
    assert len(caplog.records) == 1


def test_a_counter_of_ones_own_is_called_custom_and_not_exact():
    assert counter_name(len) == "custom"
    assert not is_exact(len)


class TestCounting:
    @pytest.fixture
    def counter(self):
        pytest.importorskip("splintr")
        return counter_for("gpt-4o")

    def test_a_counter_says_what_it_is(self, counter):
        assert isinstance(counter, ExactCounter)
        assert counter_name(counter) == "o200k_base"
        assert is_exact(counter)

    def test_a_vocabulary_is_loaded_once(self, counter):
        assert counter_for("azure/gpt-5-mini") is counter

    @pytest.mark.parametrize("family", sorted({family for family, _ in families._RULES}))
    def test_splintr_has_every_family_a_name_may_lead_to(self, counter, family):
        found = exact._load(family)
        assert (counter_name(found), is_exact(found)) == (family, True)
        assert 1 <= found("hello") <= 2
        assert found("") == 0

    def test_a_literal_special_token_counts_as_text(self, counter):
        assert counter("<|endoftext|>") > 1

    def test_a_lone_surrogate_counts_as_the_replacement_character(self, counter):
        assert counter("a \ud83d b") == counter("a \N{REPLACEMENT CHARACTER} b")

    @pytest.mark.parametrize(
        "text",
        ["a" * 1_000_000, " " * 1_000_000, "\x00" * 70_000, "的" * 200_000, "\ud800" * 70_000],
        ids=["unbroken", "spaces", "NUL", "CJK", "surrogates"],
    )
    def test_odd_long_texts_are_counted_and_never_raise(self, counter, text):
        assert 0 < counter(text) <= 3 * len(text)

    def test_a_text_cut_at_safe_places_counts_as_the_whole(self, counter):
        rng = random.Random(7)
        words = [
            "".join(rng.choices(string.ascii_letters, k=rng.randint(1, 12))) for _ in range(99)
        ]
        marks = [" ", " ", " ", ", ", ". ", "\n", "\n    ", " 12.5 ", "(", "，"]
        text = "".join(rng.choice(words) + rng.choice(marks) for _ in range(60_000))
        assert len(text) > 3 * PIECE
        assert counter(text) == len(counter.encode(text))

    def test_it_agrees_with_an_independent_counter(self, counter):
        bpe = pytest.importorskip("bpe_openai").get_encoding("o200k_base")
        rng = random.Random(11)
        alphabets = [
            string.printable,
            "的一是在不了有和人这",
            "éüßñçøåæ ",
            "0123456789.,-\n",
            "😀👨‍👩‍👧 ",
        ]
        for _ in range(500):
            text = "".join(
                "".join(rng.choices(rng.choice(alphabets), k=rng.randint(1, 30))) for _ in range(6)
            )
            assert counter(text) == len(bpe.encode_ordinary(text)), repr(text)


def test_pieces_are_the_text_in_order_and_none_is_too_long():
    text = ("word " * 40_000) + "x" * (2 * PIECE)
    cut = list(pieces(text))
    assert "".join(cut) == text
    assert max(map(len, cut)) <= PIECE
    assert cut[1].startswith(" word")
