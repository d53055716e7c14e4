"""Measures of simplification, of lists, rankers and whole pipelines; and where gold is lost.

- A list of candidates has the metrics of `transforms/evaluation/candidate_metrics.py`, micro averages.
- A ranker has TRank-at-n, over the instances for which it was given a candidate; ties score the
  mean over the tied set. Random order scores exactly the share of all candidates.
- A pipeline has precision (the chosen word is the target or gold), accuracy (it is gold and not
  the target) and changed (it is not the target), after Ferrés and Saggion (2022), section 7; and
  change precision, the share of the changed instances whose word is gold.

Words are compared without case (NFC, case-folded) and with straight apostrophes. The target is in neither
gold nor lists, and a word counts once. A list is kept as numbers: place, instance and dense rank in gold.

    >>> gold = gold_of([GoldInstance("i1", "arduo", "Un trabajo arduo.", {"duro": 1, "difícil": 2})])
    >>> listing = Listing(gold)
    >>> listing.add(0, [("arduo", 1), ("Difícil", 2), ("largo", 3), ("difícil", 4)])
    >>> listing.candidates().rank.tolist()
    [2, 0]

`lemma-match`: a candidate counts as a substitute with which it shares a lemma, whatever the forms;
even a candidate without a form in the target's place counts. Substitutes that share a lemma are one,
and so are candidates. The gain over the candidates as they are is what inflection loses.

    >>> lemmas = {"casas": {"casa"}, "viviendas": {"vivienda"}, "vivienda": {"vivienda"}}
    >>> matched = lemma_match({"viviendas": 1, "vivienda": 2}, [("hogar", None), ("vivir", "vivienda")],
    ...                       lambda form: lemmas.get(form, {form}))
    >>> matched
    MatchedLemmas(size=1, ranks=[0, 1])

The funnel says what becomes of candidates at each stage, by reason:

>>> funnel = Funnel()
>>> left = funnel.add(("a", None, "generation"), {"duro", "raro"}, ["duro", "largo"], [])
>>> left
{'duro'}
>>> _ = funnel.add(("a", None, "selection"), left, ["largo"], [("duro", "pos_mismatch")])
>>> for row in funnel.rows():
...     print(row["stage"], row["reason"], row["gold_candidates"], row["instances_lost"])
generation None 1 None
generation not_generated 1 0
selection None 0 None
selection pos_mismatch 1 1
"""

import unicodedata
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lexbeam.schemas.simplification import LOSSES, STAGES, drop_reasons
from lexbeam.transforms.common.texts.characters import seen, straight
from lexbeam.transforms.evaluation.candidate_metrics import Candidates
from lexbeam.transforms.evaluation.metrics import metric_of
from lexbeam.transforms.evaluation.outcomes import Bools, Floats, Ints, Terms
from lexbeam.transforms.simplification.records import Row

CLUSTERS = ("target", "sentence", "instance")


def folded(text: str) -> str:
    """Return a word as words are compared: NFC, straight apostrophes, without case and what is not seen."""
    return straight(unicodedata.normalize("NFC", unicodedata.normalize("NFC", seen(text).strip()).casefold()))


class GoldInstance(NamedTuple):
    """An instance with what people gave: dense ranks by substitute, without the target."""

    id: str
    target: str
    sentence: str
    ranks: Mapping[str, int]


class GoldInstances(NamedTuple):
    """The instances that are evaluated, in the order of their ids.

    Attributes:
        ids: their ids.
        targets: of each, as words are compared.
        ranks: of each, its substitutes as words are compared, with dense ranks from 1.
        sentences: of each, the number of its sentence.
        without: ids of instances whose annotators gave nothing but the target.
    """

    ids: tuple[str, ...]
    targets: tuple[str, ...]
    ranks: tuple[Mapping[str, int], ...]
    sentences: tuple[int, ...]
    without: tuple[str, ...]

    def clusters(self, by: str) -> list[str]:
        """Return the cluster of each instance, by one of `CLUSTERS`: instances whose errors go together."""
        if by == "target":
            return list(self.targets)
        return [str(n) for n in self.sentences] if by == "sentence" else list(self.ids)

    @property
    def sizes(self) -> Ints:
        """How many substitutes each has."""
        return np.array([len(ranks) for ranks in self.ranks], np.int64)


