from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from agentmaker import counter_for
from agentmaker.tokens import CountMemo, counter_name, exact, is_exact
from agentmaker.tokens.estimated import estimate_for
from agentmaker.tokens.tiktokens import _FILES, cached_encoding

SPACES = " " * 1_000_000


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """tiktoken reads addresses with requests: here that fails the test."""
    load = pytest.importorskip("tiktoken.load")

    def read(address):
        pytest.fail(f"tiktoken wants to download {address}")

    monkeypatch.setattr(load, "read_file", read)
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})


@pytest.fixture
def without_splintr(monkeypatch):
    monkeypatch.setitem(sys.modules, "splintr", None)
    monkeypatch.setattr(exact, "_counters", {})


@pytest.fixture(scope="session")
def vocabularies(tmp_path_factory):
    """A folder as tiktoken's cache, its files made from those that bpe-openai ships."""
    data = Path(pytest.importorskip("bpe_openai").__file__).parent / "data"
    folder = tmp_path_factory.mktemp("cache")
    for file in set(_FILES.values()):
        packed = (data / f"{file.encoding}.tiktoken.gz").read_bytes()
        (folder / file.name).write_bytes(gzip.decompress(packed))
    return folder


@pytest.mark.usefixtures("without_splintr")
@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
@pytest.mark.parametrize(
    ("model", "family"),
    [("gpt-4o", "o200k_base"), ("gpt-4", "cl100k_base"), ("gpt-oss:20b", "gpt_oss")],
)
def test_a_cached_vocabulary_counts_exactly(monkeypatch, vocabularies, variable, model, family):
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, str(vocabularies))
    counter = counter_for(model)
    assert (counter_name(counter), is_exact(counter)) == (family, True)
    assert counter("hello world") == 2
    assert counter("<|endoftext|>") > 3
    assert counter("a \ud83d b") == counter("a \N{REPLACEMENT CHARACTER} b")


@pytest.mark.usefixtures("without_splintr")
def test_it_is_found_in_the_folder_for_temporary_files(monkeypatch, vocabularies, tmp_path):
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert counter_for("gpt-4") is estimate_for("cl100k_base")
    (tmp_path / "data-gym-cache").symlink_to(vocabularies)
    exact._counters.clear()
    assert counter_name(counter_for("gpt-4")) == "cl100k_base"


@pytest.mark.usefixtures("without_splintr")
@pytest.mark.parametrize("cache", ["empty", "off", "damaged"])
def test_case_70_what_is_not_cached_whole_is_estimated_and_never_downloaded(
    monkeypatch, tmp_path, cache
):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "" if cache == "off" else str(tmp_path))
    if cache == "damaged":
        (tmp_path / _FILES["o200k_base"].name).write_text("half of it")
    assert counter_for("gpt-4o") is estimate_for("o200k_base")


@pytest.mark.usefixtures("without_splintr")
def test_a_cached_vocabulary_without_tiktoken_itself_is_estimated(monkeypatch, vocabularies):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(vocabularies))
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert counter_for("gpt-4o") is estimate_for("o200k_base")


@pytest.mark.usefixtures("without_splintr")
def test_other_families_are_estimated(monkeypatch, vocabularies):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(vocabularies))
    assert counter_for("deepseek-chat") is estimate_for("deepseek_v3")


@pytest.mark.usefixtures("without_splintr")
@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, SPACES, "的" * 300_000], ids=["a", "spaces", "的"]
)
def test_unbroken_megabytes_are_counted_as_with_splintr(monkeypatch, vocabularies, text):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(vocabularies))
    counted = counter_for("gpt-4o")(text)
    monkeypatch.undo()
    assert counted == counter_for("gpt-4o")(text)


def test_case_65_the_memo_of_tiktokens_own_encode_counts_special_tokens_as_text(
    monkeypatch, vocabularies
):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(vocabularies))
    encoding = cached_encoding("o200k_base")
    memo = CountMemo(lambda text: len(encoding.encode(text)))
    for text in ("<|endoftext|>", "<|im_start|>system", "a<|fim_prefix|>b", "x <|endofprompt|>"):
        assert memo(text) == len(encoding.encode_ordinary(text))


def test_the_memo_counts_what_is_too_much_for_tiktoken(monkeypatch, vocabularies):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(vocabularies))
    encoding = cached_encoding("o200k_base")
    memo = CountMemo(lambda text: len(encoding.encode(text)))
    assert memo(SPACES) == pytest.approx(SPACES.count(" ") / 128, rel=1e-3)
