"""The reference scorers: each a function that fits, one that predicts, and an entry of `SCORERS`.

A fitted scorer is arrays by name and nothing else, so that every scorer is saved in one format and loaded
without executing anything (docs/reference/models.md); trees are LightGBM's text as bytes, which is checked
before it is read. Medians, scales and weights are fitted on training rows only. Linear models and kernels
get rows without gaps and on one scale (`prepared`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import dots, gaussian_sums
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.learning.crossfitting import sides_of_folds
from lexbeam.transforms.learning.fitting import fit_scorer, predict_scorer
from lexbeam.transforms.learning.models.formats import pack_texts, unpack_texts
from lexbeam.transforms.learning.models.lightgbm_text import (
    lightgbm_settings,
    predict_lightgbm,
    read_lightgbm,
    write_lightgbm,
)
from lexbeam.transforms.learning.scorer import SINGLES, Fitted, Floats, Scorer, ScorerOptions, ScorerTraining

_STACK_RIDGE = 1e-3  # of the variance of the members' predictions


def fit_stack(training: ScorerTraining, options: ScorerOptions, members: Mapping[str, Scorer]) -> Fitted:
    """Fit members and their weights, by predictions of inner folds (Wolpert 1992).

    Inner folds divide the training rows by groups: a member predicts a row without having seen any row of the same
    group. Then every member is fitted to all training rows. Arrays of a member are called `MEMBER/NAME`.
    """
    groups = list(training.groups)
    inner = np.full((len(groups), len(members)), float(training.labels.mean()))
    for others, held in sides_of_folds(groups, options.inner_folds, seed=options.seed, label="inner"):
        rest = training._replace(
            values=training.values[others],
            labels=training.labels[others],
            groups=[group for group, other in zip(groups, others, strict=True) if other],
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
        penalty = max(_STACK_RIDGE * float(np.trace(square)) / max(centred.shape[1], 1), 1e-12)
        weights = np.linalg.solve(square + penalty * np.eye(centred.shape[1]), centred.T @ wanted)
    return weights, mean - float(centre @ weights)


def predict_stack(fitted: Fitted, values: Floats, scorers: Mapping[str, Scorer]) -> Floats:
    """Return the weighted sum of the members' predictions."""
    total = np.full(len(values), float(fitted["intercept"]))
    for name, weight in zip(unpack_texts(fitted["members"]), fitted["weights"].tolist(), strict=True):
        arrays = {key.removeprefix(f"{name}/"): array for key, array in fitted.items() if key.startswith(f"{name}/")}
        total += weight * predict_scorer(scorers[name], arrays, values)
    return total


_SMALL = 1e-9  # a standard deviation below which a column is constant


def fit_preparation(values: Floats, most: float) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that `prepared` needs, fitted on training rows.

    A gap is filled with the column's median, and a column of 0 and 1 marks gaps, one for all columns that
    have them in the same rows. Columns without any value are left out, then constant ones. The rest are
    standardised by mean and population standard deviation and cut off.

    Args:
        values: (rows, columns), nan for a gap.
        most: standard deviations from the mean at which values are cut off; 0: never.
    """
    gaps = np.isnan(values)
    known = ~gaps.all(axis=0)
    median = np.zeros(values.shape[1])
    median[known] = np.nanmedian(values[:, known], axis=0) if len(values) else 0.0
    partial = known & gaps.any(axis=0)
    flagged = np.flatnonzero(partial)
    _, first = np.unique(gaps[:, flagged], axis=1, return_index=True)
    flagged = flagged[np.sort(first)]
    # The gaps of training rows decide which columns mark them, everywhere.
    filled = _filled(values, median, np.flatnonzero(known), flagged)
    mean, scale = filled.mean(axis=0), filled.std(axis=0)
    varies = scale > _SMALL
    return {
        "median": median,
        "known": np.flatnonzero(known),
        "flagged": flagged,
        "mean": mean[varies],
        "scale": scale[varies],
        "varies": np.flatnonzero(varies),
        "most": np.array(float(most)),
    }


def _filled(values: Floats, median: Floats, known: npt.NDArray[np.intp], flagged: npt.NDArray[np.intp]) -> Floats:
    gaps = np.isnan(values)
    return np.column_stack([np.where(gaps, median, values)[:, known], gaps[:, flagged]])


def prepared(fitted: Mapping[str, npt.NDArray[Any]], values: Floats) -> Floats:
    """Return values prepared as `fit_preparation` decided: (rows, columns that vary), without gaps."""
    filled = _filled(values, fitted["median"], fitted["known"], fitted["flagged"])
    standardised: Floats = (filled[:, fitted["varies"]] - fitted["mean"]) / fitted["scale"]
    most = float(fitted["most"])
    return np.clip(standardised, -most, most) if most else standardised


_FEW = 10  # rows; fewer give the mean instead of trees


def _fit_frequency(training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Least squares on one column, as the baseline of the task (Shardlow et al. 2021).

    If both kinds of instances are trained on, each has its own intercept.
    """
    name = options.baseline_column
    if name not in training.names:
        hint = nearest(name, training.names) or ": give another `baseline_column`"
        raise UsageError(f"scorer frequency: there is no column {name!r}{hint}")
    names = list(training.names)
    place, level = names.index(name), names.index(SINGLES) if SINGLES in names else -1
    column = training.values[:, place]
    known = column[~np.isnan(column)]
    fill = float(np.median(known)) if len(known) else 0.0
    column = np.where(np.isnan(column), fill, column)
    rows = np.column_stack([column, training.values[:, level] if level >= 0 else np.zeros(len(column))])
    centre, mean = rows.mean(axis=0), float(training.labels.mean())
    slope, step = np.linalg.lstsq(rows - centre, training.labels - mean, rcond=None)[0].tolist()
    return {
        "place": np.array(place),
        "fill": np.array(fill),
        "slope": np.array(slope),
        "level": np.array(level),
        "step": np.array(step),
        "intercept": np.array(mean - float(centre @ (slope, step))),
    }


