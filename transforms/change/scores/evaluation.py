"""Systems of change scores evaluated against gold, both as `gold` has them.

Graded gold is compared with scores, gold classes with scores (as a ranking) and with predicted
classes.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import SCORES
from lexbeam.schemas.common_tables import CHANGE_METRICS
from lexbeam.transforms.change.scores.gold import (
    VALUES,
    Gold,
    ScoredWords,
    SystemScores,
    frequencies_in,
    mean_ranks,
    named_systems_in,
    systems_in,
)
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.scores.thresholds import TARGETS, THRESHOLDS
from lexbeam.transforms.change.view.words import suffix_of
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.evaluating import MeasuredMetric, measure, measure_difference, row
from lexbeam.transforms.evaluation.metrics import metric_of
from lexbeam.transforms.evaluation.outcomes import Floats

TAKES = ("pairs", "controlled", "classes", "ranking")
_NUMBERS = ("pairs", "controlled")  # kinds of metrics that take graded gold
PUBLISHED = "published"
NONE = "none"
ALL = "all"


def _left_out(_: Floats) -> float:
    return math.nan


def _least(scores: Floats) -> float:
    """Return a score below all others, as if nothing had changed less."""
    return float(scores.min()) - 1 if len(scores) else math.nan


def _median(scores: Floats) -> float:
    return float(np.median(scores)) if len(scores) else math.nan


@dataclass(frozen=True)
class MissingScore(Entry):
    """What becomes of a gold word without a score.

    Attributes:
        score: the score that it is given, from the scores of the others; nan for none.
        fills: whether that is a score, and it then counts as unchanged.
    """

    score: Callable[[Floats], float]
    fills: bool = False


REFUSE = "refuse"
MISSING: Registry[MissingScore] = Registry(
    {
        REFUSE: MissingScore(
            _left_out, doc="words that no row of `scores` is about are an error, and the others are left out"
        ),
        "leave-out": MissingScore(_left_out, doc="all are left out"),
        "least": MissingScore(_least, True, doc="they get a score below all others"),
        "median": MissingScore(_median, True, doc="they get the median score"),
    },
    what="choice for missing scores",
)
SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """How scores are evaluated."""

    metric: tuple[str, ...] = option(
        ("spearman", "partial_spearman", "average_precision", "accuracy", "precision", "recall", "f1"),
        help="metrics, see docs/reference/evaluation.md",
    )
    missing: str = option(REFUSE, help="gold words without a score", choices=MISSING)
    class_threshold: str = option(
        PUBLISHED,
        help="predicted classes: as published with the scores, or by this threshold "
        "over the scores that gold words have",
        choices=(PUBLISHED, *(name for name, entry in THRESHOLDS.items() if entry.over == TARGETS)),
    )
    baseline: str | None = option(
        None,
        help="ALIGNMENT/MEASURE (none/frequency): add the difference of every other mean to "
        "this one, on the same words and resamples",
        metavar="SYSTEM",
    )
    by: tuple[str, ...] = option(
        ("excess", "p_value", "q_value", "significant"),
        help="what evidence says of means over seeds, evaluated beside the score; `none` for the score alone",
        choices=(*VALUES[1:], NONE),
    )
    mean_ranks: tuple[str, ...] = option(
        (),
        help="systems, ALIGNMENT/MEASURE or the name of a file: add one that ranks by the mean of their ranks",
        metavar="SYSTEM",
    )
    bootstrap: BootstrapOptions = embedded(BootstrapOptions, group="intervals")


class Missing(NamedTuple):
    """Gold words of a system that have no score, with the reason of each."""

    system: str
    words: Mapping[str, str]


def of_gold(tables: Iterable[pa.Table], words: Sequence[str]) -> pa.Table:
    """Return the rows of gold words of the parts of table `scores`, read one after another."""
    wanted = pa.array(words, pa.string())
    gold_rows = [rows.filter(pc.is_in(rows["word"], value_set=wanted)) for rows in tables]
    return pa.concat_tables(gold_rows)


def evaluate(
    scores: pa.Table | None,
    gold: Gold,
    options: EvaluationOptions,
    predictions: Sequence[ScoredWords] = (),
    named: pa.Table | None = None,
) -> tuple[pa.Table, list[Missing]]:
    """Evaluate every system of a table of scores, and those of files.

    Args:
        scores: rows of gold words, with the columns that systems need; None for files alone.
        options: metrics, what is done with words without a score, intervals.
        predictions: files of words and scores.
        named: rows of gold words of table `change/systems`; None without one.

    Returns:
        Rows of `change/metrics`, and of every mean over seeds the words without a score.

    Raises:
        UsageError: an unknown metric or baseline, or gold lacks what the metrics need.
        LexbeamError: a word has two scores, no gold word has a row, or a word without a row is to be
            refused.
    """
    needed = {name: metric_of(name, TAKES).takes for name in options.metric}
    if not any(_has(gold, needs) for needs in needed.values()):
        raise UsageError(
            f"`metric`: {', '.join(needed) or 'none'} cannot be computed, for gold has no "
            f"{'graded change' if gold.binary else 'classes'}"
        )
    words = gold.words
    if options.missing == REFUSE:
        _check_words(scores, predictions, words)
    found = systems_in(scores or SCORES.schema().empty_table(), predictions, words, _values(options))
    unfilled = [*found, *(named_systems_in(named, words) if named is not None else ())]
    unfilled += mean_ranks(unfilled, options.mean_ranks, words) if options.mean_ranks else []
    frequencies = frequencies_in(scores, words) if scores is not None else {}
    if len(frequencies) == 1:
        frequencies[""] = next(iter(frequencies.values()))  # of files, which say nothing of slices
    systems = [_filled(system, options)._replace(frequencies=frequencies.get(system.pair)) for system in unfilled]
    if not systems:
        raise LexbeamError(
            f"none of {len(words)} gold words has a row in the scores; {', '.join(words[:5])} are "
            "among them: name them as targets of `lexbeam change`"
        )
    rows = [
        row(system.name, name, metric, None, measured)
        for system in systems
        for name, subset in _subsets(words).items()
        for metric, measured in _measured(system, subset, gold, options)
    ]
    if options.baseline is not None:
        rows += _differences(systems, words, gold, options)
    missing = [Missing(s.name, s.missing) for s in systems if s.seed is None and s.missing]
    return pa.Table.from_pylist(rows, schema=CHANGE_METRICS.schema()), missing


def _values(options: EvaluationOptions) -> tuple[str, ...]:
    if NONE in options.by and len(set(options.by)) > 1:
        raise UsageError("`by`: none goes with no other value")
    return tuple(name for name in options.by if name != NONE)


def _check_words(scores: pa.Table | None, predictions: Sequence[ScoredWords], words: Sequence[str]) -> None:
    """Check that every gold word has a row, with or without a score."""
    tables = {} if scores is None else {"table scores": (set(pc.unique(scores["word"]).to_pylist()), True)}
    for name, (there, ours) in {
        **tables,
        **{f"file {file.name}": (set(file.scores), False) for file in predictions},
    }.items():
        gone = [word for word in words if word not in there]
        if gone:
            more = ", ..." if len(gone) > SHOWN else ""
            remedy = "make the scores with these words as `targets`" if ours else "add them"
            raise LexbeamError(
                f"{len(gone)} of {len(words)} gold words are not in {name}: {', '.join(gone[:SHOWN])}{more}; {remedy}, "
                "or give `missing`: leave-out, least or median"
            )


def _filled(system: SystemScores, options: EvaluationOptions) -> SystemScores:
    """Return a system with scores for the words that have none, and with the classes that are asked for."""
    gone = np.isnan(system.scores)
    known = system.scores[~gone]
    numbers = np.where(gone, MISSING[options.missing].score(known), system.scores)
    changed = system.changed
    if options.class_threshold != PUBLISHED:
        least = THRESHOLDS[options.class_threshold].cut(known).value
        changed = tuple(None if least is None or math.isnan(v) else bool(v > least) for v in numbers)
    elif system.seed is None and MISSING[options.missing].fills and any(c is not None for c in changed):
        changed = tuple(False if lacks else c for lacks, c in zip(gone, changed, strict=True))
    return system._replace(scores=numbers, changed=changed)


def _subsets(words: Sequence[str]) -> dict[str, set[str]]:
    """Return all words and, if they carry parts of speech, those of each."""
    tags = sorted({tag for word in words if (tag := suffix_of(word))})
    subsets = {ALL: set(words)}
    if len(tags) > 1:
        subsets |= {tag: {word for word in words if suffix_of(word) == tag} for tag in tags}
    return subsets


Paired = tuple[list[str], tuple[npt.NDArray[np.generic], ...]]


def _paired_values(system: SystemScores, needs: str, subset: set[str], gold: Gold) -> Paired | None:
    """Return words with gold and predicted values, and both as arrays, perhaps beside how frequent the words are.

    None if the system has no classes, or frequencies are not known.
    """
    words = gold.words
    numbers = needs in _NUMBERS
    gold_values: Mapping[str, float | bool] = gold.graded if numbers else gold.binary
    if needs == "classes":
        if all(value is None for value in system.changed):
            return None
        said = {w: v for w, v in zip(words, system.changed, strict=True) if v is not None}
    else:
        scored = zip(words, system.scores.tolist(), strict=True)
        said = {w: v for w, v in scored if not math.isnan(v)}
    chosen = [word for word in words if word in gold_values and word in said and word in subset]
    controls: tuple[Floats, ...] = ()
    if needs == "controlled":
        if system.frequencies is None:
            return None
        known = dict(zip(words, system.frequencies, strict=True))
        chosen = [word for word in chosen if not np.isnan(known[word]).any()]
        controls = (np.array([known[word] for word in chosen]).reshape(len(chosen), system.frequencies.shape[1]),)
    first = np.array([gold_values[w] for w in chosen], np.float64 if numbers else np.bool_)
    second = np.array([said[w] for w in chosen], np.bool_ if needs == "classes" else np.float64)
    return chosen, (first, second, *controls)


def _measured(
    system: SystemScores, subset: set[str], gold: Gold, options: EvaluationOptions
) -> Iterator[tuple[str, MeasuredMetric]]:
    for name in dict.fromkeys(options.metric):
        needs = metric_of(name, TAKES).takes
        paired = _paired_values(system, needs, subset, gold) if _has(gold, needs) else None
        if paired is not None:
            words, arrays = paired
            yield name, measure(name, arrays, clusters=words, options=options.bootstrap)


def _has(gold: Gold, needs: str) -> bool:
    return bool(gold.graded if needs in _NUMBERS else gold.binary)


def _differences(
    systems: Sequence[SystemScores], words: Sequence[str], gold: Gold, options: EvaluationOptions
) -> Iterator[Row]:
    baseline = str(options.baseline)
    means = [system for system in systems if system.seed is None]
    ways = sorted({system.way for system in means})
    if baseline not in ways:
        hint = nearest(baseline, ways) or f"; there are {', '.join(ways)}"
        raise UsageError(f"`baseline`: the scores have no {baseline!r}{hint}")
    bases = [system for system in means if system.way == baseline]
    for system, base in ((one, base) for one in means for base in bases if base.pair in (one.pair, "") or not one.pair):
        if base is system:
            continue
        against = baseline if base.pair in (system.pair, "") else f"{base.pair}/{baseline}"
        for name in dict.fromkeys(options.metric):
            needs = metric_of(name, TAKES).takes
            if not _has(gold, needs):
                continue
            both = [_paired_values(each, needs, set(words), gold) for each in (system, base)]
            if both[0] is None or both[1] is None:
                continue
            shared = set(both[0][0]) & set(both[1][0])
            pairs = [_paired_values(each, needs, shared, gold) for each in (system, base)]
            assert pairs[0] is not None
            assert pairs[1] is not None
            measured = measure_difference(
                name, pairs[0][1], pairs[1][1], clusters=pairs[0][0], options=options.bootstrap
            )
            yield row(f"{system.name} minus {against}", ALL, name, None, measured)
