"""Change scores evaluated against gold: a system is a pair of slices, alignment, measure and seed.

Its name is `EARLIER:LATER/ALIGNMENT/MEASURE/mean` for the mean over seeds, else `.../seed N`.
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

from schemas.metrics import CHANGE_METRICS
from transforms.change.scores.gold import Gold
from transforms.change.scores.ranking import Row
from transforms.change.scores.thresholds import THRESHOLDS
from transforms.change.view.targets import suffix_of
from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import LexbeamError, UsageError, nearest
from transforms.common.options.fields import embedded, option
from transforms.evaluation.bootstrap import BootstrapOptions
from transforms.evaluation.evaluating import MeasuredMetric, measure, measure_difference, row
from transforms.evaluation.metrics import metric_of
from transforms.evaluation.outcomes import Floats

__all__ = ["COLUMNS", "MISSING", "TAKES", "EvaluationOptions", "Missing", "MissingScore", "evaluate", "of_gold"]

# What of table `scores` is read.
COLUMNS = ("word", "slice_from", "slice_to", "alignment", "measure", "seed", "score", "changed", "reason")
NOT_SCORED = "not_scored"  # the reason of a word that has no row
TAKES = ("pairs", "classes", "ranking")
PUBLISHED = "published"
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
        ("spearman", "average_precision", "accuracy", "precision", "recall", "f1"),
        help="metrics, see docs/reference/evaluation.md",
    )
    missing: str = option(REFUSE, help="gold words without a score", choices=MISSING)
    class_threshold: str = option(
        PUBLISHED,
        help="predicted classes: as published with the scores, or by this threshold "
        "over the scores that gold words have",
        choices=(PUBLISHED, *THRESHOLDS),
    )
    baseline: str | None = option(
        None,
        help="ALIGNMENT/MEASURE (none/frequency): add the difference of every other mean to "
        "this one, on the same words and resamples",
        metavar="SYSTEM",
    )
    bootstrap: BootstrapOptions = embedded(BootstrapOptions, group="intervals")


class Missing(NamedTuple):
    """Gold words of a system that have no score, with the reason of each."""

    system: str
    words: Mapping[str, str]


class _System(NamedTuple):
    """What a system says of all gold words, in their order; nan and None if it says nothing of a word."""

    pair: str
    way: str
    seed: int | None
    scores: Floats
    changed: tuple[bool | None, ...]
    missing: Mapping[str, str]

    @property
    def name(self) -> str:
        run = "mean" if self.seed is None else f"seed {self.seed}"
        return f"{self.pair}/{self.way}/{run}"


def of_gold(tables: Iterable[pa.Table], words: Sequence[str]) -> pa.Table:
    """Return the rows of gold words of the parts of table `scores`, read one after another."""
    wanted = pa.array(words, pa.string())
    gold_rows = [rows.filter(pc.is_in(rows["word"], value_set=wanted)) for rows in tables]
    return pa.concat_tables(gold_rows)


def evaluate(scores: pa.Table, gold: Gold, options: EvaluationOptions) -> tuple[pa.Table, list[Missing]]:
    """Evaluate every system of a table of scores.

    Args:
        scores: rows of gold words, with `COLUMNS`.
        gold: the gold values.
        options: metrics, what is done with words without a score, intervals.

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
        _check_words(scores, words)
    systems = list(_systems(scores, words, options))
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


def _check_words(scores: pa.Table, words: Sequence[str]) -> None:
    """Check that every gold word has a row, with or without a score."""
    there = set(pc.unique(scores["word"]).to_pylist())
    gone = [word for word in words if word not in there]
    if gone:
        more = ", ..." if len(gone) > SHOWN else ""
        raise LexbeamError(
            f"{len(gone)} of {len(words)} gold words are not in table scores: "
            f"{', '.join(gone[:SHOWN])}{more}; make the scores with these words as `targets`, or "
            "give `missing`: leave-out, least or median"
        )


