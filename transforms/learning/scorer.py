"""What a scorer is: its options, its training data, and the functions that it consists of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.machine import endable
from lexbeam.transforms.common.options.fields import option

Floats = npt.NDArray[np.float64]
Fitted = dict[str, npt.NDArray[Any]]

MEMBERS = ("ridge", "svr", "gradient-boosting")
SINGLES = "is_single"  # the column that distinguishes kinds if both are trained on


@dataclass(frozen=True, kw_only=True)
class ScorerOptions:
    """How scorers learn. Defaults were chosen by cross-validation on the training set of CompLex.

    docs/tasks/complexity/results.md has the results.
    """

    baseline_column: str = option("zipf", help="the one column of scorer `frequency`")
    clip: float = option(
        3.0, help="ridge and SVR: standard deviations from the mean at which a feature is cut off; 0: never", least=0
    )
    ridge_alpha: float = option(300.0, help="ridge: weight of the penalty", least=0)
    svr_c: float = option(0.1, help="SVR: weight of errors", least=1e-6)
    svr_epsilon: float = option(0.05, help="SVR: error that costs nothing", least=0)
    svr_gamma: float = option(0.5, help="SVR: width of the kernel, divided by the number of columns", least=1e-6)
    svr_weighting: float = option(
        0.5,
        help="SVR: columns are weighted by this power of their correlation with the labels of "
        "the training rows; 0: no weights",
        least=0,
        most=4,
    )
    trees: int = option(150, help="random forest and extra trees: trees", least=1, most=100_000)
    leaves: int = option(127, help="random forest and extra trees: leaves of a tree", least=2, most=10_000)
    rounds: int = option(500, help="gradient boosting: trees", least=1, most=100_000)
    learning_rate: float = option(0.03, help="gradient boosting: step", least=1e-6, most=1)
    boosting_leaves: int = option(15, help="gradient boosting: leaves of a tree", least=2, most=10_000)
    members: tuple[str, ...] = option(
        MEMBERS, help="stack: the scorers that it combines", choices="lexbeam.transforms.learning.scorers:members"
    )
    weights: str = option(
        "nonnegative",
        help="stack: weights of members, by non-negative least squares or ridge",
        choices=("nonnegative", "ridge"),
    )
    inner_folds: int = option(
        3, help="stack: folds of the training rows from which weights are fitted", least=2, most=100
    )
    fits: int = option(1, help="scorers that draw: fits with seeds of their own that are averaged", least=1, most=1000)
    components: int = option(
        100,
        help="principal components of each vector, fitted to the training rows; 0: vectors are left out",
        least=0,
        most=10_000,
    )
    seed: int = option(0, help="seed of folds, trees and permutations", least=0, most=2**31 - 1)


class ScorerTraining(NamedTuple):
    """What a scorer learns from.

    Attributes:
        values: (rows, columns), nan for missing values.
        names: of the columns.
        labels: complexity, 0 to 1.
        groups: of the rows; no group may be on both sides of a split.
        vectors: of the columns, the vector whose component it is, empty for none; or nothing.
    """

    values: Floats
    names: Sequence[str]
    labels: Floats
    groups: Sequence[str]
    vectors: Sequence[str] = ()


@dataclass(frozen=True)
class Scorer(Entry):
    """A scorer.

    Attributes:
        fit: arrays by name, from training rows and options.
        predict: a number for each row, from these arrays and (rows, columns) of the same columns.
        uses: the options that decide what is fitted.
        cost: about how long fitting takes, relative to ridge.
        weighs: whether it combines other scorers, and so cannot be a member itself.
        projects: whether vectors are projected for it; not where its members get theirs projected, nor where
            it reads one column alone.
    """

    fit: Callable[[ScorerTraining, ScorerOptions], Fitted]
    predict: Callable[[Fitted, Floats], Floats]
    uses: tuple[str, ...]
    cost: float
    weighs: bool = False
    projects: bool = True


def fit_endable(scorer: Scorer, training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Return what `scorer.fit` returns, on one thread; an interrupt ends it, however long its steps are."""
    return endable(scorer.fit, training, options, rows=len(training.labels) if scorer.cost > 1 else 0)


def clipped(predictions: Floats) -> Floats:
    """Return predictions within the scale, 0 to 1."""
    return np.clip(predictions, 0.0, 1.0)
