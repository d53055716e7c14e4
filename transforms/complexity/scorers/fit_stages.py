"""The stages that fit scorers: `complexity/design`, and `complexity/fit`, an artefact for a case.

A case gives predictions of its instances, and says whether it was trained on their targets (null for
a saved model); with `importance` also predictions after the values of a feature were permuted among
the instances.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.draws.by_content import numbers
from lexbeam.transforms.common.options.fields import embedded
from lexbeam.transforms.common.store.artefacts import Artefact, Stage, Unless
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.sound import checked
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
    first_of,
    mode_of,
    sides_of,
)
from lexbeam.transforms.complexity.scorers.scorer_models import (
    OpenedScorer,
    checked_predictions,
    load_kinds,
    predictions,
    saved_model,
)
from lexbeam.transforms.learning.fitting import fit_scorer
from lexbeam.transforms.learning.models.formats import REGISTRY as FORMATS
from lexbeam.transforms.learning.models.keeping import SavedModel, save_model
from lexbeam.transforms.learning.scorer import Fitted, ScorerOptions
from lexbeam.transforms.learning.scorers import SCORERS

Floats = npt.NDArray[np.float64]

REGISTRY = "lexbeam.transforms.learning.scorers:SCORERS"
_MODES = "lexbeam.transforms.complexity.scorers.design:MODES"
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


def _digests(parts: Sequence[Part] | None) -> list[str] | None:
    return None if parts is None else [part.sha256 for part in parts]


def _design(artefact: Artefact, task: DesignTask, _: None) -> Designed:
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


class FitTask(NamedTuple):
    """A case, its design, the design of another folder to predict, and a saved model to use."""

    case: Case
    design: File
    other: File | None = None
    model: OpenedScorer | None = None


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """Options of fitting."""

    scorer: ScorerOptions = embedded(ScorerOptions)
    hold: HoldOptions = embedded(HoldOptions)
    keep: bool = False


@dataclass(frozen=True)
class FittedCase:
    """Receipt of a case.

    Attributes:
        predictions: the file, with schema `PREDICTED`.
        rows: of it.
        permuted: which columns and groups the lists in its last column are for.
        trained: instances that it was trained on.
        model: the model, if it is saved.
    """

    predictions: File
    rows: int
    permuted: tuple[str, ...]
    trained: int
    model: SavedModel | None


def chosen_of(scorers: Sequence[str], modes: Sequence[str], options: ScorerOptions) -> Mapping[str, Sequence[str]]:
    """Return the entries of registries that scorers need; the mode of single words is empty."""
    names = set(scorers)
    if "stack" in names:
        names.update(options.members)
    return {REGISTRY: sorted(names), _MODES: sorted({*modes} - {""})}


def _chosen(task: FitTask, options: FitOptions) -> Mapping[str, Sequence[str]]:
    keeps = options.keep and task.case.way == ALL
    return {**chosen_of([task.case.scorer], [task.case.mode], options.scorer), **({} if keeps else {FORMATS: ()})}


def _uses(name: str, task: FitTask, options: FitOptions) -> bool:
    """Return whether an option of scorers counts: the case's scorer uses it, or no scorer claims it."""
    users = {scorer for scorer, entry in SCORERS.items() if name in entry.uses}
    return not users or task.case.scorer in users


def _draws(task: FitTask, options: FitOptions) -> bool:
    case = task.case
    # The record of a saved model names the seed, whether or not the scorer uses it.
    saved = options.keep and case.way == ALL
    return saved or case.way in FOLDS or case.share < 1 or _uses("seed", task, options)


def _has_folds(task: FitTask, _: FitOptions) -> bool:
    return task.case.way in FOLDS


def _is_of_all(task: FitTask, _: FitOptions) -> bool:
    return task.case.way == ALL


_UNUSED: dict[str, str | Unless] = {
    **{
        f"options.scorer.{scorer_option.name}": Unless("other scorers use it", used=partial(_uses, scorer_option.name))
        for scorer_option in fields(ScorerOptions)
    },
    "options.scorer.seed": Unless("nothing is drawn", used=_draws),
    "options.hold.folds": Unless("nothing is held out by folds", used=_has_folds),
    "options.hold.importance": Unless("it is measured on folds alone", used=_has_folds),
    **dict.fromkeys(
        (f"options.hold.{name}" for name in ("mwe", "mwe_folds", "test", "leave_genre_out", "ablation", "curve")),
        "it decides which cases there are, and a case depends on no other case",
    ),
    "options.keep": Unless("only models trained on all instances are saved", used=_is_of_all),
}


