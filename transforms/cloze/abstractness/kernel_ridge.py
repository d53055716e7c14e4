"""Ridge regression and kernel ridge regression, fitted without each fold at once.

Products of what words are described as are summed by fold. To leave a fold out is to leave out its sums, so that all
fits together take about the time of one.
"""

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from lexbeam.transforms.cloze.abstractness.fitting import ConcretenessTraining, Fitted, Floats, Ints
from lexbeam.transforms.cloze.abstractness.options import EstimatorOptions
from lexbeam.transforms.common.draws.by_content import uniform
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.rowwise import dots, gaussian_sums

_AT_ONCE = 4096  # words
_JITTER = 1e-6  # of the landmarks' kernel: words that are described alike would leave their weights undecided


def fit_ridge(
    training: ConcretenessTraining, fold: Ints, left_out: Sequence[int], options: EstimatorOptions
) -> list[Fitted]:
    """Ridge regression (Hoerl and Kennard 1970)."""
    penalty = np.eye(training.rows.shape[1])
    return [
        {"weights": weights[:-1], "intercept": weights[-1:].reshape(())}
        for weights in _solved(training, fold, left_out, options.ridge_alpha * penalty, lambda rows: rows)
    ]


def predict_ridge(fitted: Fitted, rows: Floats) -> Floats:
    """Return what ridge regression predicts of rows."""
    return np.asarray(dots(rows, fitted["weights"]) + fitted["intercept"])


def fit_kernel(
    training: ConcretenessTraining, fold: Ints, left_out: Sequence[int], options: EstimatorOptions
) -> list[Fitted]:
    """Kernel ridge regression, of a Gaussian and a linear kernel together (Saunders, Gammerman and Vovk 1998).

    The Gaussian kernel's weights are of some words alone, the landmarks (Smola and Schoelkopf 2000: a subset of
    regressors), so that time is linear in the words. Landmarks are drawn by their hash, ratings play no part in it.
    """
    rows, gamma = training.rows, options.kernel_gamma
    drawn = np.argsort(uniform(training.words, seed=options.seed, label="cloze/landmarks"), kind="stable")
    landmarks = rows[np.sort(drawn[: options.landmarks])]
    count, columns = len(landmarks), rows.shape[1]
    penalty = np.eye(count + columns)
    penalty[:count, :count] = _gaussian(landmarks, landmarks, gamma) + _JITTER * np.eye(count)
    solved = _solved(
        training,
        fold,
        left_out,
        options.ridge_alpha * penalty,
        lambda some: np.hstack([_gaussian(some, landmarks, gamma), some]),
    )
    return [
        {
            "landmarks": landmarks,
            "shares": weights[:count],
            "weights": weights[count:-1],
            "intercept": weights[-1:].reshape(()),
            "gamma": np.array(gamma),
        }
        for weights in solved
    ]


def predict_kernel(fitted: Fitted, rows: Floats) -> Floats:
    """Return what kernel ridge regression predicts of rows."""
    sums = gaussian_sums(rows, fitted["landmarks"], fitted["shares"], float(fitted["gamma"]))
    return np.asarray(sums + predict_ridge(fitted, rows))


def _gaussian(rows: Floats, others: Floats, gamma: float) -> Floats:
    """Return the Gaussian kernel of rows and others, which are fitted to: sums have any order."""
    apart = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * rows @ others.T
    return np.asarray(np.exp(-gamma * np.maximum(apart, 0.0)))


def _solved(
    training: ConcretenessTraining,
    fold: Ints,
    left_out: Sequence[int],
    penalty: Floats,
    described: Callable[[Floats], Floats],
) -> list[Floats]:
    """Return weights of least squares with a quadratic penalty, the last one the intercept, which is not penalised.

    Args:
        training: rated words.
        fold: that of each word.
        left_out: the fold that each fit does without.
        penalty: (columns, columns), of what words are described as.
        described: that, from rows.

    Raises:
        UsageError: rounding decides the weights.
    """
    size = len(penalty) + 1
    products = {number: (np.zeros((size, size)), np.zeros(size)) for number in np.unique(fold).tolist()}
    for number, (square, sums) in products.items():
        places = np.flatnonzero(fold == number)
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            columns = np.hstack([described(training.rows[some]), np.ones((len(some), 1))])
            square += columns.T @ columns
            sums += columns.T @ training.labels[some]
    weights = []
    for out in left_out:
        square, sums = np.zeros((size, size)), np.zeros(size)
        square[:-1, :-1] = penalty
        for number, (more, labelled) in products.items():
            if number != out:
                square += more
                sums += labelled
        weights.append(_weights(square, sums))
    return weights


def _weights(square: Floats, sums: Floats) -> Floats:
    """Return the solution of the normal equations, in units in which the diagonal of the square is between .5 and 2.

    Where a penalty is large beside the intercept's count of words, the square is ill-conditioned by its units alone
    (van der Sluis 1969), and so no ground for an error. Units are powers of two, which change no bit of the solution.

    Raises:
        UsageError: rounding decides it.
    """
    from scipy.linalg import LinAlgError, LinAlgWarning, solve

    units = np.exp2(-np.round(np.log2(square.diagonal()) / 2))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", LinAlgWarning)
            found = solve(square * units * units[:, None], sums * units, assume_a="pos", overwrite_a=True)
    except (LinAlgError, LinAlgWarning) as error:
        raise UsageError(
            "what words are described by is too much alike for so small a penalty, and rounding would decide what is "
            "learned: give a greater `ridge_alpha`; with estimator kernel, a greater `kernel_gamma` helps, too"
        ) from error
    return np.asarray(found * units)