def gold_of(judged: Iterable[GoldInstance], *, as_written: bool = False) -> GoldInstances:
    """Return gold of instances.

    Args:
        judged: the instances, in any order.
        as_written: compare words by their characters, as the public scorer of TSAR-2022 does.
    """
    evaluated: list[tuple[str, str, dict[str, int], str]] = []
    without = []
    as_compared = str.strip if as_written else folded
    for instance in sorted(judged, key=lambda instance: instance.id):
        target = as_compared(instance.target)
        ranks: dict[str, int] = {}
        for word, rank in instance.ranks.items():
            word = as_compared(word)
            if word != target:
                ranks[word] = min(rank, ranks.get(word, rank))
        levels = {rank: place for place, rank in enumerate(sorted(set(ranks.values())), 1)}
        if ranks:
            dense = {word: levels[rank] for word, rank in sorted(ranks.items())}
            evaluated.append((instance.id, target, dense, instance.sentence))
        else:
            without.append(instance.id)
    numbers: dict[str, int] = {}
    sentences = [numbers.setdefault(row[3], len(numbers)) for row in evaluated]
    return GoldInstances(
        tuple(row[0] for row in evaluated),
        tuple(row[1] for row in evaluated),
        tuple(row[2] for row in evaluated),
        tuple(sentences),
        tuple(without),
    )


class Listing:
    """Lists of candidates of one system at one stage, by numbers alone.

    Args:
        as_written: as of `gold_of`.
    """

    def __init__(self, gold: GoldInstances, *, as_written: bool = False) -> None:
        self._gold = gold
        self._as_compared = str.strip if as_written else folded
        self._instance, self._place = array("q"), array("q")
        self._tied, self._rank = array("q"), array("q")

    def add(self, instance: int, words: Sequence[tuple[str, int]]) -> None:
        """Add the list of an instance.

        Args:
            instance: its place in gold.
            words: candidates in their order, each with its rank, which ties share.
        """
        ranks, target = self._gold.ranks[instance], self._gold.targets[instance]
        seen: set[str] = set()
        for word, tied in words:
            word = self._as_compared(word)
            if word == target or word in seen:
                continue
            seen.add(word)
            self.put(instance, tied, ranks.get(word, 0))

    def put(self, instance: int, tied: int, rank: int) -> None:
        """Append a candidate, by its rank in gold (0: it is not in gold)."""
        self._instance.append(instance)
        self._place.append(len(self._place))
        self._tied.append(tied)
        self._rank.append(rank)

    def candidates(self, *, tied: bool = False, sizes: Ints | None = None) -> Candidates:
        """Return the candidates of all instances.

        Args:
            tied: whether candidates that share a rank tie; else they are in order of place.
            sizes: of gold by instance, if not the numbers of its words.
        """
        order = np.array(self._tied if tied else self._place, np.int64)
        return Candidates(
            np.array(self._instance, np.int64),
            -order.astype(np.float64),
            np.array(self._rank, np.int64),
            self._gold.sizes if sizes is None else sizes,
        )

    def answered(self) -> Bools:
        """Return which instances have a candidate."""
        answered = np.zeros(len(self._gold.ids), bool)
        answered[np.array(self._instance, np.int64)] = True
        return answered


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


LEMMA_MATCH = "lemma-match"

Lemmas = Callable[[str], Iterable[str]]


class MatchedLemmas(NamedTuple):
    """Candidates beside gold, compared by lemmas.

    Attributes:
        size: how many substitutes gold has.
        ranks: of each candidate, in order, its dense rank in gold; 0: it is not in gold.
    """

    size: int
    ranks: list[int]


