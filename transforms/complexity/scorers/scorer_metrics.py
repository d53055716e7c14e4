"""Predictions of a system put together and measured: steps `complexity/evaluate`, `complexity/pool`.

Predictions of folds are pooled before they are measured: one correlation over all instances, not a
mean over folds. `PoolPredictions` then makes one table of the predictions of all systems, in the order of instances.

Rows of `complexity/metrics` are made for each metric, threshold and subset. Intervals resample whole targets, whose
instances err together. Subsets are called KIND, KIND/GENRE, KIND/NAME known and KIND/NAME not known (of the features
that have a flag NAME_known), KIND/split SPLIT, KIND/new target and KIND/seen target (where a split or
another folder is predicted, by whether the case-folded target was trained on). `mwe by part` in
place of `mwe` says that folds were by shared words, and `KIND without GENRE` that the genre was
predicted from the others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import Table
from lexbeam.schemas.common_tables import COMPLEXITY_METRICS
from lexbeam.schemas.complexity import IMPORTANCE, LEARNING, PREDICTIONS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import PartFile, read_rows, read_table, sort_rows, write_part
from lexbeam.transforms.complexity.scorers.design import Bools, DesignRows, Floats, rows_of
from lexbeam.transforms.complexity.scorers.holding_out import ALL, FOLDS, LEFT, SAVED, SPLIT, Case
from lexbeam.transforms.complexity.scorers.scorer_fits import GROUP_PREFIX, PredictedCase
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.evaluating import measure, row
from lexbeam.transforms.evaluation.metrics import metric_of

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


class CaseDone(NamedTuple):
    """A case and its predictions."""

    case: Case
    said: PredictedCase


class EvaluateTask(NamedTuple):
    """All cases of a system, and the instances that they predict: those of the folder, or of another one."""

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


@dataclass(frozen=True)
class EvaluateSystem(Step[EvaluateTask, EvaluatedSystem]):
    """Pool the predictions of a system, and measure them."""

    measures: ScorerMeasureOptions

    name, noun, unit = "complexity/evaluate", "metrics", "systems"

    def make(self, artefact: Artefact, task: EvaluateTask) -> EvaluatedSystem:
        """Write the system's rows of each table."""
        system, options = task.system, self.measures
        rows = rows_of(read_table([checked(task.other or task.design)]))
        predictions: list[pa.Table] = []
        metrics: list[dict[str, object]] = []
        importance: list[dict[str, object]] = []
        learning: list[dict[str, object]] = []
        for kind in sorted({done.case.kind for done in task.cases}):
            of_kind = [done for done in task.cases if done.case.kind == kind]
            published = False
            for way in (ALL, SAVED, SPLIT, *FOLDS):
                cases = _like(of_kind, way)
                if not cases or (way == ALL and task.other is None):
                    continue
                held = _held(cases, rows)
                name = f"{kind} by part" if way == "part" else kind
                metrics += _metric_rows(system, name, held, rows, options)
                if way in FOLDS:
                    first = not published
                    if first:
                        importance += _permutations(system, kind, held, rows)
                        importance += _ablations(system, kind, of_kind, way, held, rows)
                        learning += _curve(system, kind, of_kind, way, rows)
                if not published:
                    predictions.append(_prediction_rows(system, held, rows))
                    published = True
            for done in sorted(_like(of_kind, LEFT)):
                held = _held([done], rows)
                predicted = rows.at(held.places)
                metrics += measured_rows(
                    system,
                    f"{kind} without {done.case.held}",
                    predicted.labels,
                    held.predictions,
                    predicted.groups.tolist(),
                    options,
                )
        schema = PREDICTIONS.schema()
        tables = (
            (PREDICTIONS, pa.concat_tables([schema.empty_table(), *predictions])),
            (COMPLEXITY_METRICS, pa.Table.from_pylist(metrics, COMPLEXITY_METRICS.schema())),
            (IMPORTANCE, pa.Table.from_pylist(importance, IMPORTANCE.schema())),
            (LEARNING, pa.Table.from_pylist(learning, LEARNING.schema())),
        )
        return EvaluatedSystem(*(_written(artefact, table, table_rows) for table, table_rows in tables))

    def chosen(self, task: EvaluateTask) -> Mapping[str, Sequence[str]]:
        """Return the metrics."""
        names = {*self.measures.metric, *(CLASSES if self.measures.threshold else ())}
        return {"lexbeam.transforms.evaluation.metrics:METRICS": sorted(names)}


def _written(artefact: Artefact, table: Table, rows: pa.Table) -> PartFile:
    ordered, suffix = sort_rows(rows, table.key), f"-{table.name.partition('/')[2]}"
    return write_part(artefact, table.schema(), [ordered], sort_keys=table.key, suffix=suffix)


def _like(cases: Sequence[CaseDone], way: str, without: str = "", share: float = 1.0) -> list[CaseDone]:
    return [done for done in cases if (done.case.way, done.case.without, done.case.share) == (way, without, share)]


def _held(cases: Sequence[CaseDone], rows: DesignRows) -> _Held:
    """Return the predictions of several cases, each of other rows, in the order of rows."""
    ordered = sorted(cases, key=_unfitted_last)
    tables = [read_table([checked(done.said.predictions)]) for done in ordered]
    table = pa.concat_tables(tables).sort_by("instance_id").combine_chunks()
    places = np.searchsorted(rows.ids.astype(str), table["instance_id"].to_pylist())
    names = ordered[0].said.permuted
    permuted = np.array(table["permuted"].to_pylist(), np.float64).reshape(len(places), len(names))
    seen = np.array(table["seen"].fill_null(False).to_pylist(), bool)
    return _Held(places.astype(np.int64), table["fold"], table["prediction"].to_numpy(), seen, permuted, names)


