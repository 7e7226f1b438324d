"""Learns the weights of the estimate from texts, and writes agentmaker/tokens/weights.py.

Run as ``python -m benchmarks.fit_estimate FOLDER``. FOLDER holds a folder for each kind of text,
and in it a file for each source, UTF-8, documents parted by NUL; kinds that can be made up are
added. It takes some minutes. The errors it prints are of sources left out, a quarter at a time.
"""

from __future__ import annotations

import argparse
import random
import re
from base64 import b85encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
from splintr import Tokenizer

import agentmaker.tokens
from agentmaker.tokens.codes import ALWAYS, BEYOND_ASCII, STEPS, codes_of
from agentmaker.tokens.exact import SURROGATE
from benchmarks.made_kinds import KINDS
from benchmarks.maker import Maker

VOCABULARIES = (
    *("o200k_base", "cl100k_base", "llama3", "llama2", "qwen3", "deepseek_v3"),
    *("glm4", "kimi_k2", "mistral_v1", "mistral_v3", "gemma2", "gemma3"),
)
TARGET = Path(agentmaker.tokens.__file__).with_name("weights.py")
TABLES = (*ALWAYS, *BEYOND_ASCII)
FOLDS, ROUNDS = 4, 5
RIDGE, RIDGE_OF_RARE = 1e-4, 2e-5
"""How much worths are held back, beside errors that are shares of a text's tokens."""

SEEN = 8
"""A code that fewer texts have is worth nothing."""

WANTED = 100
"""Texts of a kind, about."""

# How much a kind matters, by the first pattern that it begins with; others matter 1. Languages
# that few write in have many kinds.
SPOKEN = "ko|de|fr|es|it|pt|ru|ar|hi|th|vi|tr|pl|nl|id|uk|cs|sv|fa|he|el"
MATTERS = (
    *((r"prose-en$", 3.0), (r"prose-(zh|ja)$", 2.0), (r"mixed|repeated", 3.0), (r"udhr", 6.0)),
    *((rf"prose-({SPOKEN})$", 1.6), (rf"ui-(en|zh|ja|{SPOKEN})$", 0.5)),
    *((r"made (long run|any script|repeated)", 0.3), (r"prose-", 0.5), (r"ui-", 0.2)),
)

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float32]]
"""A row for each text, with how often it has each code of each table."""

Tables = Sequence[tuple[int, float, str]]
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Text:
    """A text to learn from; those of one *source* resemble each other."""

    kind: str
    source: str
    text: str


