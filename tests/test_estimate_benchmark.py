from __future__ import annotations

from benchmarks.bench_estimate import closeness, errors
from benchmarks.unseen import FOLDER, MADE, documents, stretches

LANGUAGES = {
    *("Arabic", "Chinese", "Dutch", "English", "Finnish", "French", "German", "Greek", "Hindi"),
    *("Italian", "Japanese", "Korean", "Polish", "Portuguese", "Russian", "Spanish", "Swedish"),
    *("Turkish", "Ukrainian", "Vietnamese"),
}


def test_there_are_forty_kinds_and_twenty_languages_in_them():
    found = documents()
    assert found.keys() >= LANGUAGES | MADE.keys()
    assert len(found) >= 40
    assert all(document for some in found.values() for document in some)


def test_every_file_has_a_source_that_is_named():
    said = (FOLDER / "README.md").read_text(encoding="utf-8")
    sources = {path.name.split(".")[1] for path in FOLDER.glob("*.txt")}
    assert all(f"| {source} |" in said for source in sources)


def test_stretches_are_of_every_size_a_document_is_longer_than():
    assert list(stretches("ab")) == ["ab"]
    assert [len(each) for each in stretches("ab" * 1_500)] == [500] * 3 + [2_000] * 3
    assert list(stretches("a" * 500)) == ["a" * 500]


def test_stretches_lie_all_over_a_document():
    first, *_, last = stretches("a" * 1_000 + "b" * 1_000)
    assert (first, last) == ("a" * 500, "b" * 500)


def test_errors_are_means_by_kind_whatever_their_sign():
    texts = {"small": ["a" * 100, "b" * 100], "large": ["a" * 2_000]}
    found = errors(texts, lambda text: 90 if "a" in text else 130, lambda text: 100)
    assert found.every == {"small": 0.2, "large": 0.1}
    assert found.large == {"large": 0.1}
    assert (found.worst, found.worst_kind) == (0.2, "small")
    assert [bar.met for bar in closeness(texts, found, found)] == [False, False, False]
