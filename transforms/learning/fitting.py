"""A scorer fitted as options say: vectors projected by what its training rows say, and several fits averaged.

A vector of a target stands in training data as raw components. In front of every scorer they give way to two
kinds of columns:

- of each vector the directions in which it varies most among the training rows: its principal components
  (Pearson 1901; Hotelling 1933);
- one column of all vectors together: what ridge regression on their components predicts. A training row gets
  the prediction of inner folds, by group, in which no row of its group was fitted; else a scorer would trust this
  column more than it can be trusted with other rows (Wolpert 1992).

So what a scorer learns of vectors is fitted inside its fold, and inside the inner folds of a stack, and is saved
with it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import dots, product
from lexbeam.transforms.learning.crossfitting import sides_of_folds
from lexbeam.transforms.learning.scorer import Fitted, Floats, Scorer, ScorerOptions, ScorerTraining, fit_endable


def with_fixed_signs(components: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return components, (columns, components), with signs such that the greatest number of each is positive."""
    greatest = np.abs(components).argmax(axis=0)
    signs = np.sign(components[greatest, np.arange(components.shape[1])])
    return np.asarray(components * np.where(signs == 0, 1.0, signs))


_PREFIX = "projection/"
_SMALL = 1e-12  # of the variance; a direction with less has none
_PENALTY = 0.3  # of ridge regression on components, in mean variances of these
_FOLDS = 5


def fit_projected(scorer: Scorer, training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Return the arrays of a scorer, and of the projection of vectors if there are any.

    Args:
        scorer: one with `projects`; else the columns are left as they are.
        training: rows with raw components of vectors.
        options: of the scorer; `components` of each vector are kept.
    """
    if not scorer.projects or not any(training.vectors):
        return fit_endable(scorer, training, options)
    projection, names = _fit_projection(training, options)
    values = _projected(projection, training.values)
    if "said" in projection:
        values[:, -1] = projection.pop("said")
    fitted = fit_endable(scorer, training._replace(values=values, names=names, vectors=()), options)
    return {**fitted, **{f"{_PREFIX}{name}": array for name, array in projection.items()}}


def predict_projected(scorer: Scorer, fitted: Fitted, values: Floats) -> Floats:
    """Return a number for each row, from the arrays of `fit_projected` and rows with raw components."""
    projection = {name.removeprefix(_PREFIX): array for name, array in fitted.items() if name.startswith(_PREFIX)}
    if not projection:
        return scorer.predict(fitted, values)
    own = {name: array for name, array in fitted.items() if not name.startswith(_PREFIX)}
    return scorer.predict(own, _projected(projection, values))


def _fit_projection(training: ScorerTraining, options: ScorerOptions) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """Return the arrays of a projection, and the names of its columns: numbers first, then vectors.

    The array `said` is not of the projection: the predictions of training rows by inner folds.
    """
    vectors = np.array(training.vectors, object)
    plain = np.flatnonzero(vectors == "")
    arrays: dict[str, npt.NDArray[Any]] = {"plain": plain}
    names, number = [training.names[place] for place in plain.tolist()], 0
    centred = []
    for vector in filter(None, dict.fromkeys(training.vectors if options.components else ())):
        places = np.flatnonzero(vectors == vector)
        rows = training.values[:, places]
        known = np.asarray(~np.isnan(rows).any(axis=1))
        if known.sum() < 2:
            continue
        mean = rows[known].mean(axis=0)
        rows = np.where(known[:, None], rows - mean, 0.0)
        basis = _directions(rows, options.components)
        arrays |= {f"places{number}": places, f"mean{number}": mean, f"basis{number}": basis}
        names += [f"{vector}#{place}" for place in range(basis.shape[1])]
        centred.append(rows)
        number += 1
    arrays["vectors"] = np.array(number)
    if number:
        weights, said = _regressed(np.concatenate(centred, axis=1), training)
        arrays |= {"weights": weights, "level": np.array(training.labels.mean()), "said": said}
        names.append("vectors")
    return arrays, names


def _directions(rows: Floats, most: int) -> Floats:
    """Return the directions in which centred rows vary most, (components, at most `most`)."""
    spread, directions = np.linalg.eigh(rows.T @ rows)
    kept = np.argsort(-spread, kind="stable")[:most]
    kept = kept[spread[kept] > _SMALL * max(float(spread.sum()), _SMALL)]
    return with_fixed_signs(directions[:, kept])


def _regressed(rows: Floats, training: ScorerTraining) -> tuple[Floats, Floats]:
    """Return the weights of ridge regression on centred rows, and what inner folds predict of each row.

    These folds are the same whatever the seed: most scorers draw nothing.
    """
    labels = training.labels
    # Sums over all rows; those of the rows that are held out are taken off.
    squares, products, sums = rows.T @ rows, rows.T @ labels, rows.sum(axis=0)
    penalty = max(_PENALTY * float(np.trace(squares)) / len(squares), _SMALL) * np.eye(len(squares))
    said = np.full(len(rows), labels.mean())
    for others, held in sides_of_folds(list(training.groups), _FOLDS, seed=0, label="projection"):
        own, level = rows[held], labels[others].mean()
        right = products - own.T @ labels[held] - level * (sums - own.sum(axis=0))
        said[held] = dots(own, np.linalg.solve(squares - own.T @ own + penalty, right)) + level
    weights = np.linalg.solve(squares + penalty, products - labels.mean() * sums)
    return np.asarray(weights, np.float64), said


def _projected(projection: Mapping[str, npt.NDArray[Any]], values: Floats) -> Floats:
    """Return the plain columns, and the vectors projected; nan for a vector that is not known."""
    columns, centred = [values[:, projection["plain"]]], []
    for number in range(int(projection["vectors"])):
        rows = values[:, projection[f"places{number}"]] - projection[f"mean{number}"]
        gone = np.isnan(rows).any(axis=1)
        rows = np.where(gone[:, None], 0.0, rows)
        projected = product(rows, projection[f"basis{number}"])
        projected[gone] = np.nan
        columns.append(projected)
        centred.append(rows)
    if centred:
        predicted = dots(np.concatenate(centred, axis=1), projection["weights"]) + projection["level"]
        columns.append(predicted[:, None])
    return np.concatenate(columns, axis=1)


_FITS = "fits"


def fit_scorer(scorer: Scorer, training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Return the arrays of a scorer, of `fits` fits with seeds of their own if its seed decides anything.

    Args:
        scorer: the scorer; those that a stack combines are fitted once in each of its fits.
        training: rows with raw components of vectors.
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