def _predict_frequency(fitted: Fitted, values: Floats) -> Floats:
    column = values[:, int(fitted["place"])]
    column = np.where(np.isnan(column), fitted["fill"], column)
    level, step = int(fitted["level"]), fitted["step"]
    steps = values[:, level] * step if level >= 0 else 0.0
    return np.asarray(column * fitted["slope"] + steps + fitted["intercept"], np.float64)


def _fit_ridge(training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Ridge regression (Hoerl and Kennard 1970) on standardised features."""
    from sklearn.linear_model import Ridge

    ready = fit_preparation(training.values, options.clip)
    rows = prepared(ready, training.values)
    if not rows.shape[1]:
        return {**ready, "weights": np.zeros(0), "intercept": np.array(training.labels.mean())}
    ridge = Ridge(alpha=options.ridge_alpha, solver="cholesky").fit(rows, training.labels)
    return {**ready, "weights": ridge.coef_, "intercept": np.array(ridge.intercept_)}


def _predict_ridge(fitted: Fitted, values: Floats) -> Floats:
    predictions: Floats = dots(prepared(fitted, values), fitted["weights"]) + fitted["intercept"]
    return predictions


def _fit_svr(training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Support vector regression with a Gaussian kernel (Smola and Schoelkopf 2004).

    Distances are of weighted columns: those with little correlation count little.
    """
    from sklearn.svm import SVR

    ready = fit_preparation(training.values, options.clip)
    rows = prepared(ready, training.values)
    gamma = options.svr_gamma / max(rows.shape[1], 1)
    nothing: Fitted = {"weights": np.zeros(0), "vectors": np.zeros((0, rows.shape[1])), "shares": np.zeros(0)}
    if not rows.shape[1]:
        mean = np.array(training.labels.mean())
        return {**ready, **nothing, "intercept": mean, "gamma": np.array(gamma)}
    weights = _weights(rows, training.labels, options.svr_weighting)
    svr = SVR(C=options.svr_c, epsilon=options.svr_epsilon, gamma=gamma, cache_size=300)
    fitted = svr.fit(rows * weights, training.labels)
    return {
        **ready,
        "weights": weights,
        "vectors": fitted.support_vectors_,
        "shares": fitted.dual_coef_[0],
        "intercept": np.array(fitted.intercept_[0]),
        "gamma": np.array(gamma),
    }


_LEAST = 0.02  # smaller correlations count as this


def _weights(rows: Floats, labels: Floats, power: float) -> Floats:
    """Return a weight for each column, by its correlation with the labels; mean square 1."""
    deviations, wanted = rows - rows.mean(axis=0), labels - labels.mean()
    spread = np.sqrt((deviations**2).sum(axis=0) * (wanted**2).sum())
    correlations = np.full(rows.shape[1], _LEAST)
    np.divide(np.abs((deviations * wanted[:, None]).sum(axis=0)), spread, out=correlations, where=spread > 0)
    weights: Floats = np.maximum(correlations, _LEAST) ** power
    scaled: Floats = weights / np.sqrt((weights**2).mean())
    return scaled


def _predict_svr(fitted: Fitted, values: Floats) -> Floats:
    """Return the sum over support vectors v of share times exp(-gamma |x - v|^2), and intercept."""
    rows = prepared(fitted, values) * fitted["weights"]
    sums = gaussian_sums(rows, fitted["vectors"], fitted["shares"], float(fitted["gamma"]))
    return np.asarray(sums + fitted["intercept"], np.float64)


def _fit_trees(training: ScorerTraining, settings: Mapping[str, object], rounds: int) -> Fitted:
    import lightgbm

    # LightGBM handles gaps itself: at each split they go where they do least harm.
    mean = float(training.labels.mean())
    if len(training.labels) < _FEW:
        return {"trees": np.zeros(0, np.uint8), "intercept": np.array(mean)}
    # A tree without a split predicts 0, so 0 must be the mean.
    data = lightgbm.Dataset(training.values, training.labels - mean, params=dict(settings))
    booster = lightgbm.train(dict(settings), data, rounds)
    return {"trees": np.frombuffer(write_lightgbm(booster), np.uint8), "intercept": np.array(mean)}


def _predict_trees(fitted: Fitted, values: Floats) -> Floats:
    if not len(fitted["trees"]):
        return np.full(len(values), float(fitted["intercept"]))
    booster = read_lightgbm(np.asarray(fitted["trees"], np.uint8).tobytes())
    if booster.num_feature() != values.shape[1]:
        raise LexbeamError(
            f"the trees were trained on {booster.num_feature()} columns, and there are {values.shape[1]}: "
            "give the columns that they were trained on"
        )
    return predict_lightgbm(booster, values) + float(fitted["intercept"])


def _fit_random_forest(training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Trees on resamples and random columns, averaged (Breiman 2001), as LightGBM grows them."""
    settings = lightgbm_settings(
        options.seed,
        objective="regression",
        boosting="rf",
        num_leaves=options.leaves,
        min_data_in_leaf=3,
        feature_fraction=0.33,
        bagging_fraction=0.63,
        bagging_freq=1,
    )
    return _fit_trees(training, settings, options.trees)


def _fit_extra_trees(training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """The same with random thresholds (Geurts et al. 2006)."""
    settings = lightgbm_settings(
        options.seed,
        objective="regression",
        boosting="rf",
        extra_trees=True,
        num_leaves=options.leaves,
        min_data_in_leaf=3,
        feature_fraction=0.5,
        bagging_fraction=0.8,
        bagging_freq=1,
    )
    return _fit_trees(training, settings, options.trees)


def _fit_boosting(training: ScorerTraining, options: ScorerOptions) -> Fitted:
    """Gradient boosting of trees (Friedman 2001; Ke et al. 2017).

    A leaf has at least 20 rows; with fewer than 400 rows a twentieth of them, since hardly any split
    would be left, but at least 3.
    """
    least = max(3, min(20, len(training.labels) // 20))
    settings = lightgbm_settings(
        options.seed,
        objective="regression",
        num_leaves=options.boosting_leaves,
        learning_rate=options.learning_rate,
        min_data_in_leaf=least,
        feature_fraction=0.3,
        bagging_fraction=0.7,
        bagging_freq=1,
        lambda_l2=5.0,
    )
    return _fit_trees(training, settings, options.rounds)


def _fit_stack(training: ScorerTraining, options: ScorerOptions) -> Fitted:
    return fit_stack(training, options, {name: SCORERS[name] for name in options.members})


def _predict_stack(fitted: Fitted, values: Floats) -> Floats:
    return predict_stack(fitted, values, SCORERS)


_LINEAR = ("clip", "ridge_alpha")
_SVR = ("clip", "svr_c", "svr_epsilon", "svr_gamma", "svr_weighting")
_FOREST = ("trees", "leaves", "seed")
_BOOSTING = ("rounds", "learning_rate", "boosting_leaves", "seed")

_SKLEARN = ("sklearn",)
_LIGHTGBM = ("lightgbm",)

SCORERS: Registry[Scorer] = Registry(
    {
        "frequency": Scorer(
            _fit_frequency,
            _predict_frequency,
            ("baseline_column",),
            0.1,
            projects=False,
            doc="a line through one column",
        ),
        "ridge": Scorer(
            _fit_ridge, _predict_ridge, _LINEAR, 1.0, modules=_SKLEARN, extra="models", doc="ridge regression"
        ),
        "svr": Scorer(
            _fit_svr, _predict_svr, _SVR, 20.0, modules=_SKLEARN, extra="models", doc="support vector regression"
        ),
        "random-forest": Scorer(
            _fit_random_forest, _predict_trees, _FOREST, 80.0, modules=_LIGHTGBM, extra="models", doc="a random forest"
        ),
        "extra-trees": Scorer(
            _fit_extra_trees,
            _predict_trees,
            _FOREST,
            40.0,
            modules=_LIGHTGBM,
            extra="models",
            doc="extremely randomised trees",
        ),
        "gradient-boosting": Scorer(
            _fit_boosting,
            _predict_trees,
            _BOOSTING,
            30.0,
            modules=_LIGHTGBM,
            extra="models",
            doc="gradient boosting of trees",
        ),
        "stack": Scorer(
            _fit_stack,
            _predict_stack,
            ("members", "weights", "inner_folds", "baseline_column", *_LINEAR, *_SVR, *_FOREST, *_BOOSTING),
            400.0,
            weighs=True,
            projects=False,
            modules=_SKLEARN + _LIGHTGBM,
            extra="models",
            doc="a weighted sum of other scorers",
        ),
    },
    what="scorer",
    group="lexbeam.scorers",
)


def members() -> dict[str, Scorer]:
    """Return the scorers that may be members of another."""
    return {name: scorer for name, scorer in SCORERS.items() if not scorer.weighs}


def used_options(name: str, options: ScorerOptions) -> ScorerOptions:
    """Return options with those as they are by default that other scorers alone use."""
    others = {each for scorer in SCORERS.values() for each in scorer.uses} - {*SCORERS[name].uses}
    return ScorerOptions(**{each: value for each, value in vars(options).items() if each not in others})
