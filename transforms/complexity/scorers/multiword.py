"""How expressions are scored: which rows a scorer is trained on, and which predictions are averaged."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.complexity.scorers.design import DesignRows, FeatureMatrix, matrix_of
from lexbeam.transforms.learning.scorer import ScorerTraining


@dataclass(frozen=True)
class Mode(Entry):
    """What is trained on, and predicted, in which layouts (`design.LAYOUTS`).

    Where both kinds are trained on, the column `is_single` tells them apart.

    Attributes:
        singles: layouts in which labelled single words are training rows.
        expressions: layouts in which labelled expressions are.
        predicts: the layouts whose predictions are averaged.
    """

    singles: tuple[str, ...]
    expressions: tuple[str, ...]
    predicts: tuple[str, ...]

    @property
    def both(self) -> bool:
        """Whether both kinds are trained on."""
        return bool(self.singles and self.expressions)


# Single words are scored apart.
SINGLE = Mode(("whole",), (), ("whole",), doc="single words alone")
MODES: Registry[Mode] = Registry(
    {
        "own": Mode(
            (), ("all",), ("all",), doc="trained on expressions alone, by the columns of the whole and both parts"
        ),
        "average": Mode(
            ("whole",), (), ("first", "last"), doc="the mean of what the scorer of single words says of both parts"
        ),
        "double": Mode((), ("first", "last"), ("first", "last"), doc="trained on expressions, a row for each part"),
        "pooled": Mode(
            ("all",), ("all",), ("all",), doc="trained on both kinds, a single word as its own first and last part"
        ),
        "words": Mode(
            ("whole",),
            ("first", "last"),
            ("first", "last"),
            doc="trained on words: single words and both parts of expressions, a row each",
        ),
    },
    what="mode of `mwe`",
)


def training_of(rows: DesignRows, mode: Mode, genres: Sequence[str], without: str = "") -> tuple[ScorerTraining, int]:
    """Return what a scorer learns from, and the number of its instances.

    Args:
        rows: labelled instances of both kinds.
        mode: how expressions are scored.
        genres: the genres among them.
        without: a group of columns that is left out.
    """
    single = rows.kinds == "single"
    matrices: list[tuple[FeatureMatrix, DesignRows]] = []
    for layouts, of_kind in ((mode.singles, rows.at(single)), (mode.expressions, rows.at(~single))):
        matrices += [(matrix_of(of_kind, layout, genres, without, kinds=mode.both), of_kind) for layout in layouts]
    training = ScorerTraining(
        values=np.concatenate([matrix.values for matrix, _ in matrices]),
        names=matrices[0][0].names,
        labels=np.concatenate([of_kind.labels for _, of_kind in matrices]),
        groups=[group for _, of_kind in matrices for group in of_kind.groups.tolist()],
        vectors=matrices[0][0].vectors,
    )
    used = single.sum() * bool(mode.singles) + (~single).sum() * bool(mode.expressions)
    return training, int(used)


def matrices_of(rows: DesignRows, mode: Mode, genres: Sequence[str], without: str = "") -> list[FeatureMatrix]:
    """Return the matrices of rows of one kind whose predictions are averaged."""
    return [matrix_of(rows, layout, genres, without, kinds=mode.both) for layout in mode.predicts]


def mean_of(predictions: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Return the mean of several predictions of the same rows."""
    return np.asarray(sum(predictions) / len(predictions), np.float64)
