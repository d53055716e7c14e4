"""Predictions of a system put together, and measured: stage `complexity/evaluate`.

Predictions of folds are pooled before they are measured: one correlation over all instances, not a
mean over folds. Intervals resample whole targets, whose instances err together.

Subsets are called KIND, KIND/GENRE, KIND/NAME known and KIND/NAME not known (of the features that
have a flag NAME_known), KIND/split SPLIT, KIND/new target and KIND/seen target (where a split or
another folder is predicted, by whether the case-folded target was trained on). `mwe by part` in
place of `mwe` says that folds were by shared words, and `KIND without GENRE` that the genre was
predicted from the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from schemas.columns import Table
from schemas.complexity.scores import IMPORTANCE, LEARNING, PREDICTIONS
from schemas.metrics import COMPLEXITY_METRICS
from transforms.common.errors import UsageError
from transforms.common.options.fields import embedded, option
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.receipts import File
from transforms.common.store.sound import checked
from transforms.common.store.tables import PartFile, read_table, sort_rows, write_rows
from transforms.complexity.scorers.design import DesignRows, rows_of
from transforms.complexity.scorers.fit_stages import GROUP_PREFIX, FittedCase
from transforms.complexity.scorers.holding_out import ALL, FOLDS, KEPT, LEFT, SPLIT, Case
from transforms.evaluation.bootstrap import BootstrapOptions
from transforms.evaluation.evaluating import measure, row
from transforms.evaluation.metrics import metric_of

__all__ = [
    "EVALUATE",
    "CaseDone",
    "EvaluateTask",
    "EvaluatedSystem",
    "ScorerMeasureOptions",
    "binary_rows",
    "check_measures",
    "measured_rows",
    "subsets_of",
]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_KNOWN = "_known"
NUMBERS = ("pearson", "spearman", "mae", "mse", "r2")
CLASSES = ("accuracy", "precision", "recall", "f1")


@dataclass(frozen=True, kw_only=True)
class ScorerMeasureOptions:
    """How predictions are measured."""

    metric: tuple[str, ...] = option(NUMBERS, help="metrics of numbers, see docs/reference/evaluation.md")
    threshold: tuple[str, ...] = option(
        (),
        help="also accuracy, precision, recall and f1 of what is at least as complex as this, 0 to 1, for example 0.5",
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


class CaseDone(NamedTuple):
    """A case, and what it gave."""

    case: Case
    fitted: FittedCase


class EvaluateTask(NamedTuple):
    """All cases of a system, and the instances that they are of: the folder, and another one."""

    system: str
    design: File
    other: File | None
    cases: tuple[CaseDone, ...]


@dataclass(frozen=True)
class EvaluatedSystem:
    """Receipt of a system's rows of each table."""

    predictions: PartFile
    metrics: PartFile
    importance: PartFile
    learning: PartFile


class _Held(NamedTuple):
    """Predictions of rows, with their places among the rows."""

    places: npt.NDArray[np.int64]
    folds: pa.Array
    predictions: Floats
    seen: Bools
    permuted: Floats
    names: tuple[str, ...]


def measured_rows(
    system: str, subset: str, gold: Floats, predicted: Floats, clusters: Sequence[str], options: ScorerMeasureOptions
) -> Iterator[dict[str, Any]]:
    """Yield rows of `complexity/metrics` of predictions that have a label.

    Args:
        system, subset: what the rows say of themselves.
        gold, predicted: of the same instances; nan where gold has none, which are left out.
        clusters: what is resampled as a whole: the target of each instance.
        options: metrics, thresholds, intervals.
    """
    known = ~np.isnan(gold)
    own = [name for name, there in zip(clusters, known, strict=True) if there]
    gold, predicted = gold[known], predicted[known]
    for name in dict.fromkeys(options.metric):
        found = measure(metric_of(name, ("pairs",)), (gold, predicted), clusters=own, options=options.bootstrap)
        yield row(system, subset, name, None, found)
    for least in dict.fromkeys(options.threshold):
        yield from binary_rows(system, subset, gold, predicted, own, least, options.bootstrap)


