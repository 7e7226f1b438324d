"""The definition of `mmr_select` as a loop over 64-bit floats, and what runs its forms."""

from __future__ import annotations

import math
from importlib import import_module

import pytest

from agentmaker import RetrievalResult
from agentmaker.context.mmr.contest import GRID, Contest
from agentmaker.context.piecemeal import at_once

FORMS = ["plain", "incremental", "bounds"]
NEAR = 1e-6
"""What is this near to a tie may go either way."""


def result(content, score, embedding=None):
    return RetrievalResult(content=content, score=score, source="rag", embedding=embedding)


def contents(results):
    return [each.content for each in results]


def picked(form, candidates, top_k=None, lambda_=0.7, threshold=0.95, *, few=None):
    """What *form* picks; with *few* it takes them in so few at a time, to have more to decide."""
    module = _module(form)
    contest = Contest.of(candidates, top_k, lambda_, threshold)
    with pytest.MonkeyPatch.context() as patch:
        if few and form != "plain":
            patch.setattr(module, "_FEW", few)
        return contents(contest.results(at_once(module.picks(contest))))


def form_of(name):
    return _module(name).picks


def _module(form):
    if form != "plain":
        pytest.importorskip("numpy")
    return import_module(f"agentmaker.context.mmr.{form}")


def cosine(a, b):
    """Of lists of floats; 0 where there is none."""
    if a is None or b is None or len(a) != len(b):
        return 0.0
    norms = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
    if not 0 < norms < math.inf:
        return 0.0
    return sum(x * y for x, y in zip(a, b, strict=True)) / norms


def relevance(scores):
    low, high = min(scores), max(scores)
    if low == high:
        return [1.0] * len(scores)
    if low < 0:
        return [(score - low) / (high - low) for score in scores]
    return [score / high for score in scores]


def naive(candidates, top_k=None, lambda_=0.7, threshold=0.95):
    """The contents picked.

    Cosines are rounded to `GRID`. Worths are not, here as in the forms: where relevance makes up
    for likeness to the last digit, floats decide.
    """
    best = {}
    for each in candidates:
        if each.content not in best or each.score > best[each.content].score:
            best[each.content] = each
    pool = list(best.values())
    relevant = relevance([each.score for each in pool]) if pool else []
    chosen, waiting = [], list(range(len(pool)))
    while waiting and (top_k is None or len(chosen) < top_k):
        near = {
            i: max(
                (round(cosine(pool[i].embedding, pool[j].embedding) * GRID) / GRID for j in chosen),
                default=None,
            )
            for i in waiting
        }
        waiting = [i for i in waiting if near[i] is None or near[i] < threshold]
        if not waiting:
            break
        worth = {i: lambda_ * relevant[i] - (1 - lambda_) * max(near[i] or 0, 0) for i in waiting}
        pick = max(waiting, key=lambda i: (worth[i], -i))
        chosen.append(pick)
        waiting.remove(pick)
    return [pool[i].content for i in chosen]


def faults(vectors, scores, picks, top_k, lambda_=0.7, threshold=0.95):
    """Where *picks*, the indices in their order, are not what the definition picks.

    Followed pick by pick, so that one near tie does not put all that comes after it in doubt.
    """
    relevant = relevance(scores)
    nearest = [-1.0] * len(vectors)
    waiting = set(range(len(vectors)))
    found = []

    def worth(index):
        return lambda_ * relevant[index] - (1 - lambda_) * max(nearest[index], 0)

    for place, pick in enumerate(picks):
        if nearest[pick] >= threshold + NEAR:
            found.append(f"pick {place}, {pick}, repeats another")
        sure = [i for i in waiting if place == 0 or nearest[i] < threshold - NEAR]
        if sure and max(map(worth, sure)) > worth(pick) + NEAR:
            found.append(f"pick {place}, {pick}, is not the best")
        waiting.remove(pick)
        for i in waiting:
            nearest[i] = max(nearest[i], cosine(vectors[i], vectors[pick]))
    left = [i for i in waiting if nearest[i] < threshold - NEAR]
    if left and (top_k is None or len(picks) < top_k):
        found.append(f"{len(left)} were left out")
    return found
