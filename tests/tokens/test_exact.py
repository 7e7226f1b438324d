from __future__ import annotations

import random
import string
import sys
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentmaker import (
    ContextBuilder,
    HistoryCompactor,
    KnowledgeBase,
    Session,
    TaskContext,
    counter_for,
)
from agentmaker.errors import ConfigError
from agentmaker.testing import ModelServer
from agentmaker.tokens import ExactCounter, counter_name, exact, families, is_exact, is_loaded
from agentmaker.tokens.estimated import Estimate, estimate_for

FAMILIES = sorted({family for family, _ in families._RULES})


class Panic(BaseException):
    """As the errors of Rust's panics: no Exception."""


Panic.__name__ = "PanicException"


@pytest.fixture
def nothing_loaded(monkeypatch):
    monkeypatch.setattr(exact, "_counters", {})


@pytest.fixture
def counter():
    pytest.importorskip("splintr")
    return counter_for("gpt-4o")


@pytest.mark.parametrize("model", [None, "", "my-deploy-01", "claude-sonnet-4"])
def test_an_unknown_model_is_estimated(model):
    counter = counter_for(model)
    assert counter is estimate_for(None)
    assert counter_name(counter) == "estimate"
    assert not is_exact(counter)


@pytest.mark.usefixtures("nothing_loaded")
def test_without_a_backend_a_known_model_is_estimated(monkeypatch):
    monkeypatch.setitem(sys.modules, "splintr", None)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert counter_for("gpt-4o") is estimate_for("o200k_base")


@pytest.mark.usefixtures("nothing_loaded")
def test_case_70_a_vocabulary_that_cannot_be_loaded_is_tried_once_and_said_once(
    monkeypatch, caplog
):
    pytest.importorskip("splintr")
    monkeypatch.setattr(exact, "family_of", lambda model: "no_such_vocabulary")
    assert not is_loaded("a")
    assert isinstance(counter_for("a"), Estimate)
    assert is_loaded("a")
    assert isinstance(counter_for("b"), Estimate)
    assert len(caplog.records) == 1


@pytest.mark.usefixtures("nothing_loaded")
def test_case_70_a_broken_backend_costs_exactness_and_no_call(monkeypatch, caplog):
    def broken(family):
        raise OSError("no such file")

    monkeypatch.setattr(exact, "_from_splintr", broken)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert counter_for("gpt-4o") is estimate_for("o200k_base")
    assert "splintr cannot load the vocabulary 'o200k_base': no such file" in caplog.text


def test_a_counter_of_ones_own_is_called_custom_and_not_exact():
    assert counter_name(len) == "custom"
    assert not is_exact(len)


def test_a_counter_says_what_it_is(counter):
    assert isinstance(counter, ExactCounter)
    assert counter_name(counter) == "o200k_base"
    assert is_exact(counter)


def test_a_vocabulary_is_loaded_once(counter):
    assert counter_for("azure/gpt-5-mini") is counter
    assert is_loaded("gpt-5-nano")


@pytest.mark.parametrize("text", [None, 5, b"abc", ["abc"]])
def test_what_is_no_string_is_refused(counter, text):
    with pytest.raises(TypeError, match=f"takes a string, not {type(text).__name__}: count the"):
        counter(text)


@pytest.mark.parametrize("model", [5, b"gpt-4o", ["gpt-4o"]])
def test_a_model_that_is_no_name_is_refused(model):
    with pytest.raises(ConfigError, match="model must be a name or None"):
        counter_for(model)


@pytest.mark.parametrize(
    "part",
    [
        lambda counter: ContextBuilder(token_counter=counter),
        lambda counter: HistoryCompactor(None, token_counter=counter),
        lambda counter: KnowledgeBase(counter=counter),
        lambda counter: ModelServer(counter=counter),
        lambda counter: Session(counter=counter),
        lambda counter: TaskContext(counter=counter),
    ],
)
def test_a_name_in_the_place_of_a_counter_is_refused_where_it_is_given(part):
    with pytest.raises(ConfigError, match=r"not 'qwen3': give counter_for\(model\)"):
        part("qwen3")


@pytest.mark.parametrize("family", FAMILIES)
def test_splintr_has_every_family_a_name_may_lead_to(counter, family):
    found = exact._loaded(family)
    assert (counter_name(found), is_exact(found)) == (family, True)
    assert 1 <= found("hello") <= 2
    assert found("") == 0


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("text", ["<|endoftext|>", "<|im_start|>system", "a<|fim_prefix|>b"])
def test_case_65_a_literal_special_token_counts_as_text(counter, family, text):
    assert exact._loaded(family)(text) > 3


def test_a_lone_surrogate_counts_as_the_replacement_character(counter):
    assert counter("a \ud83d b") == counter("a \N{REPLACEMENT CHARACTER} b")


def test_qwen_sees_text_in_composed_form():
    pytest.importorskip("splintr")
    qwen = counter_for("qwen3:14b")
    assert qwen("e\u0301" * 50) == qwen("\u00e9" * 50) < counter_for("gpt-4o")("e\u0301" * 50)


@pytest.mark.parametrize("length", [100, 70_000])
def test_a_panic_of_the_backend_is_survived(length):
    def encode(text):
        if len(text) > 10:
            raise Panic
        return list(map(ord, text))

    counter = ExactCounter("fragile", encode, lambda token: chr(token).encode())
    assert counter("a" * length) == length


def test_what_is_no_panic_passes():
    def encode(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ExactCounter("stopped", encode, lambda token: b"")("a text")


WORDS = st.one_of(
    st.text(max_size=30),
    st.text(alphabet=string.printable, max_size=30),
    st.sampled_from(
        ["don't", "I'LL", "<|endoftext|>", "\r\n\r\n", "   ", "2024-01-02T03:04:05Z", "①②", "Å"]
    ),
    st.text(alphabet="的一是在不了有和人这中国大上个们我", max_size=30),
    st.text(alphabet="e\u0301o\u0308\u200d\ufeff😀👩🏽", max_size=20),
)


@cache
def pair(family):
    """Our counter, and an independent one."""
    pytest.importorskip("splintr")
    bpe = pytest.importorskip("bpe_openai").get_encoding(family)
    return exact._loaded(family), lambda text: len(bpe.encode_ordinary(text))


@pytest.mark.parametrize("family", ["o200k_base", "cl100k_base"])
class TestAgreement:
    @settings(max_examples=300)
    @given(st.lists(WORDS, max_size=8).map("".join))
    @example(" " * 3_000 + "a")
    @example("1\n" * 30_000)
    def test_counts_are_equal(self, family, text):
        counter, reference = pair(family)
        assert counter(text) == reference(text)

    @pytest.mark.parametrize(
        "text",
        [
            "x" + "a" * 200_000,
            "x" + " " * 200_000 + "y",
            "".join(random.Random(1).choices(string.ascii_letters, k=200_000)),
            "".join(random.Random(1).choices("的一是在不了有和人这", k=100_000)),
            "".join(random.Random(1).choices("😀👩🏽🎉\u200d", k=30_000)),
            "=" * 100_000,
        ],
        ids=["one letter", "spaces", "letters", "Chinese", "emoji", "signs"],
    )
    def test_unbroken_texts_count_as_the_whole(self, family, text):
        counter, reference = pair(family)
        assert counter(text) == reference(text)