def _systems(scores: pa.Table, words: Sequence[str], options: EvaluationOptions) -> Iterator[_System]:
    by_system: dict[tuple[str, str, bool, int], dict[str, Row]] = {}
    for score in scores.select(COLUMNS).to_pylist():
        pair = f"{score['slice_from']}:{score['slice_to']}"
        seed = score["seed"]
        key = (pair, f"{score['alignment']}/{score['measure']}", seed is not None, seed or 0)
        by_word = by_system.setdefault(key, {})
        if score["word"] in by_word:
            raise LexbeamError(f"table scores has {score['word']!r} twice for {'/'.join(key[:2])}")
        by_word[score["word"]] = score
    for (pair, way, single, seed), by_word in sorted(by_system.items()):
        rows = [by_word.get(word, {"reason": NOT_SCORED}) for word in words]
        values = [rows[i].get("score") for i in range(len(words))]
        numbers = np.array([math.nan if v is None else v for v in values], np.float64)
        missing = {word: str(rows[i]["reason"]) for i, word in enumerate(words) if values[i] is None}
        filled = np.isnan(numbers)
        known = numbers[~filled]
        numbers[filled] = MISSING[options.missing].score(known)
        changed: list[bool | None] = [rows[i].get("changed") for i in range(len(words))]
        if options.class_threshold != PUBLISHED:
            least = THRESHOLDS[options.class_threshold].of(known)
            changed = [None if math.isnan(v) else bool(v > least) for v in numbers]
        elif not single and MISSING[options.missing].fills:
            changed = [False if gone else c for gone, c in zip(filled, changed, strict=True)]
        yield _System(pair, way, seed if single else None, numbers, tuple(changed), missing)


def _subsets(words: Sequence[str]) -> dict[str, set[str]]:
    """Return all words and, if they carry parts of speech, those of each."""
    tags = sorted({tag for word in words if (tag := suffix_of(word))})
    subsets = {ALL: set(words)}
    if len(tags) > 1:
        subsets |= {tag: {word for word in words if suffix_of(word) == tag} for tag in tags}
    return subsets


Paired = tuple[list[str], tuple[npt.NDArray[np.generic], npt.NDArray[np.generic]]]


def _paired_values(system: _System, needs: str, subset: set[str], gold: Gold) -> Paired | None:
    """Return words with gold and predicted values, and both as arrays; None if the system has no classes."""
    words = gold.words
    gold_values: Mapping[str, float | bool] = gold.graded if needs == "pairs" else gold.binary
    if needs == "classes":
        if all(value is None for value in system.changed):
            return None
        said = {w: v for w, v in zip(words, system.changed, strict=True) if v is not None}
    else:
        scored = zip(words, system.scores.tolist(), strict=True)
        said = {w: v for w, v in scored if not math.isnan(v)}
    chosen = [word for word in words if word in gold_values and word in said and word in subset]
    first = np.array([gold_values[w] for w in chosen], np.float64 if needs == "pairs" else np.bool_)
    second = np.array([said[w] for w in chosen], np.bool_ if needs == "classes" else np.float64)
    return chosen, (first, second)


def _measured(
    system: _System, subset: set[str], gold: Gold, options: EvaluationOptions
) -> Iterator[tuple[str, MeasuredMetric]]:
    for name in dict.fromkeys(options.metric):
        needs = metric_of(name, TAKES).takes
        paired = _paired_values(system, needs, subset, gold) if _has(gold, needs) else None
        if paired is not None:
            words, arrays = paired
            yield name, measure(name, arrays, clusters=words, options=options.bootstrap)


def _has(gold: Gold, needs: str) -> bool:
    return bool(gold.graded if needs == "pairs" else gold.binary)


def _differences(
    systems: Sequence[_System], words: Sequence[str], gold: Gold, options: EvaluationOptions
) -> Iterator[Row]:
    baseline = str(options.baseline)
    means = [system for system in systems if system.seed is None]
    ways = sorted({system.way for system in means})
    if baseline not in ways:
        hint = nearest(baseline, ways) or f"; there are {', '.join(ways)}"
        raise UsageError(f"`baseline`: the scores have no {baseline!r}{hint}")
    bases = {system.pair: system for system in means if system.way == baseline}
    for system in means:
        base = bases.get(system.pair)
        if base is None or base is system:
            continue
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
            yield row(f"{system.name} minus {baseline}", ALL, name, None, measured)
