"""Estimators of concreteness: each a function that fits, one that predicts, a line in `ESTIMATORS`.

What is fitted is arrays by name and nothing else, so that a model is kept and loaded without
executing anything (docs/reference/models.md). Inputs are rows whose mean square length is about 1, labels 0
(abstract) to 1 (concrete).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lexbeam.transforms.cloze.abstractness.fitting import ConcretenessTraining, Fitted, Floats, Ints
from lexbeam.transforms.cloze.abstractness.kernel_ridge import fit_kernel, fit_ridge, predict_kernel, predict_ridge
from lexbeam.transforms.cloze.abstractness.network import fit_networks, predict_network
from lexbeam.transforms.cloze.abstractness.options import EstimatorOptions
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.machine import endable

NONE = -1  # no fold


@dataclass(frozen=True)
class Estimator(Entry):
    """An estimator.

    Attributes:
        fit: from words, the fold of each, the fold that each fit does without, and options: arrays by name for each.
        predict: from these and rows, a number for each row.
        uses: the options that decide what is fitted.
    """

    fit: Callable[[ConcretenessTraining, Ints, Sequence[int], EstimatorOptions], list[Fitted]]
    predict: Callable[[Fitted, Floats], Floats]
    uses: tuple[str, ...]


def fit(
    name: str,
    training: ConcretenessTraining,
    options: EstimatorOptions,
    fold: Ints | None = None,
    left_out: Sequence[int] = (NONE,),
) -> list[Fitted]:
    """Fit an estimator once or several times, each time without one fold; on one thread, an interrupt ends it.

    Args:
        name: an entry of `ESTIMATORS`.
        training: rated words.
        options: of estimators.
        fold: that of each word; None: there are none.
        left_out: the fold that each fit does without; `NONE`: it has all words.

    Raises:
        LexbeamError: a package is not installed; the message names the extra.
    """
    fold = np.zeros(len(training.labels), np.int64) if fold is None else fold
    return endable(ESTIMATORS[name].fit, training, fold, left_out, options, rows=len(training.labels))


def predict(name: str, fitted: Fitted, rows: Floats) -> Floats:
    """Return the concreteness of rows, cut to 0 to 1; that of a row does not depend on others."""
    return np.clip(ESTIMATORS[name].predict(fitted, rows), 0.0, 1.0)


_NETWORK = ("hidden", "dropout", "epochs", "patience", "batch", "learning_rate")

ESTIMATORS: Registry[Estimator] = Registry(
    {
        "ridge": Estimator(fit_ridge, predict_ridge, ("ridge_alpha",), doc="ridge regression"),
        "kernel": Estimator(
            fit_kernel,
            predict_kernel,
            ("ridge_alpha", "kernel_gamma", "landmarks"),
            doc="kernel ridge regression, Gaussian and linear",
        ),
        "network": Estimator(
            fit_networks,
            predict_network,
            _NETWORK,
            modules=("torch",),
            extra="torch",
            doc="the paper's network; needs torch",
        ),
    },
    what="estimator",
    group="lexbeam.concreteness_estimators",
)