def lemma_match(gold: Mapping[str, int], candidates: Sequence[tuple[str, str | None]], lemmas: Lemmas) -> MatchedLemmas:
    """Return how candidates match gold by their lemmas, each lemma once.

    Args:
        gold: substitutes of an instance with dense ranks.
        candidates: in their order: form, and lemma if it is known.
        lemmas: returns the lemmas that a form may have; of an unknown form, the form itself.
    """
    group_of: dict[str, int] = {}  # by lemma, the substitutes that share one
    ranks: list[int] = []
    for form, rank in sorted(gold.items(), key=lambda item: (item[1], item[0])):
        form_lemmas = {form, *lemmas(form)}
        known = sorted({group_of[lemma] for lemma in form_lemmas if lemma in group_of})
        group = known[0] if known else len(ranks)
        if not known:
            ranks.append(rank)
        for other in known[1:]:
            ranks[other] = 0
            group_of.update((lemma, group) for lemma, at in list(group_of.items()) if at == other)
        group_of.update(dict.fromkeys(form_lemmas, group))
    group_ranks = [rank for rank in ranks if rank]
    levels = {rank: place for place, rank in enumerate(sorted(set(group_ranks)), 1)}
    matched: list[int] = []
    seen: set[int | str] = set()
    for form, lemma in candidates:
        form_lemmas = {form, *((lemma,) if lemma is not None else lemmas(form))}
        groups = {group_of[lemma] for lemma in form_lemmas if lemma in group_of}
        # Of several substitutes that share a lemma with it, the one that most people gave.
        key = min(groups, key=lambda at: (ranks[at], at)) if groups else min(form_lemmas - {form} or form_lemmas)
        if key not in seen:
            seen.add(key)
            matched.append(levels[ranks[key]] if isinstance(key, int) else 0)
    return MatchedLemmas(len(group_ranks), matched)


# Missing gold was never generated, or a later stage has no row for it.
_MISSING = {STAGES[0]: "not_generated"}

_Stage = tuple[str, str | None, str]


class _Count(NamedTuple):
    candidates: int = 0
    gold: int = 0
    instances: int = 0


class Funnel:
    """Counts of candidates by setting, ranker, stage and reason."""

    def __init__(self) -> None:
        self._counts: dict[_Stage, dict[str | None, _Count]] = {}
        self._order = {reason: place for place, reason in enumerate((*LOSSES, *drop_reasons()))}

    def add(
        self, stage: _Stage, before: Collection[str], remaining: Collection[str], dropped: Iterable[tuple[str, str]]
    ) -> set[str]:
        """Add what a stage does to the candidates of an instance; return the gold that is left.

        Args:
            stage: setting, ranker (None before ranking) and stage.
            before: gold that earlier stages left.
            remaining: candidates that go on.
            dropped: those that do not, each with its reason.
        """
        counts = self._counts.setdefault(stage, {None: _Count()})
        left = {word for word in before if word in remaining}
        lost: dict[str, str] = {}
        for word, reason in dropped:
            is_gold = word in before and word not in left
            if is_gold:
                lost[word] = reason
            _add(counts, reason, _Count(1, int(is_gold)))
        missing = [word for word in before if word not in left and word not in lost]
        if missing:
            reason = _MISSING.get(stage[2], "no_rows")
            lost |= dict.fromkeys(missing, reason)
            _add(counts, reason, _Count(0, len(missing)))
        _add(counts, None, _Count(len(remaining), len(left), int(bool(left))))
        if lost and not left:
            last = max(lost.values(), key=lambda reason: (self._order.get(reason, -1), reason))
            _add(counts, last, _Count(0, 0, 1))
        return left

    def rows(self) -> Iterator[Row]:
        """Yield the rows of table simplification/funnel, stage by stage."""
        for setting, ranker, stage in sorted(self._counts, key=_place):
            counts = self._counts[setting, ranker, stage]
            for reason in sorted(counts, key=lambda reason: reason or ""):
                count = counts[reason]
                yield {
                    "setting": setting,
                    "ranker": ranker,
                    "stage": stage,
                    "reason": reason,
                    "candidates": count.candidates,
                    "gold_candidates": count.gold,
                    "instances_lost": None if reason is None else count.instances,
                    "instances_left": count.instances if reason is None else None,
                }


def _add(counts: dict[str | None, _Count], reason: str | None, added: _Count) -> None:
    count = counts.get(reason, _Count())
    counts[reason] = _Count(*(number + other for number, other in zip(count, added, strict=True)))


def _place(stage: _Stage) -> tuple[str, int, str]:
    return stage[0], STAGES.index(stage[2]), stage[1] or ""
