"""Vectors as columns of a scorer: their principal components, fitted to the training rows alone.

A vector of a target stands in training data as raw components. In front of every scorer each vector is
projected on the directions in which it varies most among the training rows (Pearson 1901; Hotelling 1933),
and these numbers take the place of its components. So what a scorer learns of vectors is fitted inside its
fold, and inside the inner folds of a stack, and is saved with it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from transforms.common.rowwise import product
from transforms.learning.scorer import Fitted, Floats, Scorer, ScorerOptions, ScorerTraining

__all__ = ["fit_scorer", "predict_scorer"]

_PREFIX = "projection/"
_SMALL = 1e-12  # of the variance; a direction with less has none


def fit_scorer(scorer: Scorer, training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Return the arrays of a scorer, and of the projection of vectors if there are any.

    Args:
        scorer: one with `projects`; else the columns are left as they are.
        training: rows with raw components of vectors.
        options: of the scorer; `components` of each vector are kept.
    """
    if not scorer.projects or not any(training.vectors):
        return scorer.fit(training, options)
    projection, names = _fit(training, options.components)
    values = _projected(projection, training.values)
    fitted = scorer.fit(training._replace(values=values, names=names, vectors=()), options)
    return {**fitted, **{f"{_PREFIX}{name}": array for name, array in projection.items()}}


def predict_scorer(scorer: Scorer, fitted: Fitted, values: Floats) -> Floats:
    """Return a number for each row, from the arrays of `fit_scorer` and rows with raw components."""
    projection = {name.removeprefix(_PREFIX): array for name, array in fitted.items() if name.startswith(_PREFIX)}
    if not projection:
        return scorer.predict(fitted, values)
    own = {name: array for name, array in fitted.items() if not name.startswith(_PREFIX)}
    return scorer.predict(own, _projected(projection, values))


def _fit(training: ScorerTraining, most: int) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """Return the arrays of a projection, and the names of its columns: numbers first, then vectors."""
    vectors = np.array(training.vectors, object)
    plain = np.flatnonzero(vectors == "")
    arrays: dict[str, npt.NDArray[Any]] = {"plain": plain}
    names, number = [training.names[place] for place in plain.tolist()], 0
    for vector in filter(None, dict.fromkeys(training.vectors if most else ())):
        places = np.flatnonzero(vectors == vector)
        rows = training.values[:, places]
        rows = rows[~np.isnan(rows).any(axis=1)]
        if len(rows) < 2:
            continue
        mean = rows.mean(axis=0)
        spread, directions = np.linalg.eigh((rows - mean).T @ (rows - mean))
        kept = np.argsort(-spread, kind="stable")[:most]
        kept = kept[spread[kept] > _SMALL * max(float(spread.sum()), _SMALL)]
        basis = directions[:, kept]
        # The sign of a direction means nothing: its greatest component is positive.
        basis = basis * np.sign(basis[np.abs(basis).argmax(axis=0), np.arange(len(kept))])
        arrays |= {f"places{number}": places, f"mean{number}": mean, f"basis{number}": basis}
        names += [f"{vector}#{place}" for place in range(len(kept))]
        number += 1
    return {**arrays, "vectors": np.array(number)}, names


def _projected(projection: Mapping[str, npt.NDArray[Any]], values: Floats) -> Floats:
    """Return the plain columns, and the vectors projected; nan for a vector that is not known."""
    columns = [values[:, projection["plain"]]]
    for number in range(int(projection["vectors"])):
        rows = values[:, projection[f"places{number}"]] - projection[f"mean{number}"]
        gone = np.isnan(rows).any(axis=1)
        projected = product(np.where(gone[:, None], 0.0, rows), projection[f"basis{number}"])
        projected[gone] = np.nan
        columns.append(projected)
    return np.concatenate(columns, axis=1)