def _fit(artefact: Artefact, task: FitTask, options: FitOptions) -> FittedCase:
    case = task.case
    rows = _open(task.design)
    model = None
    with one_thread():
        if task.model is not None:
            saved = load_kinds(task.model)[case.kind]
            genres, fitted, trained = saved.genres, saved.fitted, 0
            target, fold, seen = rows.at(rows.kinds == case.kind), None, None
        else:
            other = None if task.other is None else _open(task.other)
            train, held = sides_of(rows, case, options.hold, options.scorer.seed, other)
            if not train.any() or (case.way == SPLIT and not held.any()):
                part = write_part(artefact, PREDICTED, [], sort_keys=("instance_id",))
                return FittedCase(part.file, 0, (), 0, None)
            trained_on = rows.at(train)
            genres = sorted(set(trained_on.genres.tolist()) - {""})
            training, trained = training_of(trained_on, mode_of(case), genres, case.without)
            fitted = fit_scorer(SCORERS[case.scorer], training, options.scorer)
            target, fold = rows.at(held), int(case.held) if case.way in FOLDS else None
            if other is not None:
                target = other.at(other.kinds == case.kind)
            seen = np.isin(target.groups.astype(str), trained_on.groups.astype(str))
            if options.keep and case.way == ALL:
                to_save = saved_model(case, rows.columns, genres, fitted, options.scorer, task.design.sha256)
                model = save_model(artefact, to_save)
        matrices = matrices_of(target, mode_of(case), genres, case.without)
        predicted = checked_predictions(case.scorer, fitted, matrices, task.model)
        names, permuted = _permuted(case, fitted, matrices, predicted, target, options)
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
    return FittedCase(part.file, part.rows, tuple(names), trained, model)


def _open(design: File) -> DesignRows:
    return rows_of(read_table([checked(design)]))


def _permuted(
    case: Case,
    fitted: Fitted,
    matrices: Sequence[FeatureMatrix],
    predicted: Floats,
    target: DesignRows,
    options: FitOptions,
) -> tuple[list[str], list[list[float]] | None]:
    """Return predictions after one column (a vector as a whole), or one group, was permuted among the rows.

    Breiman (2001), with one permutation, drawn by the ids of instances and the column's name.
    """
    base = not case.without and case.share == 1 and case.way in FOLDS
    if not options.hold.importance or not base:
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
        order = np.argsort(numbers(ids, seed=options.scorer.seed, label=f"permute {name}"))
        changed = []
        for matrix in matrices:
            values = matrix.values.copy()
            values[:, places] = values[order][:, places]
            changed.append(matrix._replace(values=values))
        permuted.append(predictions(case.scorer, fitted, changed))
    return [name for name, _ in wanted], np.column_stack(permuted).tolist()


def _constant(values: Floats) -> bool:
    return bool(len(values) == 0 or np.array_equal(values, np.repeat(values[:1], len(values), 0), equal_nan=True))


DESIGN: Stage[DesignTask, None, Designed] = Stage(
    name="complexity/design", noun="models", receipt=Designed, build=_design, unit="folders"
)
FIT: Stage[FitTask, FitOptions, FittedCase] = Stage(
    name="complexity/fit",
    noun="models",
    receipt=FittedCase,
    build=_fit,
    unused=_UNUSED,
    chosen=_chosen,
    blas=True,
    unit="models",
)


FOLDER, OTHER = 0, 1  # places of folders


class FitRequest(NamedTuple):
    """What a run fits.

    Attributes:
        scorers: names.
        hold: what is held out.
        keep: whether a model of all instances is saved.
        model: a saved model to use instead of fitting.
    """

    scorers: tuple[str, ...]
    hold: HoldOptions
    keep: bool
    model: OpenedScorer | None

    @property
    def first(self) -> str:
        """The mode whose system has the scorer's plain name."""
        return first_of(self.hold) if self.model is None else self.model.modes.get("mwe", "")

    @property
    def modes(self) -> tuple[str, ...]:
        """How expressions are scored, every mode that a case may have."""
        return self.hold.mwe if self.model is None else tuple(self.model.modes.values())


def fit_tasks(request: FitRequest, designs: Mapping[int, Designed]) -> Iterator[tuple[tuple[int, Case], FitTask]]:
    """Yield a task for each model, keyed by a number and its case."""
    design = designs[FOLDER]
    other = designs[OTHER].part.file if OTHER in designs else None
    if request.model is not None:
        kinds = [kind for kind in design.facts.kinds if kind in request.model.modes]
        cases = [Case(request.model.scorer, kind, request.model.modes[kind], SAVED, "") for kind in kinds]
    else:
        facts = design.facts
        cases = list(cases_of(facts, request.scorers, request.hold, other=other is not None, keep=request.keep))
    for number, case in enumerate(cases):
        yield (number, case), FitTask(case, design.part.file, other, request.model)


def weight_of(element: tuple[tuple[int, Case], FitTask]) -> float:
    """Return about how much work a task is, against a ridge regression."""
    (_, case), _ = element
    return SCORERS[case.scorer].cost * (5.0 if mode_of(case).singles else 1.0)
