"""Stacked scorers: members weighted by their predictions of inner folds (Wolpert 1992).

Inner folds divide the training rows by groups: a member predicts a row without having seen any row of
the same group. Then every member is fitted to all training rows.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.learning.fitting import fit_scorer, predict_scorer
from lexbeam.transforms.learning.models.formats import pack_texts, unpack_texts
from lexbeam.transforms.learning.scorer import Fitted, Floats, Scorer, ScorerOptions, ScorerTraining

_RIDGE = 1e-3  # of the variance of the members' predictions


def fit_stack(training: ScorerTraining, options: ScorerOptions, members: Mapping[str, Scorer]) -> Fitted:
    """Fit members and their weights; arrays of a member are called `MEMBER/NAME`."""
    groups = list(training.groups)
    fold = fold_of(groups, options.inner_folds, seed=options.seed, label="inner")
    inner = np.full((len(groups), len(members)), float(training.labels.mean()))
    for number in range(options.inner_folds):
        held = fold == number
        if not held.any() or held.all():
            continue
        rest = training._replace(
            values=training.values[~held],
            labels=training.labels[~held],
            groups=[group for group, out in zip(groups, held, strict=True) if not out],
        )
        for place, scorer in enumerate(members.values()):
            fitted = fit_scorer(scorer, rest, options)
            inner[held, place] = predict_scorer(scorer, fitted, training.values[held])
    weights, intercept = weigh(inner, training.labels, options.weights)
    arrays: Fitted = {"weights": weights, "intercept": np.array(intercept)}
    for name, scorer in members.items():
        fitted = fit_scorer(scorer, training, options)
        arrays.update({f"{name}/{key}": array for key, array in fitted.items()})
    arrays["members"] = pack_texts(list(members))
    return arrays


def weigh(predictions: Floats, labels: Floats, how: str) -> tuple[Floats, float]:
    """Return weights of columns of predictions, and an intercept, by least squares.

    Args:
        predictions: (rows, members).
        labels: what the weighted sum should be.
        how: `nonnegative`: no weight below 0 (Lawson and Hanson 1974; for stacks Breiman 1996);
            `ridge`: with a penalty of a thousandth of the members' variance.
    """
    centre, mean = predictions.mean(axis=0), float(labels.mean())
    centred, wanted = predictions - centre, labels - mean
    if how == "nonnegative":
        from scipy.optimize import nnls

        weights: Any = nnls(centred, wanted)[0]
    else:
        square = centred.T @ centred
        penalty = max(_RIDGE * float(np.trace(square)) / max(centred.shape[1], 1), 1e-12)
        weights = np.linalg.solve(square + penalty * np.eye(centred.shape[1]), centred.T @ wanted)
    return weights, mean - float(centre @ weights)


def predict_stack(fitted: Fitted, values: Floats, scorers: Mapping[str, Scorer]) -> Floats:
    """Return the weighted sum of the members' predictions."""
    total = np.full(len(values), float(fitted["intercept"]))
    for name, weight in zip(unpack_texts(fitted["members"]), fitted["weights"].tolist(), strict=True):
        arrays = {key.removeprefix(f"{name}/"): array for key, array in fitted.items() if key.startswith(f"{name}/")}
        total += weight * predict_scorer(scorers[name], arrays, values)
    return total
