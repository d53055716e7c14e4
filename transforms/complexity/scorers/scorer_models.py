"""Scorers saved as models: one model of single words, of expressions, or of both.

The folder is as in docs/reference/models.md, of format safetensors: the arrays of each kind are called
`KIND/NAME`. So loading executes nothing, whatever the scorer is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.complexity.scorers.design import DesignColumn, FeatureMatrix, mean_of
from lexbeam.transforms.complexity.scorers.holding_out import Case
from lexbeam.transforms.learning.crossfitting import KeptModel
from lexbeam.transforms.learning.fitting import predict_scorer
from lexbeam.transforms.learning.models.formats import pack_texts, unpack_texts
from lexbeam.transforms.learning.models.keeping import SavedModel, keep_model, load_model
from lexbeam.transforms.learning.models.model import Model, ModelColumn
from lexbeam.transforms.learning.scorer import Fitted, ScorerOptions, clipped
from lexbeam.transforms.learning.scorers import SCORERS

KIND, TASK, FORMAT = "regressor", "complexity", "safetensors"
CASE_FORMAT = "npz"  # of models that a run fits and asks: it needs no package of its own
GENRES = "genres"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class OpenedScorer(KeptModel):
    """A saved model that a run uses, and what it is.

    Attributes:
        scorer: name of the scorer.
        modes: by kind, how expressions are scored; empty for single words.
    """

    scorer: str
    modes: Mapping[str, str]


class SavedScorer(NamedTuple):
    """What a run reports of a model that it saved: its digest."""

    digest: str


@dataclass(frozen=True)
class KindModel:
    """The model of a kind: the genres that it was trained on, and the arrays of the scorer."""

    genres: Sequence[str]
    fitted: Fitted


def saved_model(
    case: Case,
    columns: Sequence[DesignColumn],
    genres: Sequence[str],
    fitted: Fitted,
    options: ScorerOptions,
    data: str,
) -> Model:
    """Return the model of a case; `merged` makes one of several.

    Args:
        case: scorer, kind and mode.
        columns: of the features that it was trained on, all of them, in order.
        genres: those that it was trained on.
        fitted: what was fitted.
        options: of scorers; those that this one uses are recorded.
        data: digest of the training data.
    """
    values = asdict(options)
    used = {name: values[name] for name in ("components", "fits", *SCORERS[case.scorer].uses)}
    return Model(
        kind=KIND,
        task=TASK,
        format=CASE_FORMAT,
        content={
            f"{case.kind}/{GENRES}": pack_texts(list(genres)),
            **{f"{case.kind}/{name}": array for name, array in fitted.items()},
        },
        features=tuple(dict.fromkeys(ModelColumn(column.vector or column.name, column.dtype) for column in columns)),
        options={"scorer": case.scorer, "modes": {case.kind: case.mode}, **used},
        seed=options.seed,
        data=data,
    )


def merged(models: Sequence[Model]) -> Model:
    """Return one model made of models of several kinds, of one scorer and one training set."""
    ordered = sorted(models, key=_kinds_of)
    content: Fitted = {}
    modes: dict[str, str] = {}
    for model in ordered:
        content.update(model.content)
        modes.update(model.options["modes"])
    first = ordered[0]
    return Model(
        kind=KIND,
        task=TASK,
        format=FORMAT,
        content=content,
        features=first.features,
        options={**first.options, "modes": modes},
        seed=first.seed,
        data=digest(sorted({model.data for model in ordered})),
        made_with=("lightgbm", "scikit-learn", "scipy"),
    )


def _kinds_of(model: Model) -> list[str]:
    return sorted(model.options["modes"])


def opened(folder: str, columns: Sequence[DesignColumn]) -> OpenedScorer:
    """Return what a saved model is, checked against the features that it is to read.

    Raises:
        LexbeamError: there is no model, or it is damaged, of another task, or of other columns.
    """
    model = load_model(folder)
    features = [(column.name, column.dtype) for column in columns]
    model.check(kind=KIND, task=TASK, features=features)
    scorer, modes = model.options.get("scorer"), model.options.get("modes")
    if scorer not in SCORERS or not isinstance(modes, dict):
        raise LexbeamError(
            f"the model {folder} is of scorer {scorer!r}, which is not known here: give one that "
            "`lexbeam complexity score` kept with `save`"
        )
    return OpenedScorer(folder, model.digest, str(scorer), {str(k): str(v) for k, v in modes.items()})


def kinds_of(model: Model) -> dict[str, KindModel]:
    """Return the model of each kind.

    Raises:
        LexbeamError: it lacks one.
    """
    kinds = {}
    for kind in model.options["modes"]:
        arrays = {
            name.removeprefix(f"{kind}/"): array for name, array in model.content.items() if name.startswith(f"{kind}/")
        }
        if GENRES not in arrays:
            raise LexbeamError(f"the model {model.place} has nothing of kind {kind}: train it anew")
        kinds[kind] = KindModel(unpack_texts(arrays.pop(GENRES)), arrays)
    return kinds


def kept_scorer(folder: str, models: Iterable[SavedModel | None], overwrite: bool) -> Iterator[SavedScorer]:
    """Keep the models of all labelled instances, of each kind, as one in a folder; there is none of no instance."""
    found = [load_model(model) for model in models if model is not None]
    if found:
        yield SavedScorer(keep_model(folder, merged(found), overwrite=overwrite))


def checked_predictions(scorer: str, fitted: Fitted, matrices: Sequence[FeatureMatrix], folder: str) -> Floats:
    """Return predictions of a model that comes from elsewhere, checked.

    Raises:
        LexbeamError: its arrays are not those of its scorer.
    """
    why = "a prediction is no number"
    try:
        predicted = predictions(scorer, fitted, matrices)
        if np.isfinite(predicted).all():
            return predicted
    except (KeyError, ValueError, IndexError, TypeError) as error:
        why = str(error)
    raise LexbeamError(
        f"the model {folder} does not hold what scorer {scorer} does ({why}): take it "
        "from where it was made, or train it anew"
    )


def predictions(scorer: str, fitted: Fitted, matrices: Sequence[FeatureMatrix]) -> Floats:
    """Return the complexity of rows, 0 to 1: the mean over matrices of the same rows."""
    if not len(matrices[0].values):
        return np.zeros(0)
    return clipped(mean_of([predict_scorer(SCORERS[scorer], fitted, matrix.values) for matrix in matrices]))
