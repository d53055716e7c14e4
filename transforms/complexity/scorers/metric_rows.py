"""Predictions measured: rows of `complexity/metrics` for each metric, threshold and subset.

Intervals resample whole targets, whose instances err together.

Subsets are called KIND, KIND/GENRE, KIND/NAME known and KIND/NAME not known (of the features that
have a flag NAME_known), KIND/split SPLIT, KIND/new target and KIND/seen target (where a split or
another folder is predicted, by whether the case-folded target was trained on). `mwe by part` in
place of `mwe` says that folds were by shared words, and `KIND without GENRE` that the genre was
predicted from the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.complexity.scorers.design import DesignRows
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.evaluating import measure, row
from lexbeam.transforms.evaluation.metrics import metric_of

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_KNOWN = "_known"
NUMBERS = ("pearson", "spearman", "mae", "mse", "r2")
CLASSES = ("accuracy", "precision", "recall", "f1", "macro_f1")


@dataclass(frozen=True, kw_only=True)
class ScorerMeasureOptions:
    """How predictions are measured."""

    metric: tuple[str, ...] = option(NUMBERS, help="metrics of numbers, see docs/reference/evaluation.md")
    threshold: tuple[str, ...] = option(
        (), help="also accuracy, precision, recall, F1 and Macro-F1 of instances at least this complex, 0 to 1, as 0.5"
    )
    bootstrap: BootstrapOptions = embedded(BootstrapOptions, group="intervals")


def check_measures(options: ScorerMeasureOptions) -> None:
    """Check the names of metrics and the thresholds.

    Raises:
        UsageError: there is no such metric of pairs, or a threshold is no number from 0 to 1.
    """
    for name in options.metric:
        metric_of(name, ("pairs",))
    for text in options.threshold:
        try:
            if 0 <= float(text) <= 1:
                continue
        except ValueError:
            pass
        raise UsageError(f"`threshold`: {text!r} is no number from 0 to 1")


def measured_rows(
    system: str, subset: str, gold: Floats, predicted: Floats, clusters: Sequence[str], options: ScorerMeasureOptions
) -> Iterator[dict[str, object]]:
    """Yield rows of `complexity/metrics` of predictions that have a label.

    Args:
        system, subset: of the rows.
        gold, predicted: of the same instances; those where gold is nan are left out.
        clusters: the target of each instance, which is resampled as a whole.
        options: metrics, thresholds, intervals.
    """
    known = ~np.isnan(gold)
    known_names = [name for name, there in zip(clusters, known, strict=True) if there]
    gold, predicted = gold[known], predicted[known]
    for name in dict.fromkeys(options.metric):
        measured = measure(
            metric_of(name, ("pairs",)), (gold, predicted), clusters=known_names, options=options.bootstrap
        )
        yield row(system, subset, name, None, measured)
    for least in dict.fromkeys(options.threshold):
        yield from binary_rows(system, subset, gold, predicted, known_names, least, options.bootstrap)


def binary_rows(
    system: str,
    subset: str,
    gold: Floats,
    predicted: Floats,
    clusters: Sequence[str],
    threshold: str,
    options: BootstrapOptions,
) -> Iterator[dict[str, object]]:
    """Yield rows of binary complex word identification by a threshold (Shardlow et al. 2021, 6).

    An instance at or above the threshold is complex: at 0.5 those rated neutral or above.
    The subset is called `SUBSET, complex from THRESHOLD`.
    """
    arrays = (gold >= float(threshold), predicted >= float(threshold))
    for name in CLASSES:
        measured = measure(metric_of(name, ("classes",)), arrays, clusters=clusters, options=options)
        yield row(system, f"{subset}, complex from {threshold}", name, None, measured)


def subsets_of(rows: DesignRows, title: str, seen: Bools) -> Iterator[tuple[str, Bools]]:
    """Yield subsets of the rows of a kind.

    They are all rows, those whose target was trained on and the others, genres, splits, those that word
    lists know and the others. A subset has some of the rows, not all.

    Args:
        rows: the rows.
        title: the name of the subset of all rows.
        seen: whether the target of each was trained on.
    """
    yield title, np.ones(len(rows.ids), bool)
    if seen.any() and not seen.all():
        yield f"{title}/new target", ~seen
        yield f"{title}/seen target", seen
    genres = sorted(set(rows.genres.tolist()) - {""})
    if len(genres) > 1:
        yield from ((f"{title}/{genre}", rows.genres == genre) for genre in genres)
    splits = sorted(set(rows.splits.tolist()) - {""})
    if len(splits) > 1:
        yield from ((f"{title}/split {split}", rows.splits == split) for split in splits)
    for place, column in enumerate(rows.columns):
        if column.name.endswith(_KNOWN):
            known = rows.values[:, place] == 1
            if known.all() or not known.any():
                continue
            name = column.name.removesuffix(_KNOWN)
            yield f"{title}/{name} known", known
            yield f"{title}/{name} not known", ~known
