"""A scorer fitted as options say: its vectors projected, and several fits averaged."""

from dataclasses import replace

import numpy as np

from lexbeam.transforms.learning.projection import fit_projected, predict_projected
from lexbeam.transforms.learning.scorer import Fitted, Floats, Scorer, ScorerOptions, ScorerTraining

_FITS = "fits"


def fit_scorer(scorer: Scorer, training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Return the arrays of a scorer, of `fits` fits with seeds of their own if its seed decides anything.

    Args:
        scorer: the scorer; those that a stack combines are fitted once in each of its fits.
        training: rows with raw components of vectors.
        options: of the scorer.
    """
    if options.fits == 1 or "seed" not in scorer.uses:
        return fit_projected(scorer, training, options)
    arrays: Fitted = {_FITS: np.array(options.fits)}
    for number in range(options.fits):
        once = fit_projected(scorer, training, replace(options, seed=options.seed + number, fits=1))
        arrays |= {f"{_FITS}{number}/{name}": array for name, array in once.items()}
    return arrays


def predict_scorer(scorer: Scorer, fitted: Fitted, values: Floats) -> Floats:
    """Return a number for each row, from the arrays of `fit_scorer`: the mean over fits."""
    if _FITS not in fitted:
        return predict_projected(scorer, fitted, values)
    total, fits = np.zeros(len(values)), int(fitted[_FITS])
    for number in range(fits):
        begin = f"{_FITS}{number}/"
        once = {name.removeprefix(begin): array for name, array in fitted.items() if name.startswith(begin)}
        total += predict_projected(scorer, once, values)
    return total / fits
