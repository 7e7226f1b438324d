"""Learns the weights of the estimate from texts, and writes agentmaker/tokens/weights.py.

Run as ``python -m benchmarks.fit_estimate FOLDER``. FOLDER holds a folder for each kind of text,
and in it a file for each source, UTF-8, documents parted by NUL. Kinds that can be made up are
added.
The error it prints first is of sources left out: a quarter of them at a time.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
from splintr import Tokenizer

import agentmaker.tokens
from agentmaker.tokens.shapes import PLAIN, SCRIPTS, SIZE, pairs_of, shape_of
from benchmarks.made_kinds import KINDS, UNSENDABLE, Maker

VOCABULARIES = (
    *("o200k_base", "cl100k_base", "llama3", "llama2", "qwen3", "deepseek_v3"),
    *("glm4", "kimi_k2", "mistral_v1", "mistral_v3", "gemma2", "gemma3"),
)
TARGET = Path(agentmaker.tokens.__file__).with_name("weights.py")
FOLDS = 4
WANTED = 80
"""Texts of a kind, about."""

# How much a kind matters, beside 1: languages few write in have many kinds.
MATTERS = (
    *((r"prose-en$", 3.0), (r"prose-(zh|ja)$", 2.0), (r"mixed", 3.0), (r"udhr", 6.0)),
    *((r"made long run|made any script", 0.3), (r"ui-", 0.2)),
    (r"prose-(ko|de|fr|es|it|pt|ru|ar|hi|th|vi|tr|pl|nl|id|uk|cs|sv|fa|he|el)$", 1.6),
    (r"prose-", 0.5),
)

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]

ME = "fit_estimate.py"


@dataclass(frozen=True, slots=True)
class Text:
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
    for number in range(WANTED * 6):
        first, second = chance.sample(texts, 2)
        yield Text("mixed", f"mixed {number}", f"{first.text[:2000]}\n{second.text[:2000]}")


def words_of(texts: Sequence[Text], chance: random.Random) -> list[str]:
    """Words to make texts of: from everywhere, half of them from English and code."""
    everywhere = [word for text in texts for word in re.findall(r"[A-Za-z]{2,14}", text.text)]
    found = [word.lower() for word in chance.sample(everywhere, len(everywhere) // 9)]
    english = [
        text.text for text in texts if text.kind in ("prose-en", "python", "json", "markdown")
    ]
    return found + re.findall(r"[a-z]{2,14}", " ".join(english))[: len(found)]


def gathered(folder: Path) -> list[Text]:
    chance = random.Random(11)
    real = list(read(folder, chance))
    texts = [*real, *made(words_of(real, chance))]
    texts += mixed(texts, chance)
    return [text for text in texts if len(text.text.encode("utf-8", "replace")) >= 100]


def counts(text: str) -> list[float]:
    """What the weights are for, as `Estimate` reckons it."""
    shape = shape_of(text)
    plain = shape.plain()
    pairs = [product / len(shape.utf8) for product in pairs_of(plain)]
    return [*plain, *pairs, *(count for script in SCRIPTS for count in shape.script(script))]


def exact(vocabulary: str, texts: Sequence[Text]) -> Vector:
    encode = Tokenizer.from_pretrained(vocabulary).encode_ordinary
    return np.array([len(encode(UNSENDABLE.sub("\ufffd", each.text))) for each in texts], float)


def fitted(features: Matrix, tokens: Vector, matters: Vector) -> Vector:
    """The weights of least absolute relative error, by reweighted least squares."""
    scaled = features / tokens[:, None]
    weights, pull = np.zeros(SIZE), matters
    for _ in range(40):
        pulled = scaled * pull[:, None]
        square = pulled.T @ scaled
        square[np.diag_indices(SIZE)] += square.diagonal() * 1e-5 + 1e-9
        weights = np.linalg.solve(square, pulled.sum(axis=0))
        pull = matters / np.maximum(np.abs(1 - scaled @ weights), 0.01)
    return weights


def importance(texts: Sequence[Text]) -> Vector:
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
        estimate = np.clip(features[unknown] @ weights, 1, features[unknown][:, 0])
        errors[unknown] = estimate / tokens[unknown] - 1
    return errors


def show(texts: Sequence[Text], errors: Vector, sizes: Vector) -> None:
    kinds: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        kinds.setdefault(text.kind, []).append(place)
    means = {kind: float(np.abs(errors[places]).mean()) for kind, places in kinds.items()}
    for kind, mean in sorted(means.items(), key=lambda item: item[1]):
        print(f"{mean:7.1%} {float(errors[kinds[kind]].mean()):+7.1%}  {kind}")
    large = np.abs(errors[sizes >= 1500]).mean()
    print(
        f"mean over kinds {np.mean(list(means.values())):.2%}, of texts from 1.5 KB up {large:.2%}"
    )


def written(weights: dict[str, Vector]) -> str:
    lines = [
        f'"""What each pattern of a text counts, by vocabulary: made by benchmarks/{ME}."""',
        "",
        "# fmt: off",
        "WEIGHTS: dict[str, tuple[float, ...]] = {",
    ]
    for name, values in weights.items():
        lines.append(f'    "{name}": (')
        shown = [f"{value:.3g}".replace("e-0", "e-") for value in values]
        lines += [f"        {', '.join(shown[n : n + 10])}," for n in range(0, SIZE, 10)]
        lines.append("    ),")
    return "\n".join([*lines, "}", ""])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_estimate")
    parser.add_argument("folder", type=Path)
    texts = gathered(parser.parse_args().folder)
    features = np.array([counts(each.text) for each in texts])
    matters = importance(texts)
    weights = {}
    for name in VOCABULARIES:
        tokens = exact(name, texts)
        if name == VOCABULARIES[0]:
            print(f"{len(texts)} texts; {PLAIN} counts for all of them, {SIZE} in all")
            show(texts, left_out(texts, features, tokens, matters), features[:, 0])
        weights[name] = fitted(features, tokens, matters)
    TARGET.write_text(written(weights), encoding="utf-8")


if __name__ == "__main__":
    main()
