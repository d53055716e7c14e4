"""Measures of simplification, as terms of instances: lists, rankers, whole pipelines.

- A list of candidates has the metrics of `transforms/evaluation/candidate_metrics.py`, micro averages.
- A ranker has TRank-at-n, over the instances for which it was given a candidate; ties score the
  mean over the tied set. Random order scores exactly the share of all candidates.
- A pipeline has precision (the chosen word is the target or gold), accuracy (it is gold and not
  the target) and changed (it is not the target), after Ferrés and Saggion (2022), section 7; and
  change precision, the share of the changed instances whose word is gold.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.evaluation.candidate_metrics import Candidates
from lexbeam.transforms.evaluation.metrics import metric_of
from lexbeam.transforms.evaluation.outcomes import Bools, Floats, Terms
from lexbeam.transforms.simplification.evaluation.lists import GoldInstances

AT_K = ("potential_at_k", "precision_at_k", "recall_at_k", "f1_at_k", "map_at_k")
TOP1 = "accuracy_at_k_top1"
TRANK = "trank_at_k"
# Those for which the public scorer of TSAR-2022 leaves out instances without a row.
FREE = ("potential_at_k", "map_at_k", TOP1)
RANKING, PIPELINE = "ranking", "pipeline"


class Figure(NamedTuple):
    """A metric of a system: its terms for all instances, and which of them count."""

    system: str
    subset: str
    metric: str
    k: int | None
    terms: Terms
    counted: Bools


def _of(name: str, candidates: Candidates, k: int) -> Terms:
    terms = metric_of(name).function(candidates, k)
    assert isinstance(terms, Terms)
    return terms


def _restricted(terms: Terms, counted: Bools) -> Terms:
    keep = counted.astype(np.float64)
    return Terms(terms.numerator * keep, terms.denominator * keep, terms.undefined)


def list_figures(
    system: str, subset: str, candidates: Candidates, ks: Sequence[int], free: Bools | None = None
) -> Iterator[Figure]:
    """Yield the metrics of lists.

    Args:
        system, subset: name of the system, and its stage.
        candidates: the lists, without ties.
        ks: how many first candidates count.
        free: instances that are left out of Potential, MAP and Accuracy@n@top1, as the public
            scorer does; None: none.
    """
    everything = np.ones(len(candidates), bool)
    for name, cutoffs in [*((name, ks) for name in AT_K), (TOP1, metric_of(TOP1).ks)]:
        counted = ~free if free is not None and name in FREE else everything
        for k in cutoffs:
            terms = _restricted(_of(name, candidates, k), counted)
            yield Figure(system, subset, name, k, terms, counted)


def ranker_figures(system: str, candidates: Candidates, answered: Bools) -> Iterator[Figure]:
    """Yield TRank-at-n of a ranker, over the instances that have a candidate.

    Args:
        system: its name.
        candidates: its lists, with ties.
        answered: which instances have a candidate.
    """
    for k in metric_of(TRANK).ks:
        terms = _restricted(_of(TRANK, candidates, k), answered)
        yield Figure(system, RANKING, TRANK, k, terms, answered)


def random_order(system: str, candidates: Candidates, answered: Bools) -> Iterator[Figure]:
    """Yield the exact mean of TRank-at-n over random orders of the same candidates.

    It is the share of an instance's candidates whose gold rank is n or better.
    """
    sizes = np.bincount(candidates.instance, minlength=len(candidates))
    for k in metric_of(TRANK).ks:
        good = (candidates.rank > 0) & (candidates.rank <= k)
        hits = np.bincount(candidates.instance, good, minlength=len(candidates))
        terms = Terms(hits / np.maximum(sizes, 1), answered.astype(np.float64))
        yield Figure(system, RANKING, TRANK, k, terms, answered)


def constant(candidates: Candidates) -> Candidates:
    """Return lists in which a ranker ties all candidates."""
    return Candidates(candidates.instance, np.zeros(len(candidates.instance)), candidates.rank, candidates.gold)


class PipelineChoices:
    """The words that a pipeline chooses; the target for an instance that is not added.

    Args:
        gold: the instances.
        as_compared: puts words in the form that gold has.
    """

    def __init__(self, gold: GoldInstances, as_compared: Callable[[str], str]) -> None:
        self._gold, self._as_compared = gold, as_compared
        self._right, self._changed = (np.zeros(len(gold.ids), bool) for _ in range(2))

    def add(self, instance: int, word: str) -> None:
        """Add what is chosen for an instance, by its place in gold."""
        word = self._as_compared(word)
        self._changed[instance] = word != self._gold.targets[instance]
        self._right[instance] = word in self._gold.ranks[instance]

    def values(self) -> Mapping[str, Floats]:
        """Return precision, accuracy and changed of each instance, 0 or 1."""
        return {
            "precision": (self._right | ~self._changed).astype(np.float64),
            "accuracy": self._right.astype(np.float64),
            "changed": self._changed.astype(np.float64),
        }


def pipeline_figures(system: str, values: Mapping[str, Floats]) -> Iterator[Figure]:
    """Yield precision, accuracy, changed and change precision of a pipeline, see `PipelineChoices`."""
    for name, column in values.items():
        terms = Terms(column, np.ones(len(column)))
        yield Figure(system, PIPELINE, name, None, terms, np.ones(len(column), bool))
    terms = Terms(values["accuracy"], values["changed"])
    yield Figure(system, PIPELINE, "change_precision", None, terms, values["changed"] > 0)


def differing(figures: Sequence[Figure], baseline: str | None) -> Iterator[tuple[int, int]]:
    """Yield the places of figures that are compared: the same metric of two systems at a stage.

    Args:
        figures: of systems, without those of oracles and of chance.
        baseline: the system that others are compared with; None: any two.
    """
    groups: dict[tuple[str, str, int | None], list[int]] = {}
    for place, figure in enumerate(figures):
        groups.setdefault((figure.subset, figure.metric, figure.k), []).append(place)
    for places in groups.values():
        at = {figures[place].system: place for place in places}
        for name in sorted(at):
            for other in sorted(at):
                if name != other and (other == baseline if baseline is not None else name < other):
                    yield at[name], at[other]
