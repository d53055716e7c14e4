# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam evaluate ...` as functions."""

import os
from collections.abc import Sequence
from typing import Literal

from lexbeam._calling import publish as _publish
from lexbeam.results import Results

__all__ = ["change", "cloze", "complexity", "simplify"]


def change(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    gold: str | os.PathLike[str] | None = None,
    binary: str | os.PathLike[str] | None = None,
    graded: str | os.PathLike[str] | None = None,
    word_column: str | None = None,
    binary_column: str | None = None,
    graded_column: str | None = None,
    changed_above: float | str | None = None,
    metric: str | Sequence[str] = ("spearman", "average_precision", "accuracy", "precision", "recall", "f1"),
    missing: Literal["refuse", "leave-out", "least", "median"] = "refuse",
    class_threshold: Literal["published", "mean"] = "published",
    baseline: str | None = None,
    resamples: int | str = 1000,
    level: float | str = 0.95,
    bootstrap_seed: int | str = 0,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
) -> Results:
    """Change scores against gold, with intervals.

    Args:
        folder: folder with the scores of `lexbeam change`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        gold: table of gold, Parquet or tab-separated with a header.
        binary: gold classes as SemEval-2020 Task 1 has them: a word, a tab, 0 or 1.
        graded: graded gold as SemEval-2020 Task 1 has it: a word, a tab, a number.
        word_column: column of `gold`; the first of word, lemma, target if not given.
        binary_column: column of `gold`; the first of binary, change_binary if not given.
        graded_column: column of `gold`; the first of graded, change_graded, changed if not given.
        changed_above: without gold classes: words with a graded change above this have changed.
        metric: metrics, see docs/reference/evaluation.md.
        missing: gold words without a score: refuse those that no row of `scores` is of and leave
            out the others; leave all out; or give them the least or the median score.
        class_threshold: predicted classes: as published with the scores, or by this threshold over
            the scores that gold words have.
        baseline: ALIGNMENT/MEASURE (none/frequency): add the difference of every other mean to this
            one, on the same words and resamples.
        resamples: resamples of the bootstrap; 0: no intervals (at least 0, at most 1000000).
        level: share of the resamples that an interval holds (at least 0.01, at most 0.999).
        bootstrap_seed: seed of the resamples.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "evaluate change",
        {
            "folder": folder,
            "out": out,
            "gold": gold,
            "binary": binary,
            "graded": graded,
            "word_column": word_column,
            "binary_column": binary_column,
            "graded_column": graded_column,
            "changed_above": changed_above,
            "metric": metric,
            "missing": missing,
            "class_threshold": class_threshold,
            "baseline": baseline,
            "resamples": resamples,
            "level": level,
            "bootstrap_seed": bootstrap_seed,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
        },
    )


def cloze(
    *,
    gold: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    predictions: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    kind: Literal["imperceptibility", "nonspecificity", "intersection"] | None = None,
    trained_on: Literal["imperceptibility", "nonspecificity", "intersection"] | None = None,
    system: str = "predictions",
    frequency: str | Sequence[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    resamples: int | str = 1000,
    level: float | str = 0.95,
    bootstrap_seed: int | str = 0,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
) -> Results:
    """Answers to cloze questions against gold, beside what needs no reading.

    Args:
        gold: questions with their labels, JSON lines as the task has them and as `lexbeam cloze
            questions` writes them; one file or several.
        predictions: answers: lines `index,label`, or a table or JSON lines with question and label
            or scores; a file for each of gold, or one for all.
        kind: kind of questions where the name of the file does not say.
        trained_on: kind of questions that the system was trained on, where `predictions` do not
            say; if not given, the kind that it answers.
        system: what the table calls what was evaluated, where `predictions` do not say.
        frequency: word list whose most frequent option is the baseline frequency,
            FILE:word=COLUMN,value=COLUMN or wordfreq:LANG; if not given, wordfreq:en.
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        resamples: resamples of the bootstrap; 0: no intervals (at least 0, at most 1000000).
        level: share of the resamples that an interval holds (at least 0.01, at most 0.999).
        bootstrap_seed: seed of the resamples.
        out: folder where table cloze/metrics is published; none: it is only told.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "evaluate cloze",
        {
            "gold": gold,
            "predictions": predictions,
            "kind": kind,
            "trained_on": trained_on,
            "system": system,
            "frequency": frequency,
            "cache": cache,
            "resamples": resamples,
            "level": level,
            "bootstrap_seed": bootstrap_seed,
            "out": out,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
        },
    )


