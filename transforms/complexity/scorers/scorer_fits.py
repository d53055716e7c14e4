"""The steps that fit scorers and ask them: `complexity/design`, `complexity/fit` and `complexity/predict`, for each
case.

A case gives predictions of its instances, and says whether it was trained on their targets (null for
a saved model); with `importance` also predictions after the values of a feature were permuted among
the instances.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.draws.by_content import numbers
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_table, write_part
from lexbeam.transforms.complexity.scorers.design import (
    GENRE,
    DesignRows,
    FeatureMatrix,
    joined_rows,
    matrices_of,
    rows_of,
    training_of,
)
from lexbeam.transforms.complexity.scorers.holding_out import (
    ALL,
    FOLDS,
    SAVED,
    SPLIT,
    Case,
    DesignFacts,
    HoldOptions,
    cases_of,
    facts_of,
    mode_of,
    sides_of,
)
from lexbeam.transforms.complexity.scorers.scorer_models import (
    CASE_FORMAT,
    FORMAT,
    OpenedScorer,
    checked_predictions,
    kinds_of,
    predictions,
    saved_model,
)
from lexbeam.transforms.learning.crossfitting import Asked, Figures, FitModel, PredictRows, Sides, formats_chosen
from lexbeam.transforms.learning.fitting import fit_scorer
from lexbeam.transforms.learning.models.model import Model
from lexbeam.transforms.learning.scorer import Fitted, ScorerOptions
from lexbeam.transforms.learning.scorers import SCORERS, used_options

Floats = npt.NDArray[np.float64]

REGISTRY = "lexbeam.transforms.learning.scorers:SCORERS"
_MODES = "lexbeam.transforms.complexity.scorers.design:MODES"
FOLDER, OTHER = 0, 1  # places of folders
GROUP_PREFIX = "group:"
PREDICTED = pa.schema(
    [
        ("instance_id", pa.string()),
        ("fold", pa.int32()),
        ("prediction", pa.float64()),
        ("seen", pa.bool_()),
        ("permuted", pa.list_(pa.float64())),
    ]
)
_TOKENS = ["instance_id", "token", "source_id", "published_split"]
_LABELS = ["instance_id", "group", "complexity"]
_SPLITS = ["instance_id", "split"]


class DesignTask(NamedTuple):
    """The tables of a folder."""

    features: tuple[Part, ...]
    instances: tuple[Part, ...]
    labels: tuple[Part, ...] | None
    splits: tuple[Part, ...] | None


@dataclass(frozen=True)
class Designed:
    """Receipt of a design: its table, see `joined_rows`, and the facts of its rows."""

    part: PartFile
    facts: DesignFacts


@dataclass(frozen=True)
class DesignFolder(Step[DesignTask, Designed]):
    """Join features, labels and splits of a folder."""

    name, noun, unit = "complexity/design", "models", "folders"

    def make(self, artefact: Artefact, task: DesignTask) -> Designed:
        """Write the table of a design."""

        def read(parts: Sequence[Part], columns: list[str] | None = None) -> pa.Table:
            return read_table([checked(part) for part in parts], columns)

        table = joined_rows(
            read(task.features),
            read(task.instances, _TOKENS),
            None if task.labels is None else read(task.labels, _LABELS),
            None if task.splits is None else read(task.splits, _SPLITS),
        )
        part = write_part(artefact, table.schema, [table], sort_keys=("instance_id",))
        return Designed(part, facts_of(rows_of(table)))


class HeldCase(NamedTuple):
    """A case, and what decides which instances it holds out.

    Attributes:
        case: the case.
        design: of the folder.
        other: design of another folder, which is predicted.
        hold: how many folds there are, and on which splits is trained; all else is of other cases.
        seed: of folds, shares and permutations; 0 where nothing of them is drawn.
    """

    case: Case
    design: File
    other: File | None = None
    hold: HoldOptions = HoldOptions()
    seed: int = 0


class FitTask(NamedTuple):
    """A case to be fitted, with the options that its scorer uses."""

    held: HeldCase
    options: ScorerOptions


class PredictCaseTask(NamedTuple):
    """A case whose model is asked, and the scorers that its model consists of."""

    held: HeldCase
    scorers: tuple[str, ...]


@dataclass(frozen=True)
class PredictedCase:
    """Receipt of a case.

    Attributes:
        predictions: the file, with schema `PREDICTED`.
        rows: of it.
        permuted: which columns and groups the lists in its last column are for.
        trained: instances that it was trained on.
    """

    predictions: File
    rows: int
    permuted: tuple[str, ...]
    trained: int


def chosen_of(scorers: Sequence[str], modes: Sequence[str], options: ScorerOptions) -> Mapping[str, Sequence[str]]:
    """Return the entries of registries that scorers need; the mode of single words is empty."""
    return {REGISTRY: sorted({*with_members(scorers, options)}), _MODES: sorted({*modes} - {""})}


def with_members(scorers: Sequence[str], options: ScorerOptions) -> tuple[str, ...]:
    """Return scorers, and those that a stack among them combines."""
    return (*scorers, *options.members) if "stack" in scorers else tuple(scorers)


@dataclass(frozen=True)
class FitCase(FitModel[FitTask]):
    """Fit a scorer to what its case is trained on."""

    name = "complexity/fit"
    noun = unit = "models"

    def fit(self, task: FitTask) -> tuple[Model | None, Figures]:
        """Return the model of a case; None of too few instances, or where a split has none."""
        held, case = task.held, task.held.case
        rows = _opened(held.design)
        train, asked = _sides(held, rows)
        if not train.any() or (case.way == SPLIT and not asked.any()):
            return None, Figures(rows=0)
        trained_on = rows.at(train)
        genres = sorted(set(trained_on.genres.tolist()) - {""})
        training = training_of(trained_on, mode_of(case), genres, case.without)
        fitted = fit_scorer(SCORERS[case.scorer], training, task.options)
        model = saved_model(case, rows.columns, genres, fitted, task.options, held.design.sha256)
        return model, Figures(rows=int(train.sum()))

    def chosen(self, task: FitTask) -> Mapping[str, Sequence[str]]:
        """Return the scorer, its members, the mode."""
        case = task.held.case
        return {**chosen_of([case.scorer], [case.mode], task.options), **formats_chosen(CASE_FORMAT)}


@dataclass(frozen=True)
class PredictCase(PredictRows[PredictCaseTask, PredictedCase]):
    """Let the model of a case predict its instances."""

    name = "complexity/predict"
    noun = unit = "models"

    def predict(self, artefact: Artefact, task: PredictCaseTask, model: Model | None) -> PredictedCase:
        """Write the predictions, table `PREDICTED`."""
        held, case = task.held, task.held.case
        if model is None:
            part = write_part(artefact, PREDICTED, [], sort_keys=("instance_id",))
            return PredictedCase(part.file, 0, (), 0)
        kind, rows = kinds_of(model)[case.kind], _opened(held.design)
        trained, fold, seen = 0, None, None
        if case.way == SAVED:
            target = rows.at(rows.kinds == case.kind)
        else:
            train, asked = _sides(held, rows)
            trained, fold = int(train.sum()), int(case.held) if case.way in FOLDS else None
            other = None if held.other is None else _opened(held.other)
            target = rows.at(asked) if other is None else other.at(other.kinds == case.kind)
            seen = np.isin(target.groups.astype(str), rows.groups[train].astype(str))
        matrices = matrices_of(target, mode_of(case), kind.genres, case.without)
        if case.way == SAVED:
            predicted = checked_predictions(case.scorer, kind.fitted, matrices, model.place)
        else:
            predicted = predictions(case.scorer, kind.fitted, matrices)
        names, permuted = _permuted(held, kind.fitted, matrices, predicted, target)
        table = pa.table(
            [
                pa.array(target.ids.tolist(), pa.string()),
                pa.array([fold] * len(target.ids), pa.int32()),
                pa.array(predicted),
                pa.nulls(len(target.ids), pa.bool_()) if seen is None else seen,
                pa.array(permuted, pa.list_(pa.float64())),
            ],
            schema=PREDICTED,
        )
        part = write_part(artefact, PREDICTED, [table], sort_keys=("instance_id",))
        return PredictedCase(part.file, part.rows, tuple(names), trained)

    def chosen(self, task: Asked[PredictCaseTask]) -> Mapping[str, Sequence[str]]:
        """Return the scorers and the mode."""
        case = task.task.held.case
        format = FORMAT if case.way == SAVED else CASE_FORMAT
        return {REGISTRY: task.task.scorers, _MODES: sorted({case.mode} - {""}), **formats_chosen(format)}


def _opened(design: File) -> DesignRows:
    return rows_of(read_table([checked(design)]))


def _sides(held: HeldCase, rows: DesignRows) -> Sides:
    other = None if held.other is None else _opened(held.other)
    return sides_of(rows, held.case, held.hold, held.seed, other)


def _permuted(
    held: HeldCase, fitted: Fitted, matrices: Sequence[FeatureMatrix], predicted: Floats, target: DesignRows
) -> tuple[list[str], list[list[float]]]:
    """Return predictions after one column (a vector as a whole), or one group, was permuted among the rows.

    Breiman (2001), with one permutation, drawn by the ids of instances and the column's name.
    """
    if not held.hold.importance:
        return [], [[]] * len(predicted)
    first = matrices[0]
    groups = sorted({group for group in first.groups if group})
    columns: dict[str, list[int]] = {}
    for at, name in enumerate(first.names):
        if first.groups[at] not in ("", GENRE):
            columns.setdefault(first.vectors[at] or name, []).append(at)
    wanted = [
        *columns.items(),
        *(
            (f"{GROUP_PREFIX}{group}", [at for at, column_group in enumerate(first.groups) if column_group == group])
            for group in groups
        ),
    ]
    permuted = []
    ids = target.ids.tolist()
    for name, places in wanted:
        if all(_constant(matrix.values[:, places]) for matrix in matrices):
            permuted.append(predicted)
            continue
        order = np.argsort(numbers(ids, seed=held.seed, label=f"permute {name}"))
        changed = []
        for matrix in matrices:
            values = matrix.values.copy()
            values[:, places] = values[order][:, places]
            changed.append(matrix._replace(values=values))
        permuted.append(predictions(held.case.scorer, fitted, changed))
    return [name for name, _ in wanted], np.column_stack(permuted).tolist()


def _constant(values: Floats) -> bool:
    return bool(len(values) == 0 or np.array_equal(values, np.repeat(values[:1], len(values), 0), equal_nan=True))


class CaseScoring(NamedTuple):
    """What a run fits and asks.

    Attributes:
        hold: what is held out.
        options: of scorers.
        keep: whether a model of all instances is saved.
        model: a saved model to use instead of fitting.
    """

    hold: HoldOptions
    options: ScorerOptions
    keep: bool
    model: OpenedScorer | None


def fit_tasks(scorer: str, designs: Mapping[int, Designed], scoring: CaseScoring) -> Iterator[tuple[Case, FitTask]]:
    """Yield a task for each model of a scorer, keyed by its case."""
    design, hold, options = designs[FOLDER], scoring.hold, scoring.options
    other = designs[OTHER].part.file if OTHER in designs else None
    used = used_options(scorer, options)
    for case in cases_of(design.facts, [scorer], hold, other=other is not None, keep=scoring.keep):
        drawn = case.way in FOLDS or case.share < 1
        folds = hold.folds if case.way in FOLDS else HoldOptions().folds
        held = HeldCase(
            case,
            design.part.file,
            other,
            HoldOptions(train_on=hold.train_on, folds=folds),
            options.seed if drawn else 0,
        )
        # The record of a saved model names the seed, whether or not the scorer uses it.
        yield case, FitTask(held, replace(used, seed=options.seed) if case.way == ALL else used)


def predict_task(task: FitTask, importance: bool) -> PredictCaseTask:
    """Return what the model of a case is asked; importance is measured on folds of all that is known."""
    held, case = task.held, task.held.case
    if importance and not case.without and case.share == 1 and case.way in FOLDS:
        held = held._replace(hold=replace(held.hold, importance=True))
    return PredictCaseTask(held, with_members([case.scorer], task.options))


def kept_tasks(
    scorer: str, designs: Mapping[int, Designed], scoring: CaseScoring
) -> Iterator[tuple[Case, Asked[PredictCaseTask]]]:
    """Yield what a saved model is asked, by kind of instances."""
    design, model = designs[FOLDER], scoring.model
    assert model is not None
    for kind in (kind for kind in design.facts.kinds if kind in model.modes):
        case = Case(scorer, kind, model.modes[kind], SAVED, "")
        task = PredictCaseTask(HeldCase(case, design.part.file), with_members([scorer], scoring.options))
        yield case, Asked(task, model)


def fit_weight(task: FitTask) -> float:
    """Return about how much work a task is, against a ridge regression."""
    case = task.held.case
    return SCORERS[case.scorer].cost * (5.0 if mode_of(case).singles else 1.0)