def binary_rows(
    system: str,
    subset: str,
    gold: Floats,
    predicted: Floats,
    clusters: Sequence[str],
    threshold: str,
    options: BootstrapOptions,
) -> Iterator[dict[str, Any]]:
    """Yield rows of binary complex word identification by a threshold (Shardlow et al. 2021, 6).

    Complex is what is at least as complex as the threshold: at 0.5 what was rated neutral or above.
    The subset is called `SUBSET, complex from THRESHOLD`.
    """
    arrays = (gold >= float(threshold), predicted >= float(threshold))
    for name in CLASSES:
        found = measure(metric_of(name, ("classes",)), arrays, clusters=clusters, options=options)
        yield row(system, f"{subset}, complex from {threshold}", name, None, found)


def subsets_of(rows: DesignRows, title: str, seen: Bools) -> Iterator[tuple[str, Bools]]:
    """Yield subsets of the rows of a kind.

    They are all, those whose target was trained on and the others, genres, splits, those that word
    lists know and the others. What has all rows, or none, is no subset.

    Args:
        rows: the rows.
        title: what all of them are called.
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


def _chosen(_: Any, options: ScorerMeasureOptions) -> Mapping[str, Sequence[str]]:
    names = list(options.metric) + (list(CLASSES) if options.threshold else [])
    return {"transforms.evaluation.metrics:METRICS": sorted(set(names))}


def _evaluate(artefact: Artefact, task: EvaluateTask, options: ScorerMeasureOptions) -> EvaluatedSystem:
    rows = rows_of(read_table([checked(task.other or task.design)]))
    predictions: list[pa.Table] = []
    metrics: list[dict[str, Any]] = []
    importance: list[dict[str, Any]] = []
    learning: list[dict[str, Any]] = []
    for kind in sorted({done.case.kind for done in task.cases}):
        own = [done for done in task.cases if done.case.kind == kind]
        published = False
        for way in (ALL, KEPT, SPLIT, *FOLDS):
            cases = _like(own, way)
            if not cases or (way == ALL and task.other is None):
                continue
            held = _held(cases, rows)
            name = f"{kind} by part" if way == "part" else kind
            metrics += _metric_rows(task.system, name, held, rows, options)
            if way in FOLDS:
                first = not published
                if first:
                    importance += _permutations(task.system, kind, held, rows)
                    importance += _ablations(task.system, kind, own, way, held, rows)
                    learning += _curve(task.system, kind, own, way, rows)
            if not published:
                predictions.append(_prediction_rows(task.system, held, rows))
                published = True
        for done in sorted(_like(own, LEFT)):
            held = _held([done], rows)
            some = rows.at(held.places)
            metrics += measured_rows(
                task.system,
                f"{kind} without {done.case.held}",
                some.labels,
                held.predictions,
                some.groups.tolist(),
                options,
            )
    schema = PREDICTIONS.schema()
    tables = (
        (PREDICTIONS, pa.concat_tables([schema.empty_table(), *predictions])),
        (COMPLEXITY_METRICS, pa.Table.from_pylist(metrics, COMPLEXITY_METRICS.schema())),
        (IMPORTANCE, pa.Table.from_pylist(importance, IMPORTANCE.schema())),
        (LEARNING, pa.Table.from_pylist(learning, LEARNING.schema())),
    )
    return EvaluatedSystem(*(_written(artefact, table, found) for table, found in tables))


def _written(artefact: Artefact, table: Table, rows: pa.Table) -> PartFile:
    suffix = f"-{table.name.partition('/')[2]}.parquet"
    found = sort_rows(rows, table.key)
    with artefact.writing(suffix) as stream:
        count = write_rows(stream, table.schema(), [found], sort_keys=table.key)
    return PartFile(artefact.file(suffix), count)


def _like(cases: Sequence[CaseDone], way: str, without: str = "", share: float = 1.0) -> list[CaseDone]:
    return [done for done in cases if (done.case.way, done.case.without, done.case.share) == (way, without, share)]


def _held(cases: Sequence[CaseDone], rows: DesignRows) -> _Held:
    """Return the predictions of several cases, which are of different rows, in the rows' order."""
    ordered = sorted(cases)
    tables = [read_table([checked(done.fitted.predictions)]) for done in ordered]
    table = pa.concat_tables(tables).sort_by("instance_id").combine_chunks()
    places = np.searchsorted(rows.ids.astype(str), table["instance_id"].to_pylist())
    names = ordered[0].fitted.permuted
    permuted = np.array(table["permuted"].to_pylist(), np.float64).reshape(len(places), len(names))
    seen = np.array(table["seen"].fill_null(False).to_pylist(), bool)
    return _Held(places.astype(np.int64), table["fold"], table["prediction"].to_numpy(), seen, permuted, names)


