# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam complexity ...` as functions."""

import os
from collections.abc import Sequence
from typing import Literal

from lexbeam._calling import publish as _publish
from lexbeam.results import Results

__all__ = ["score"]


def score(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    scorer: str | Sequence[str] = ("gradient-boosting",),
    on: str | os.PathLike[str] | None = None,
    save: str | os.PathLike[str] | None = None,
    model: str | os.PathLike[str] | None = None,
    folds: int | str = 5,
    mwe: str | Sequence[Literal["own", "average", "double", "pooled"]] = ("own",),
    mwe_folds: str | Sequence[Literal["token", "part"]] = ("token",),
    test: str | None = None,
    train_on: str | Sequence[str] = (),
    leave_genre_out: bool = False,
    importance: bool = False,
    ablation: bool = False,
    curve: bool = False,
    baseline_column: str = "zipf",
    clip: float | str = 3.0,
    ridge_alpha: float | str = 300.0,
    svr_c: float | str = 0.1,
    svr_epsilon: float | str = 0.05,
    svr_gamma: float | str = 0.3,
    trees: int | str = 300,
    leaves: int | str = 255,
    rounds: int | str = 500,
    learning_rate: float | str = 0.03,
    boosting_leaves: int | str = 15,
    members: str
    | Sequence[
        Literal["frequency", "ridge", "svr", "random-forest", "extra-trees", "gradient-boosting"]
    ] = ("ridge", "svr", "extra-trees", "gradient-boosting"),
    weights: Literal["nonnegative", "ridge"] = "nonnegative",
    inner_folds: int | str = 5,
    seed: int | str = 0,
    metric: str | Sequence[str] = ("pearson", "spearman", "mae", "mse", "r2"),
    threshold: str | Sequence[str] = (),
    resamples: int | str = 1000,
    level: float | str = 0.95,
    bootstrap_seed: int | str = 0,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Predict complexity by reference scorers, and measure them.

    Args:
        folder: folder with the features of `lexbeam complexity features`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        scorer: scorers.
        on: instead of folds, predict the instances of this folder, and train on all others.
        save: keep the scorer, trained on all labelled instances, in this folder; one scorer.
        model: train nothing: predict the instances of the folder by a scorer that `save` kept.
        folds: folds of cross-validation, by hash of the case-folded target (at least 2, at most
            1000).
        mwe: expressions: trained on expressions alone; the average of what single words' scorer
            says of both parts; doubled, a row for each part; or pooled with single words.
        mwe_folds: folds of expressions: by the whole, or by shared words; the first one's
            predictions are published.
        test: instead of folds, predict the instances of this split and train on the others.
        train_on: train on instances of these splits alone.
        leave_genre_out: also predict each genre from the others.
        importance: also the permutation importance of every feature and group; of folds alone.
        ablation: also leave out each group of features in turn; of folds alone.
        curve: also train on shares of the targets, a learning curve; of folds alone.
        baseline_column: the one column of scorer `frequency`.
        clip: ridge and SVR: standard deviations from the mean at which a feature is cut off; 0:
            none (at least 0).
        ridge_alpha: ridge: weight of the penalty (at least 0).
        svr_c: SVR: weight of errors (at least 1e-06).
        svr_epsilon: SVR: error that costs nothing (at least 0).
        svr_gamma: SVR: width of the kernel, divided by the number of columns (at least 1e-06).
        trees: random forest and extra trees: trees (at least 1, at most 100000).
        leaves: random forest and extra trees: leaves of a tree (at least 2, at most 10000).
        rounds: gradient boosting: trees (at least 1, at most 100000).
        learning_rate: gradient boosting: step (at least 1e-06, at most 1).
        boosting_leaves: gradient boosting: leaves of a tree (at least 2, at most 10000).
        members: stack: scorers that it weighs.
        weights: stack: weights of its members, by least squares without negative ones, or by ridge.
        inner_folds: stack: folds of the training rows by which weights are found (at least 2, at
            most 100).
        seed: seed of folds, trees and permutations (at least 0, at most 2147483647).
        metric: metrics of numbers, see docs/evaluation.md.
        threshold: also accuracy, precision, recall and f1 of what is at least as complex as this, 0
            to 1, for example 0.5.
        resamples: resamples of the bootstrap; 0: no intervals (at least 0, at most 1000000).
        level: share of the resamples that an interval holds (at least 0.01, at most 0.999).
        bootstrap_seed: seed of the resamples.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).
        runner_config: YAML file of runner_configs/, or its name.
        beam: Beam options, as they stand on the command line.

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "complexity score",
        {
            "folder": folder,
            "out": out,
            "scorer": scorer,
            "on": on,
            "save": save,
            "model": model,
            "folds": folds,
            "mwe": mwe,
            "mwe_folds": mwe_folds,
            "test": test,
            "train_on": train_on,
            "leave_genre_out": leave_genre_out,
            "importance": importance,
            "ablation": ablation,
            "curve": curve,
            "baseline_column": baseline_column,
            "clip": clip,
            "ridge_alpha": ridge_alpha,
            "svr_c": svr_c,
            "svr_epsilon": svr_epsilon,
            "svr_gamma": svr_gamma,
            "trees": trees,
            "leaves": leaves,
            "rounds": rounds,
            "learning_rate": learning_rate,
            "boosting_leaves": boosting_leaves,
            "members": members,
            "weights": weights,
            "inner_folds": inner_folds,
            "seed": seed,
            "metric": metric,
            "threshold": threshold,
            "resamples": resamples,
            "level": level,
            "bootstrap_seed": bootstrap_seed,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
            "runner_config": runner_config,
        },
        beam,
    )
