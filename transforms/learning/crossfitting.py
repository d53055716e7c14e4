"""Cross-fitting: a model is fitted to some of what has labels, and asked what it has not seen.

    Sides         which rows a model is fitted to, and which it is asked: by folds of groups, a split, what a task says
    FitModel      a step: a task to a model that is kept among artefacts, with figures of how it went
    PredictRows   a step: a task with a model to what it says
    KeptModel     a model of a folder, for the same step: new rows are asked of what was fitted before

Who learns derives both steps (docs/inside/recipes.md), and says what is its own: rows with features and labels, which
of them are held out, the estimator, its options. `ptransforms.CrossFit` is the graph. A fold hangs on groups and seed
alone (`common/draws/folds.py`), so that the two steps, and every run, hold out the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.draws.by_content import Keys
from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.identity import Place
from lexbeam.transforms.learning.models.formats import REGISTRY as FORMATS
from lexbeam.transforms.learning.models.keeping import SavedModel, load_model, save_model
from lexbeam.transforms.learning.models.model import Model

T = TypeVar("T")
R = TypeVar("R")

Bools = npt.NDArray[np.bool_]


class Sides(NamedTuple):
    """Which rows a model is fitted to, and which it is asked; masks, of which no row is in both."""

    fitted: Bools
    asked: Bools


def sides_of_fold(groups: Keys, folds: int, fold: int, *, seed: int, label: str = "fold") -> Sides:
    """Return the sides of a fold, of which all groups are asked; the others are fitted to.

    Args:
        groups: of the rows: no group is on both sides.
        folds: how many there are.
        fold: which one, from 0.
        seed: of the folds.
        label: of the draw.
    """
    asked = np.asarray(fold_of(groups, folds, seed=seed, label=label) == fold)
    return Sides(~asked, asked)


def sides_of_folds(groups: Keys, folds: int, *, seed: int, label: str) -> Iterator[Sides]:
    """Yield the sides of one fold after the other, but for those that leave nothing to fit to, or nothing to ask."""
    fold = fold_of(groups, folds, seed=seed, label=label)
    for number in range(folds):
        asked = np.asarray(fold == number)
        if asked.any() and not asked.all():
            yield Sides(~asked, asked)


@dataclass(frozen=True, kw_only=True)
class Figures:
    """How fitting went.

    Attributes:
        rows: how many rows were fitted to.
        held_out: rows that decided when to stop.
        further: further rows that there were to draw from.
        losses: of each epoch, or of the end, the mean loss on rows that were not fitted to.
        best: the epoch whose weights were kept, from 0; -1: there was none.
        left_out: rows that were not fitted to, by reason.
    """

    rows: int
    held_out: int = 0
    further: int = 0
    losses: tuple[float, ...] = ()
    best: int = -1
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class FittedModel:
    """Receipt of a fit; a model of None: there was nothing to fit, or nothing to ask."""

    model: SavedModel | None
    figures: Figures


class FitModel(Step[T, FittedModel], Generic[T]):
    """Fit a model to what a task does not hold out, and keep it."""

    blas = True

    def make(self, artefact: Artefact, task: T) -> FittedModel:
        """Fit on one thread; write the model."""
        with one_thread():
            model, figures = self.fit(task)
        return FittedModel(None if model is None else save_model(artefact, model), figures)

    def fit(self, task: T) -> tuple[Model | None, Figures]:
        """Return what is fitted."""
        raise NotImplementedError


@dataclass(frozen=True)
class KeptModel:
    """A model of a folder that a run uses: the folder, and the digest that it had when the run began."""

    folder: Place
    digest: str

    def load(self) -> Model:
        """Return the model.

        Raises:
            LexbeamError: it has changed, or is damaged.
        """
        model = load_model(self.folder)
        if model.digest != self.digest:
            raise LexbeamError(f"the model {self.folder} changed while it was used: run the same command again")
        return model


class Asked(NamedTuple, Generic[T]):
    """What a model is asked, and the model; None: there is none, or none is needed."""

    task: T
    model: SavedModel | KeptModel | None


class PredictRows(Step[Asked[T], R], Generic[T, R]):
    """Let a model predict what a task asks: what it was not fitted to, or new rows."""

    blas = True

    def make(self, artefact: Artefact, task: Asked[T]) -> R:
        """Load the model, checked; ask it on one thread."""
        model = task.model
        loaded = None if model is None else model.load() if isinstance(model, KeptModel) else load_model(model)
        with one_thread():
            return self.predict(artefact, task.task, loaded)

    def predict(self, artefact: Artefact, task: T, model: Model | None) -> R:
        """Write what the model says."""
        raise NotImplementedError


def formats_chosen(*formats: str) -> dict[str, tuple[str, ...]]:
    """Return the formats of models that count for a step."""
    return {FORMATS: formats}
