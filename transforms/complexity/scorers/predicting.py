"""What a fitted scorer says of instances, checked if its model comes from elsewhere."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.complexity.scorers.design import FeatureMatrix
from lexbeam.transforms.complexity.scorers.multiword import mean_of
from lexbeam.transforms.complexity.scorers.scorer_models import OpenedScorer
from lexbeam.transforms.learning.fitting import predict_scorer
from lexbeam.transforms.learning.scorer import Fitted, clipped
from lexbeam.transforms.learning.scorers import SCORERS

Floats = npt.NDArray[np.float64]


def checked_predictions(
    scorer: str, fitted: Fitted, matrices: Sequence[FeatureMatrix], model: OpenedScorer | None
) -> Floats:
    """Return predictions, checked if the model comes from elsewhere.

    Raises:
        LexbeamError: its arrays are not those of its scorer.
    """
    if model is None:
        return predictions(scorer, fitted, matrices)
    why = "a prediction is no number"
    try:
        predicted = predictions(scorer, fitted, matrices)
        if np.isfinite(predicted).all():
            return predicted
    except (KeyError, ValueError, IndexError, TypeError) as error:
        why = str(error)
    raise LexbeamError(
        f"the model {model.folder} does not hold what scorer {scorer} does ({why}): take it "
        "from where it was made, or train it anew"
    )


def predictions(scorer: str, fitted: Fitted, matrices: Sequence[FeatureMatrix]) -> Floats:
    """Return the complexity of rows, 0 to 1: the mean over matrices of the same rows."""
    if not len(matrices[0].values):
        return np.zeros(0)
    return clipped(mean_of([predict_scorer(SCORERS[scorer], fitted, matrix.values) for matrix in matrices]))