def complexity(
    *,
    gold: str | os.PathLike[str],
    predictions: str | os.PathLike[str],
    system: str = "predictions",
    metric: str | Sequence[str] = ("pearson", "spearman", "mae", "mse", "r2"),
    threshold: str | Sequence[str] = (),
    resamples: int | str = 1000,
    level: float | str = 0.95,
    bootstrap_seed: int | str = 0,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
) -> Results:
    """A file of predicted complexity against a gold file.

    Args:
        gold: complexity by id: lines `id,score`, or a table with a header `id` and `complexity`.
        predictions: predicted complexity by id, likewise.
        system: what the table calls what was evaluated.
        metric: metrics of numbers, see docs/reference/evaluation.md.
        threshold: also accuracy, precision, recall and f1 of what is at least as complex as this, 0
            to 1, for example 0.5.
        resamples: resamples of the bootstrap; 0: no intervals (at least 0, at most 1000000).
        level: share of the resamples that an interval holds (at least 0.01, at most 0.999).
        bootstrap_seed: seed of the resamples.
        out: folder where table complexity/metrics is published; none: it is only told.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "evaluate complexity",
        {
            "gold": gold,
            "predictions": predictions,
            "system": system,
            "metric": metric,
            "threshold": threshold,
            "resamples": resamples,
            "level": level,
            "bootstrap_seed": bootstrap_seed,
            "out": out,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
        },
    )


def simplify(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    k: int | str | Sequence[int | str] = (1, 3, 5, 10, 50),
    cluster: Literal["target", "sentence", "instance"] = "target",
    baseline: str | None = None,
    tsar_scorer: bool = False,
    resamples: int | str = 1000,
    level: float | str = 0.95,
    bootstrap_seed: int | str = 0,
    inflector: str | os.PathLike[str] | None = None,
    gold: str | os.PathLike[str] | None = None,
    predictions: str | os.PathLike[str] | None = None,
    layout: Literal["alexsis", "tsar", "benchls"] = "tsar",
    system: str = "predictions",
    to: str | os.PathLike[str] | None = None,
    stage: Literal["ranking", "selection", "generation"] | None = None,
    setting: str | None = None,
    ranker: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
) -> Results:
    """Substitutes of every stage, or of a file, against gold, and where gold is lost.

    Args:
        folder: folder with instances and candidates, of `lexbeam simplify`; none: that of `out`.
        out: folder where the tables are published; of files, none: they are only told; if not
            given, the one of `folder`.
        k: how many first candidates count (at least 1, at most 1000000).
        cluster: what is resampled as a whole, since it errs together.
        baseline: the system that others are compared with; if not given, any two are.
        tsar_scorer: leave out instances without candidates where the public scorer of TSAR-2022
            does, and compare words of files as they are written.
        resamples: resamples of the bootstrap; 0: no intervals (at least 0, at most 1000000).
        level: share of the resamples that an interval holds (at least 0.01, at most 0.999).
        bootstrap_seed: seed of the resamples.
        inflector: form dictionary of `lexbeam simplify train-inflector`, by which candidates are
            also matched by their lemmas.
        gold: in place of a folder: rows of sentence, target and substitutes.
        predictions: rows of sentence, target and substitutes, the best first.
        layout: layout of `gold`.
        system: what the table calls `predictions`.
        to: also write the lists of a setting as a file that TSAR-2022 takes.
        stage: lists of this stage; if not given, of the last that is published.
        setting: lists of this setting, where there are several.
        ranker: lists of this ranker, where there are several.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "evaluate simplify",
        {
            "folder": folder,
            "out": out,
            "k": k,
            "cluster": cluster,
            "baseline": baseline,
            "tsar_scorer": tsar_scorer,
            "resamples": resamples,
            "level": level,
            "bootstrap_seed": bootstrap_seed,
            "inflector": inflector,
            "gold": gold,
            "predictions": predictions,
            "layout": layout,
            "system": system,
            "to": to,
            "stage": stage,
            "setting": setting,
            "ranker": ranker,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
        },
    )