def _unfitted_last(done: CaseDone) -> tuple[bool, CaseDone]:
    """Return by what cases are ordered: those that predict nothing name no features that were permuted."""
    return not done.said.rows, done


def _metric_rows(
    system: str, title: str, held: _Held, rows: DesignRows, options: ScorerMeasureOptions
) -> Iterator[dict[str, object]]:
    predicted = rows.at(held.places)
    for name, which in subsets_of(predicted, title, held.seen):
        yield from measured_rows(
            system, name, predicted.labels[which], held.predictions[which], predicted.groups[which].tolist(), options
        )


def _prediction_rows(system: str, held: _Held, rows: DesignRows) -> pa.Table:
    predicted = rows.at(held.places)
    labels = pa.array(predicted.labels, mask=np.isnan(predicted.labels))
    columns = [
        pa.array(predicted.ids.tolist(), pa.string()),
        pa.array([system] * len(predicted.ids), pa.string()),
        pa.array(predicted.kinds.tolist(), pa.string()),
        held.folds,
        pa.array(held.predictions),
        labels,
        pa.array(predicted.source_ids.tolist(), pa.string()),
    ]
    return pa.table(columns, schema=PREDICTIONS.schema())


def _pearson(gold: Floats, predicted: Floats) -> tuple[float | None, int]:
    known = ~np.isnan(gold)
    ids = [""] * int(known.sum())
    measured = measure("pearson", (gold[known], predicted[known]), clusters=ids, options=BootstrapOptions(resamples=0))
    return measured.value, measured.n


def _permutations(system: str, kind: str, held: _Held, rows: DesignRows) -> Iterator[dict[str, object]]:
    gold = rows.labels[held.places]
    whole, n = _pearson(gold, held.predictions)
    for place, name in enumerate(held.names):
        changed, _ = _pearson(gold, held.permuted[:, place])
        what = "group" if name.startswith(GROUP_PREFIX) else "feature"
        yield _drop(system, kind, "permutation", what, name.removeprefix(GROUP_PREFIX), whole, changed, n)


def _ablations(
    system: str, kind: str, cases: Sequence[CaseDone], way: str, held: _Held, rows: DesignRows
) -> Iterator[dict[str, object]]:
    whole, n = _pearson(rows.labels[held.places], held.predictions)
    for group in sorted({done.case.without for done in cases} - {""}):
        less = _held(_like(cases, way, without=group), rows)
        changed, _ = _pearson(rows.labels[less.places], less.predictions)
        yield _drop(system, kind, "ablation", "group", group, whole, changed, n)


def _drop(
    system: str, kind: str, measure: str, what: str, of: str, whole: float | None, changed: float | None, n: int
) -> dict[str, object]:
    # Constant predictions say nothing: their correlation counts as 0.
    value = None if whole is None else whole - (changed or 0.0)
    return {"scorer": system, "kind": kind, "measure": measure, "what": what, "of": of, "value": value, "n": n}


def _curve(
    system: str, kind: str, cases: Sequence[CaseDone], way: str, rows: DesignRows
) -> Iterator[dict[str, object]]:
    shares = sorted({done.case.share for done in cases})
    for share in shares if len(shares) > 1 else ():
        of_share = _like(cases, way, share=share)
        held = _held(of_share, rows)
        value, n = _pearson(rows.labels[held.places], held.predictions)
        trained = sum(done.said.trained for done in of_share) / len(of_share)
        yield {"scorer": system, "kind": kind, "share": share, "trained": trained, "pearson": value, "n": n}


def merged(several: Sequence[Iterable[pa.Table]], keys: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the rows of several tables in one order.

    Args:
        several: each the row groups of a table that is sorted by the first key.
        keys: columns that the rows are sorted by; the first is a text without nulls.
    """
    groups = [iter(rows) for rows in several]
    held = [next(group, None) for group in groups]
    while any(rows is not None for rows in held):
        for place, rows in enumerate(held):
            while rows is not None and not rows.num_rows:
                rows = held[place] = next(groups[place], None)
        there = [rows for rows in held if rows is not None]
        if not there:
            return
        # What comes later of any table is not below the last row that is held of it.
        border = min(rows[keys[0]][-1].as_py() for rows in there)
        taken = []
        for place, rows in enumerate(held):
            if rows is not None:
                count = pc.sum(pc.less_equal(rows[keys[0]], border)).as_py()
                taken.append(rows.slice(0, count))
                held[place] = rows.slice(count)
        yield sort_rows(pa.concat_tables(taken), keys)


@dataclass(frozen=True)
class PoolPredictions(Step[tuple[PartFile, ...], PartFile]):
    """Make one table of the predictions of all systems, in the order of instances."""

    name = "complexity/pool"
    noun = unit = "tables"

    def make(self, artefact: Artefact, task: tuple[PartFile, ...]) -> PartFile:
        """Write the table."""
        rows = merged([read_rows([checked(part.file)]) for part in task], PREDICTIONS.key)
        return write_part(artefact, PREDICTIONS.schema(), rows, sort_keys=PREDICTIONS.key)
