"""Judgments to labels: which count, with what weight, mean, number and spread of each; and how far people agree.

Each function's docstring states its rules; `settle_judgments` applies all of them. Those of agreement take parallel
arrays with an entry for each judgment: instance, annotator (as whole numbers), value.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.complexity import JUDGMENTS, LABELS
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.draws.by_content import content_hashes, numbers
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.evaluation.reliability import alpha

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]

CONSTANT = 1e-12  # values closer than this differ by rounding alone
LEAST_SHARED = 5  # instances that an annotator must share with others to be weighed


class Halves(NamedTuple):
    """Split-half reliability of mean judgments.

    Attributes:
        correlation: Pearson's r of the means of two random halves, the mean over the draws.
        reliability: of all judgments together, by Spearman and Brown: 2 r / (1 + r); None for a negative
            r, where the formula does not apply.
        ceiling: the Pearson's r that no system can be expected to exceed on these labels, the root
            of reliability.
        instances: number of instances with two judgments or more.
        draws: how many times halves were drawn.
    """

    correlation: float
    reliability: float | None
    ceiling: float | None
    instances: int
    draws: int


@one_thread()
def split_half(
    instances: Ints, keys: npt.NDArray[np.uint64], values: Floats, *, seed: int, draws: int = 100
) -> Halves | None:
    """Return the split-half reliability of instances' means; None where it is undefined.

    The judgments of each instance are dealt out by hash to two halves, whose sizes differ by at most
    one. A prediction that equals the true scores correlates with means of reliability R by the
    root of R (Spearman 1904, attenuation), hence the ceiling.

    Args:
        instances: the instance of each judgment, from 0.
        keys: hashes of judgments, see `content_hashes`: the draws depend only on them.
        values: judgments.
        seed: of the draws.
        draws: how often halves are drawn.
    """
    sizes = np.bincount(instances) if len(instances) else np.zeros(0, np.int64)
    paired = sizes[instances] > 1
    units = np.unique(instances[paired], return_inverse=True)[1]
    held, hashes = values[paired], keys[paired]
    count = int(units.max()) + 1 if len(units) else 0
    if count < 2:
        return None
    correlations = []
    for draw in range(draws):
        drawn = numbers(hashes, seed=seed, label=f"complexity/halves {draw}")
        order = np.lexsort((drawn, units))
        starts = np.concatenate([[0], np.cumsum(np.bincount(units))[:-1]])
        rank = np.empty(len(units), np.int64)
        rank[order] = np.arange(len(units)) - starts[units[order]]
        means = []
        for half in (0, 1):
            mine = rank % 2 == half
            total = np.bincount(units[mine], held[mine], minlength=count)
            means.append(total / np.bincount(units[mine], minlength=count))
        if min(np.ptp(half) for half in means) > CONSTANT:
            correlations.append(float(np.corrcoef(means[0], means[1])[0, 1]))
    if not correlations:
        return None
    correlation = math.fsum(correlations) / len(correlations)
    if correlation < 0:
        return Halves(correlation, None, None, count, len(correlations))
    reliability = 2 * correlation / (1 + correlation)
    return Halves(correlation, reliability, math.sqrt(reliability), count, len(correlations))


@one_thread()
def weights_by_agreement(instances: Ints, annotators: Ints, values: Floats) -> Floats:
    """Return the weight of each annotator, 0 to 1: how far they agree with the others.

    It is Pearson's r of their values with the mean of all others' values of the same instances, and 0 if
    that is negative or their values are all the same. Annotators who share fewer than `LEAST_SHARED`
    instances with others, or whose instances all others rate alike, have 1: nothing speaks against them.

    Args:
        instances: the instance of each judgment, from 0.
        annotators: who judged, from 0; one judgment for each pair of annotator and instance.
        values: judgments.

    Returns:
        float64 of shape (annotators,).
    """
    people = int(annotators.max()) + 1 if len(annotators) else 0
    counts = np.bincount(instances) if len(instances) else np.zeros(0, np.int64)
    sums = np.bincount(instances, values, minlength=len(counts))
    weights = np.ones(people)
    order = np.argsort(annotators, kind="stable")
    borders = np.searchsorted(annotators[order], np.arange(people + 1))
    for person in range(people):
        mine = order[borders[person] : borders[person + 1]]
        shared = mine[counts[instances[mine]] > 1]
        if len(shared) < LEAST_SHARED:
            continue
        ratings, units = values[shared], instances[shared]
        others = (sums[units] - ratings) / (counts[units] - 1)
        if np.ptp(others) <= CONSTANT:
            continue
        agrees = np.corrcoef(ratings, others)[0, 1] if np.ptp(ratings) > 0 else 0.0
        weights[person] = max(0.0, float(agrees))
    return weights


REPEATED = ("mean", "first", "last", "all")
UNKNOWN = ("kept", "dropped")
WEIGHTS = ("none", "agreement")


@dataclass(frozen=True, kw_only=True)
class AggregationOptions:
    """How judgments become labels."""

    min_annotations: int = option(4, help="with fewer judgments an instance has no complexity, reason too_few", least=1)
    repeated: str = option(
        "mean",
        help="several judgments of an instance by one annotator: their mean counts as "
        "one, or only the first or last counts, or all do",
        choices=REPEATED,
    )
    unknown: str = option(
        "kept", help="judgments without an annotator; if kept, each counts as another person's", choices=UNKNOWN
    )
    weights: str = option(
        "none",
        help="agreement: annotators count by their correlation with the mean of the others, 0 where it is negative",
        choices=WEIGHTS,
    )
    seed: int = option(1, help="seed of the random halves by which reliability is measured")


class ComplexityJudgment(NamedTuple):
    """A judgment as a file has it.

    Attributes:
        instance_id: the instance judged.
        annotator: who judged; empty if the file does not say.
        group: the annotator's group, None for none.
        value: 0 to 1; None: undecided.
        source: the file.
        line: its row in the file.
    """

    instance_id: str
    annotator: str
    group: str | None
    value: float | None
    source: str
    line: int


class SettledJudgment(NamedTuple):
    """A judgment with its verdict: whether it counts, and how much.

    Attributes:
        judgment: as the file has it.
        number: its place among the annotator's judgments of the instance, from 0.
        counts: whether it counts.
        reason: if not, why: a key of `JUDGMENT_REASONS`.
        weight: how much it counts; weights of several that count as one add up to its weight.
    """

    judgment: ComplexityJudgment
    number: int
    counts: bool
    reason: str | None
    weight: float


class Label(NamedTuple):
    """The columns of a label that follow from its judgments."""

    complexity: float | None
    annotations: int
    spread: float | None
    reason: str | None


def settle_judgments(
    judgments: Sequence[ComplexityJudgment], known: frozenset[str] | set[str], options: AggregationOptions
) -> list[SettledJudgment]:
    """Return all judgments, in the order given, each with whether and how much it counts.

    Judgments of unknown instances do not count, nor do undecided ones, nor, with `unknown` dropped, those
    of unknown annotators. Among an annotator's judgments of one instance the rule `repeated` chooses;
    with `mean` they share a weight of 1. With weights by agreement annotators are weighted by
    `weights_by_agreement`, unknown ones by 1.

    Args:
        judgments: of all files, in the order of files and lines.
        known: ids of instances.
        options: the rules.
    """
    reasons: list[str | None] = []
    numbers: list[int] = []
    times: dict[tuple[str, str], int] = {}
    held: dict[tuple[str, str], list[int]] = {}
    for place, judgment in enumerate(judgments):
        pair = judgment.instance_id, judgment.annotator
        numbers.append(times.get(pair, 0))
        times[pair] = numbers[-1] + 1
        reasons.append(_why_not(judgment, known, options))
        if reasons[-1] is None and judgment.annotator:
            held.setdefault(pair, []).append(place)
    weights = [0.0 if reason else 1.0 for reason in reasons]
    for places in held.values():
        if options.repeated == "mean":
            for place in places:
                weights[place] = 1 / len(places)
        elif options.repeated != "all":
            chosen = places[0] if options.repeated == "first" else places[-1]
            for place in places:
                if place != chosen:
                    weights[place], reasons[place] = 0.0, "repeated"
    if options.weights == "agreement":
        _weigh(judgments, reasons, weights)
    return [
        SettledJudgment(judgment, number, reason is None, reason, weight)
        for judgment, number, reason, weight in zip(judgments, numbers, reasons, weights, strict=True)
    ]


def _why_not(judgment: ComplexityJudgment, known: frozenset[str] | set[str], options: AggregationOptions) -> str | None:
    if judgment.instance_id not in known:
        return "unknown_instance"
    if judgment.value is None:
        return "undecided"
    if not judgment.annotator and options.unknown == "dropped":
        return "unknown_annotator"
    return None


def _weigh(judgments: Sequence[ComplexityJudgment], reasons: list[str | None], weights: list[float]) -> None:
    places = [at for at, judgment in enumerate(judgments) if reasons[at] is None and judgment.annotator]
    means: dict[tuple[str, str], list[float]] = {}
    for at in places:
        judgment = judgments[at]
        assert judgment.value is not None  # or it would have a reason
        means.setdefault((judgment.instance_id, judgment.annotator), []).append(judgment.value)
    people = {name: at for at, name in enumerate(sorted({name for _, name in means}))}
    instances = {name: at for at, name in enumerate(sorted({name for name, _ in means}))}
    by_person = weights_by_agreement(
        np.array([instances[name] for name, _ in means], np.int64),
        np.array([people[name] for _, name in means], np.int64),
        np.array([math.fsum(values) / len(values) for values in means.values()]),
    )
    for at in places:
        weights[at] *= float(by_person[people[judgments[at].annotator]])
        if not weights[at]:
            reasons[at] = "no_weight"


def label_of(judged: Sequence[SettledJudgment], options: AggregationOptions) -> Label:
    """Return the label of an instance, from its judgments.

    Complexity is their weighted mean; `annotations` is how many count, where an annotator's mean is one;
    `spread` is their sample standard deviation, unweighted.

    Args:
        judged: judgments of one instance, by all annotators or by a group of them.
        options: the rules that decided which count.
    """
    values: list[float] = []
    weights: list[float] = []
    means: dict[str, list[tuple[float, float]]] = {}
    for settled in judged:
        if not settled.counts or settled.judgment.value is None:
            continue
        if options.repeated == "mean" and settled.judgment.annotator:
            pair = settled.judgment.value, settled.weight
            means.setdefault(settled.judgment.annotator, []).append(pair)
        else:
            values.append(settled.judgment.value)
            weights.append(settled.weight)
    for pairs in means.values():
        values.append(math.fsum(value for value, _ in pairs) / len(pairs))
        weights.append(math.fsum(weight for _, weight in pairs))
    spread = None
    if len(values) > 1:
        mean = math.fsum(values) / len(values)
        squares = math.fsum((value - mean) ** 2 for value in values)
        spread = math.sqrt(squares / (len(values) - 1))
    if len(values) < options.min_annotations:
        return Label(None, len(values), spread, "too_few")
    total = math.fsum(value * weight for value, weight in zip(values, weights, strict=True))
    complexity = min(max(total / math.fsum(weights), 0.0), 1.0)
    return Label(complexity, len(values), spread, None)


def judgment_rows(judged: Sequence[SettledJudgment]) -> pa.Table:
    """Return the rows of `complexity/judgments`."""
    return pa.Table.from_pylist(
        [
            {
                "instance_id": settled.judgment.instance_id,
                "annotator": settled.judgment.annotator,
                "number": settled.number,
                "group": settled.judgment.group,
                "value": settled.judgment.value,
                "weight": settled.weight,
                "kept": settled.counts,
                "reason": settled.reason,
                "source": settled.judgment.source,
            }
            for settled in judged
        ],
        schema=JUDGMENTS.schema(),
    )


def label_rows(judged: Sequence[SettledJudgment], instances: Sequence[str], options: AggregationOptions) -> pa.Table:
    """Return the rows of `complexity/labels`: for each instance, one by all annotators and one by each group.

    Args:
        judged: judgments, with whether they count.
        instances: ids of all instances; those without judgments also have a row.
        options: the rules that decided which count.
    """
    known = set(instances)
    of_instances = sorted((settled for settled in judged if settled.judgment.instance_id in known), key=_by_instance)
    grouped = {key: list(group) for key, group in groupby(of_instances, key=_by_instance)}
    rows: list[dict[str, object]] = []
    for name in sorted(known):
        mine = grouped.get(name, [])
        rows.append(_row(name, "", label_of(mine, options)))
        for group in sorted({settled.judgment.group for settled in mine if settled.judgment.group}):
            part = [settled for settled in mine if settled.judgment.group == group]
            rows.append(_row(name, group, label_of(part, options)))
    return pa.Table.from_pylist(rows, schema=LABELS.schema())


def _by_instance(settled: SettledJudgment) -> str:
    return settled.judgment.instance_id


def _row(name: str, group: str, label: Label) -> dict[str, object]:
    return {"instance_id": name, "group": group, **label._asdict()}


def figures_of(judgments: pa.Table, labels: pa.Table, options: AggregationOptions) -> dict[str, object]:
    """Return the figures of the manifest: numbers of judgments, agreement, the ceiling, by group.

    Alpha is over all judgments that count, reliability over those of instances with a complexity. An
    annotator's judgments of an instance that count as one enter once.

    Args:
        judgments: table `complexity/judgments`.
        labels: table `complexity/labels`.
        options: the rules that made them.
    """
    rows = judgments.to_pylist()
    counted = [row for row in rows if row["kept"]]
    groups = sorted({row["group"] for row in counted if row["group"]})
    reasons = Counter(row["reason"] for row in rows if row["reason"])
    return {
        "judgments": len(rows),
        "kept": len(counted),
        "reasons": dict(sorted(reasons.items())),
        "annotators": len({row["annotator"] for row in counted if row["annotator"]}),
        "unknown_annotator": sum(not row["annotator"] for row in counted),
        "groups": [_agreement(counted, labels, group, options) for group in ["", *groups]],
    }


def _agreement(
    counted: Sequence[Mapping[str, Any]], labels: pa.Table, group: str, options: AggregationOptions
) -> dict[str, object]:
    mine = [row for row in counted if group in ("", row["group"])]
    of_group = labels.filter(pc.equal(labels["group"], group))
    labelled = set(of_group.filter(of_group["complexity"].is_valid())["instance_id"].to_pylist())
    values = _united(mine, options)
    places = {name: at for at, name in enumerate(dict.fromkeys(key[0] for key in values))}
    instances = np.array([places[key[0]] for key in values], np.int64)
    held = np.array(list(values.values()), np.float64)
    keep = np.array([key[0] in labelled for key in values], bool)
    hashes = content_hashes(*([key[at] for key in values] for at in range(3)))
    halves = split_half(instances[keep], hashes[keep], held[keep], seed=options.seed)
    return {
        "group": group,
        "judgments": len(mine),
        "instances": of_group.num_rows,
        "labelled": len(labelled),
        "alpha": alpha(instances, held),
        "split_half": halves.correlation if halves else None,
        "reliability": halves.reliability if halves else None,
        "ceiling": halves.ceiling if halves else None,
        "halves_of": halves.instances if halves else 0,
    }


def _united(counted: Sequence[Mapping[str, Any]], options: AggregationOptions) -> Mapping[tuple[str, str, int], float]:
    """Return values by instance, annotator and number, in order; repeated ones as a mean."""
    grouped: dict[tuple[str, str, int], list[float]] = {}
    for row in counted:
        mean = options.repeated == "mean" and bool(row["annotator"])
        key = row["instance_id"], row["annotator"], 0 if mean else row["number"]
        grouped.setdefault(key, []).append(row["value"])
    return {key: math.fsum(grouped[key]) / len(grouped[key]) for key in sorted(grouped)}