def _metric_rows(
    system: str, title: str, held: _Held, rows: DesignRows, options: ScorerMeasureOptions
) -> Iterator[dict[str, Any]]:
    some = rows.at(held.places)
    for name, which in subsets_of(some, title, held.seen):
        yield from measured_rows(
            system, name, some.labels[which], held.predictions[which], some.groups[which].tolist(), options
        )


def _prediction_rows(system: str, held: _Held, rows: DesignRows) -> pa.Table:
    some = rows.at(held.places)
    labels = pa.array(some.labels, mask=np.isnan(some.labels))
    columns = [
        pa.array(some.ids.tolist(), pa.string()),
        pa.array([system] * len(some.ids), pa.string()),
        pa.array(some.kinds.tolist(), pa.string()),
        held.folds,
        pa.array(held.predictions),
        labels,
    ]
    return pa.table(columns, schema=PREDICTIONS.schema())


def _pearson(gold: Floats, predicted: Floats) -> tuple[float | None, int]:
    known = ~np.isnan(gold)
    ids = [""] * int(known.sum())
    found = measure("pearson", (gold[known], predicted[known]), clusters=ids, options=BootstrapOptions(resamples=0))
    return found.value, found.n


def _permutations(system: str, kind: str, held: _Held, rows: DesignRows) -> Iterator[dict[str, Any]]:
    gold = rows.labels[held.places]
    whole, n = _pearson(gold, held.predictions)
    for place, name in enumerate(held.names):
        changed, _ = _pearson(gold, held.permuted[:, place])
        what = "group" if name.startswith(GROUP_PREFIX) else "feature"
        yield _drop(system, kind, "permutation", what, name.removeprefix(GROUP_PREFIX), whole, changed, n)


def _ablations(
    system: str, kind: str, cases: Sequence[CaseDone], way: str, held: _Held, rows: DesignRows
) -> Iterator[dict[str, Any]]:
    whole, n = _pearson(rows.labels[held.places], held.predictions)
    for group in sorted({done.case.without for done in cases} - {""}):
        less = _held(_like(cases, way, without=group), rows)
        changed, _ = _pearson(rows.labels[less.places], less.predictions)
        yield _drop(system, kind, "ablation", "group", group, whole, changed, n)


def _drop(
    system: str, kind: str, measure: str, what: str, of: str, whole: float | None, changed: float | None, n: int
) -> dict[str, Any]:
    # Predictions that have become constant tell nothing any more.
    value = None if whole is None else whole - (changed or 0.0)
    return {"scorer": system, "kind": kind, "measure": measure, "what": what, "of": of, "value": value, "n": n}


def _curve(system: str, kind: str, cases: Sequence[CaseDone], way: str, rows: DesignRows) -> Iterator[dict[str, Any]]:
    shares = sorted({done.case.share for done in cases})
    for share in shares if len(shares) > 1 else ():
        own = _like(cases, way, share=share)
        held = _held(own, rows)
        value, n = _pearson(rows.labels[held.places], held.predictions)
        trained = sum(done.fitted.trained for done in own) / len(own)
        yield {"scorer": system, "kind": kind, "share": share, "trained": trained, "pearson": value, "n": n}


EVALUATE: Stage[EvaluateTask, ScorerMeasureOptions, EvaluatedSystem] = Stage(
    name="complexity/evaluate",
    receipt=EvaluatedSystem,
    build=_evaluate,
    unused={"task.cases.fitted.model": "its predictions count"},
    unordered=("task.cases",),
    chosen=_chosen,
    unit="systems",
)
