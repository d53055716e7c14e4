"""Metrics of ranked lists of candidates, such as substitutes of a word, one list per instance.

All metrics are micro averages over instances, expected over the random order of ties. An instance
without candidates is a miss, which adds nothing to precision; an instance without gold is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.evaluation.outcomes import Bools, Floats, Ints, Outcome, Terms, expected_precisions


@dataclass(frozen=True)
class Candidates:
    """The candidates of all instances, one row each.

    Attributes:
        instance: the instance of each candidate, 0 to len(gold) - 1.
        score: the highest is ranked first.
        rank: its dense rank in gold, 1 for what most people gave; 0 if it is not in gold.
        gold: the number of gold candidates of each instance.
    """

    instance: Ints
    score: Floats
    rank: Ints
    gold: Ints

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def relevant(self) -> Bools:
        """Whether gold has the candidate."""
        return np.asarray(self.rank > 0)


class CandidateLists(NamedTuple):
    """Candidates with the ids of their instances, in order, and the ids that have no gold."""

    ids: tuple[str, ...]
    candidates: Candidates
    without_gold: tuple[str, ...]


def candidates_of(
    gold: Mapping[str, Mapping[str, float]],
    predicted: Mapping[str, Sequence[tuple[str, float]]],
    targets: Mapping[str, str] | None = None,
) -> CandidateLists:
    """Return the candidates of instances.

    Args:
        gold: for each instance, what people gave, and how many gave it.
        predicted: for each instance, candidates and scores; the higher score of a repeated one counts.
        targets: for each instance, the word to remove from gold and candidates.

    Raises:
        LexbeamError: gold lacks an instance, or a score is not a number.
    """
    unknown = sorted(predicted.keys() - gold.keys())
    if unknown:
        raise LexbeamError(
            f"{len(unknown)} instances have candidates and no gold: {', '.join(unknown[:5])}; "
            "give both for the same instances"
        )
    targets = targets or {}
    ids: list[str] = []
    empty: list[str] = []
    rows: list[tuple[int, float, int]] = []
    for name in sorted(gold):
        numbers = {word: n for word, n in gold[name].items() if word != targets.get(name) and n > 0}
        if not numbers:
            empty.append(name)
            continue
        places = {n: place for place, n in enumerate(sorted(set(numbers.values()), reverse=True), 1)}
        best: dict[str, float] = {}
        for word, score in predicted.get(name, ()):
            if score != score:
                raise LexbeamError(f"instance {name!r}: the score of {word!r} is not a number")
            if word != targets.get(name):
                best[word] = max(score, best.get(word, score))
        rows += [(len(ids), score, places[numbers[word]] if word in numbers else 0) for word, score in best.items()]
        ids.append(name)
    totals = [sum(n > 0 and w != targets.get(i) for w, n in gold[i].items()) for i in ids]
    instance, scores, rank = (_column(rows, place) for place in range(3))
    made = Candidates(instance.astype(np.int64), scores, rank.astype(np.int64), np.array(totals, np.int64))
    return CandidateLists(tuple(ids), made, tuple(empty))


def _column(rows: Iterable[Sequence[float]], place: int) -> Floats:
    return np.array([row[place] for row in rows], np.float64)


class _Groups(NamedTuple):
    """Groups of tied candidates, by instance and falling score; see `ranking` for the letters."""

    instance: Ints
    before: Ints
    hits: Ints
    tied: Ints
    relevant: Ints

    def taken(self, k: int) -> Ints:
        """Return how many places of each group are among the first `k`."""
        return np.clip(k - self.before, 0, self.tied)


def _grouped(candidates: Candidates, relevant: Bools) -> _Groups:
    order = np.lexsort((-candidates.score, candidates.instance))
    instance, score = candidates.instance[order], candidates.score[order]
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(instance) != 0) | (score[1:] != score[:-1])
    starts = np.flatnonzero(new)
    tied = np.diff(np.append(starts, len(order)))
    if not len(starts):
        nothing = np.zeros(0, np.int64)
        return _Groups(nothing, nothing, nothing, nothing, nothing)
    hits = np.add.reduceat(relevant[order].astype(np.int64), starts)
    instance = instance[starts]
    first = np.searchsorted(instance, instance)  # the first group of the same instance
    all_before, hits_before = np.cumsum(tied) - tied, np.cumsum(hits) - hits
    return _Groups(instance, all_before - all_before[first], hits_before - hits_before[first], tied, hits)


def _sums(candidates: Candidates, instance: Ints, values: Floats) -> Floats:
    return np.bincount(instance, values, minlength=len(candidates)).astype(np.float64)


def _each(candidates: Candidates) -> Floats:
    return np.ones(len(candidates))


def _hits(candidates: Candidates, k: int) -> Floats:
    """Return the expected gold candidates among the first `k`, of each instance."""
    groups = _grouped(candidates, candidates.relevant)
    return _sums(candidates, groups.instance, groups.taken(k) * groups.relevant / groups.tied)


def _generated(candidates: Candidates, k: int) -> Floats:
    counts = np.bincount(candidates.instance, minlength=len(candidates))
    return np.minimum(counts, k).astype(np.float64)


def precision_at_k(candidates: Candidates, k: int) -> Outcome:
    """Return hits among the first k over candidates among them, of all instances together."""
    return Terms(_hits(candidates, k), _generated(candidates, k), "no_candidates")


def recall_at_k(candidates: Candidates, k: int) -> Outcome:
    """Return hits among the first k over gold candidates, of all instances together."""
    return Terms(_hits(candidates, k), candidates.gold.astype(np.float64))


def f1_at_k(candidates: Candidates, k: int) -> Outcome:
    """Return the harmonic mean of the two: 2 hits / (candidates among the first k + gold)."""
    return Terms(2 * _hits(candidates, k), _generated(candidates, k) + candidates.gold)


def potential_at_k(candidates: Candidates, k: int) -> Outcome:
    """Return the share of instances with a gold candidate among the first k."""
    return Terms(_any_of(candidates, candidates.relevant, k), _each(candidates))


def accuracy_at_k_top1(candidates: Candidates, k: int) -> Outcome:
    """Return the share of instances where one of the first k is what most people gave.

    TSAR-2022's Accuracy@n@top1; with several that most people gave, each of them counts.
    """
    return Terms(_any_of(candidates, np.asarray(candidates.rank == 1), k), _each(candidates))


def map_at_k(candidates: Candidates, k: int) -> Outcome:
    """Return the mean over instances of sum(precision@i * relevant_i for i <= k) / k.

    TSAR-2022's MAP@k: divided by k whatever gold has, so that 1 needs k gold candidates.
    """
    groups = _grouped(candidates, candidates.relevant)
    sums = expected_precisions(*groups[1:], groups.taken(k))
    return Terms(_sums(candidates, groups.instance, sums) / k, _each(candidates))


def trank_at_k(candidates: Candidates, k: int) -> Outcome:
    """Return the share of instances whose first candidate has a dense gold rank of k or better.

    ALEXSIS's TRank-at-n: 1 is what most people gave, 2 what the next fewer gave, and so on.
    """
    groups = _grouped(candidates, np.asarray((candidates.rank > 0) & (candidates.rank <= k)))
    share = np.where(groups.before == 0, groups.relevant / groups.tied, 0.0)
    return Terms(_sums(candidates, groups.instance, share), _each(candidates))


def mrr(candidates: Candidates) -> Outcome:
    """Return the mean of 1 / rank of the first gold candidate, 0 if there is none."""
    groups = _first(candidates)
    values = np.zeros(len(groups.tied))
    # P(the first of r relevant items among m stands at j) falls from j to j + 1 by this factor.
    chance = groups.relevant / groups.tied
    for j in range(1, int((groups.tied - groups.relevant).max(initial=-1)) + 2):
        values += chance / (groups.before + j)
        left = groups.tied - j
        chance = chance * np.maximum(left - groups.relevant + 1, 0) / np.maximum(left, 1)
    return Terms(_sums(candidates, groups.instance, values), _each(candidates))


def mrr_expected_rank(candidates: Candidates) -> Outcome:
    """Return the mean of 1 / expected rank of the first gold candidate, 0 if there is none.

    Without ties it is `mrr`; with ties it is lower, as one over a mean is.
    """
    groups = _first(candidates)
    rank = groups.before + (groups.tied + 1) / (groups.relevant + 1)
    return Terms(_sums(candidates, groups.instance, 1 / rank), _each(candidates))


def _first(candidates: Candidates) -> _Groups:
    """Return the first group of each instance that has a gold candidate."""
    groups = _grouped(candidates, candidates.relevant)
    chosen = (groups.hits == 0) & (groups.relevant > 0)
    return _Groups(*(column[chosen] for column in groups))


def _any_of(candidates: Candidates, relevant: Bools, k: int) -> Floats:
    """Return the chance that one of the first `k` is relevant, of each instance."""
    groups = _grouped(candidates, relevant)
    taken, free = groups.taken(k), groups.tied - groups.relevant
    most = int(groups.tied.max(initial=0))
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])
    # C(free, taken) / C(tied, taken): none of the places taken has a relevant candidate.
    none = logs[free] - logs[np.maximum(free - taken, 0)] - logs[groups.tied]
    none = np.where(free >= taken, none + logs[groups.tied - taken], -np.inf)
    missed = np.exp(_sums(candidates, groups.instance, np.where(taken > 0, none, 0.0)))
    return np.asarray(1 - missed, np.float64)