def read(folder: Path, chance: random.Random) -> Iterator[Text]:
    """Stretches of the documents, as many of each source of a kind."""
    for kind in sorted(path for path in folder.iterdir() if path.is_dir()):
        sources = sorted(kind.iterdir())
        for source in sources:
            documents = source.read_bytes().decode("utf-8", "surrogatepass").split("\0")
            for _ in range(max(1, WANTED // len(sources))):
                text = stretch(chance.choice(documents), chance)
                yield Text(kind.name, f"{kind.name}/{source.name}", text)


def stretch(text: str, chance: random.Random) -> str:
    """A part of *text* of 256 to 7,132 characters, or all of a shorter one."""
    size = int(2 ** chance.uniform(8, 12.8))
    begin = chance.randrange(max(1, len(text) - size))
    return text[begin : begin + size]


def made(words: Sequence[str]) -> Iterator[Text]:
    """Each text with a few words of its own, so that the words are not what is learned."""
    for kind, make in KINDS.items():
        for number in range(WANTED):
            chance = random.Random(f"{kind} {number}")
            few = chance.choices(words, k=chance.choice((12, 40, 200, 800)))
            text = stretch(make(Maker(chance, few)), chance)
            yield Text(f"made {kind}", f"{kind} {number}", text)


def mixed(texts: Sequence[Text], chance: random.Random) -> Iterator[Text]:
    """Two texts of any kinds, one behind the other."""
    for number in range(WANTED * 6):
        first, second = chance.sample(texts, 2)
        yield Text("mixed", f"mixed {number}", f"{first.text[:2000]}\n{second.text[:2000]}")


def repeated(texts: Sequence[Text], chance: random.Random) -> Iterator[Text]:
    """A few characters again and again: as a model writes that is caught in a loop."""
    for number in range(WANTED * 6):
        text = chance.choice(texts).text
        begin = chance.randrange(max(1, len(text) - 64))
        piece = text[begin : begin + int(2 ** chance.uniform(0, 6))]
        yield Text("repeated", f"repeated {number}", piece * (2_000 // max(1, len(piece))))


def words_of(texts: Sequence[Text], chance: random.Random) -> list[str]:
    """Words to make texts of: from everywhere, half of them from English and code."""
    everywhere = [word for text in texts for word in re.findall(r"[A-Za-z]{2,14}", text.text)]
    found = [word.lower() for word in chance.sample(everywhere, len(everywhere) // 9)]
    plain = ("prose-en", "python", "json", "markdown")
    english = [text.text for text in texts if text.kind in plain]
    return found + re.findall(r"[a-z]{2,14}", " ".join(english))[: len(found)]


def gathered(folder: Path) -> list[Text]:
    """All there is to learn from; shorter texts say too little."""
    chance = random.Random(11)
    real = list(read(folder, chance))
    texts = [*real, *made(words_of(real, chance))]
    texts += [*mixed(texts, chance), *repeated(texts, chance)]
    return [text for text in texts if len(text.text.encode("utf-8", "replace")) >= 100]


def counts(text: str) -> Vector:
    """How often each code occurs; what says only that no script begins here counts for nothing."""
    found = np.zeros((len(TABLES), 256))
    for place, codes in enumerate(codes_of(text)):
        found[place] = np.bincount(np.frombuffer(codes, np.uint8), minlength=256)
    found[TABLES.index("scripts"), :16] = 0
    return found.ravel()


def exact(vocabulary: str, texts: Sequence[Text]) -> Vector:
    """The tokens of *texts*."""
    encode = Tokenizer.from_pretrained(vocabulary).encode_ordinary
    return np.array([len(encode(SURROGATE.sub("\ufffd", each.text))) for each in texts], float)


def fitted(features: Matrix, tokens: Vector, matters: Vector) -> Vector:
    """The worths of least absolute relative error, by reweighted least squares."""
    used = (features > 0).sum(axis=0) >= SEEN
    scaled = features[:, used] / tokens[:, None]  # in 64 bits: 32 are too few to solve this
    worths, pull, ridge = np.zeros(features.shape[1]), matters * 20, _ridge()[used]
    for _ in range(ROUNDS):
        pulled = scaled * pull[:, None]
        square = pulled.T @ scaled
        square[np.diag_indices(len(square))] += ridge
        worths[used] = np.linalg.solve(square, pulled.sum(axis=0))
        pull = matters / np.maximum(np.abs(1 - scaled @ worths[used]), 0.01)
    return worths


def _ridge() -> Vector:
    """Codes beyond ASCII are rare, so less holds them back."""
    ridge = np.full((len(TABLES), 256), RIDGE)
    ridge[TABLES.index("bytes"), 128:] = ridge[len(ALWAYS) :] = RIDGE_OF_RARE
    return ridge.ravel()


def importance(texts: Sequence[Text]) -> Vector:
    """How much each text matters: those of a kind as much together as its pattern says."""
    number = Counter(text.kind for text in texts)
    return np.array([_matters(text.kind) / number[text.kind] for text in texts]) / len(number)


def _matters(kind: str) -> float:
    return next((value for pattern, value in MATTERS if re.match(pattern, kind)), 1.0)


def left_out(texts: Sequence[Text], features: Matrix, tokens: Vector, matters: Vector) -> Vector:
    """Relative errors by weights that know nothing of a text's source."""
    folds = np.array([crc32(text.source.encode()) % FOLDS for text in texts])
    errors = np.zeros(len(texts))
    for fold in range(FOLDS):
        known, unknown = folds != fold, folds == fold
        weights = fitted(features[known], tokens[known], matters[known])
        estimate = np.maximum(1, features[unknown] @ weights)
        errors[unknown] = estimate / tokens[unknown] - 1
    return errors


def show(texts: Sequence[Text], errors: Vector, sizes: Vector) -> None:
    """Print mean absolute and mean signed errors by kind, the smallest first."""
    kinds: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        kinds.setdefault(text.kind, []).append(place)
    means = {kind: float(np.abs(errors[places]).mean()) for kind, places in kinds.items()}
    for kind, mean in sorted(means.items(), key=lambda item: item[1]):
        print(f"{mean:7.1%} {float(errors[kinds[kind]].mean()):+7.1%}  {kind}")
    every, large = np.mean(list(means.values())), np.abs(errors[sizes >= 1500]).mean()
    print(f"mean over kinds {every:.2%}, of texts from 1.5 KB up {large:.2%}")


def tables_of(worths: Vector) -> Tables:
    """Of each: the least worth in steps, a step in tokens, and the steps above it by code."""
    tables: list[tuple[int, float, str]] = []
    for row in worths.reshape(len(TABLES), 256):
        step = float(f"{np.ptp([*row, 0.0]) / (STEPS - 1):.5g}") or 1.0
        steps = np.round(row / step)  # so that what is worth nothing stays so
        least = min(0, int(steps.min()))
        tables.append((least, step, b85encode((steps - least).astype(np.uint8).tobytes()).decode()))
    return tables


def written(weights: dict[str, Tables]) -> str:
    """The module that holds *weights*."""
    lines = [
        '"""What each code of a text is worth, by vocabulary: made by benchmarks/fit_estimate.py.',
        "",
        f"By table, {', '.join(TABLES)}:",
        "the least worth in steps, a step in tokens, and the steps of each code above the least in",
        'base 85."""',
        "",
        "# fmt: off",
        "WEIGHTS: dict[str, tuple[tuple[int, float, str], ...]] = {",
    ]
    for name, tables in weights.items():
        lines.append(f'    "{name}": (')
        for least, step, steps in tables:
            lines.append(f"        ({least}, {step}, (")
            lines += [f"            {steps[n : n + 80]!r}" for n in range(0, len(steps), 80)]
            lines.append("        )),")
        lines.append("    ),")
    return "\n".join([*lines, "}", ""])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_estimate")
    parser.add_argument("folder", type=Path)
    texts = gathered(parser.parse_args().folder)
    features = np.array([counts(each.text) for each in texts], np.float32)
    matters, tokens = importance(texts), {name: exact(name, texts) for name in VOCABULARIES}
    sizes = features[:, :256].sum(axis=1)
    show(texts, left_out(texts, features, tokens[VOCABULARIES[0]], matters), sizes)
    weights = {name: tables_of(fitted(features, tokens[name], matters)) for name in VOCABULARIES}
    TARGET.write_text(written(weights), encoding="utf-8")


if __name__ == "__main__":
    main()
