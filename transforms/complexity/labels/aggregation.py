"""Judgments to labels: which count, with what weight, and the mean, number and spread of each.

Each function's docstring states its rules; `settle_judgments` applies all of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.complexity.labels.agreement import weights_by_agreement

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
