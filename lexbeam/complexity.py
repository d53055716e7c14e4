# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam complexity ...` as functions."""

import os
from collections.abc import Sequence
from typing import Literal

from lexbeam._calling import act as _act
from lexbeam._calling import publish as _publish
from lexbeam.results import Results

__all__ = ["aggregate", "export", "features", "load", "score", "select", "split"]


def aggregate(
    folder: str | os.PathLike[str] | None = None,
    *,
    judgments: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str] | None = None,
    id_column: str = "instance_id",
    rating_column: str = "rating",
    annotator_column: str = "annotator",
    group_column: str = "group",
    groups: str | os.PathLike[str] | None = None,
    encoding: str = "utf-8",
    min_annotations: int | str = 4,
    repeated: Literal["mean", "first", "last", "all"] = "mean",
    unknown: Literal["kept", "dropped"] = "kept",
    weights: Literal["none", "agreement"] = "none",
    seed: int | str = 1,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
) -> Results:
    """Judgments to labels, and how far people agree.

    Args:
        folder: folder with the instances; none: that of `out`.
        judgments: files, folders or globs: sheets that people filled in, and tables with a judgment
            a row.
        out: folder of the published tables; if not given, the one of `folder`.
        id_column: column of instances' ids.
        rating_column: column of ratings, 1 to 5 or their words.
        annotator_column: column of who judged; may be missing.
        group_column: column of annotators' groups; may be missing.
        groups: groups of annotators who have none in the table: a name, a tab, a group.
        encoding: of files without byte order mark.
        min_annotations: with fewer judgments an instance has no complexity, reason too_few (at
            least 1).
        repeated: of several judgments of an instance by one annotator: their mean counts as one, or
            the first or last alone, or all.
        unknown: judgments of which nobody says whose they are; kept, each is another's.
        weights: agreement: annotators count by their correlation with the mean of the others, 0
            where it is negative.
        seed: of the halves by which reliability is measured.
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
        "complexity aggregate",
        {
            "folder": folder,
            "judgments": judgments,
            "out": out,
            "id_column": id_column,
            "rating_column": rating_column,
            "annotator_column": annotator_column,
            "group_column": group_column,
            "groups": groups,
            "encoding": encoding,
            "min_annotations": min_annotations,
            "repeated": repeated,
            "unknown": unknown,
            "weights": weights,
            "seed": seed,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
        },
    )


def export(
    path: str | os.PathLike[str],
    *,
    to: str | os.PathLike[str],
    predictions: str | None = None,
    annotator: str | Sequence[str] = (),
    kind: Literal["single", "mwe", "all"] = "all",
    most: int | str | None = None,
    duplicates: bool = False,
    seed: int | str = 1,
) -> list[str]:
    """Instances as files that people fill in.

    Args:
        path: folder of published tables.
        to: file to write, FILE.tsv; with `annotator` FILE.NAME.tsv for each.
        predictions: in place of a sheet, lines `id,score` of what this scorer predicts.
        annotator: a file for each of these people, each in another order.
        kind: targets of one word or multi-word expressions alone.
        most: ask about so many instances, drawn by `seed` (at least 1).
        duplicates: ask about duplicates, too: the same target, place and sentence.
        seed: of the order of rows, and of the draw.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act(
        "complexity export",
        {
            "path": path,
            "to": to,
            "predictions": predictions,
            "annotator": annotator,
            "kind": kind,
            "most": most,
            "duplicates": duplicates,
            "seed": seed,
        },
    )


def features(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    encoder: str | os.PathLike[str] | None = None,
    encoder_layers: str = "-1",
    encoder_pooling: str = "mean",
    encoder_length: int | str | None = None,
    encoder_batch: int | str = 32,
    encoder_device: Literal["auto", "cpu", "cuda"] = "auto",
    cache: str | os.PathLike[str] | None = None,
    use: str | Sequence[str] = (),
    wordlist: str | Sequence[str] = (),
    wordnet: str | os.PathLike[str] | None = None,
    vectors: str | os.PathLike[str] | None = None,
    corpus: str | os.PathLike[str] | None = None,
    languages: str | Sequence[str] = ("de", "en", "es", "fr", "it", "nl", "pt", "sv"),
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Features of words in their sentences, for complexity.

    Args:
        folder: folder with instances, of `lexbeam complexity load` or `select`; none: that of
            `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        encoder: masked language model or encoder: a folder as save_pretrained writes it, or
            KIND:ARGUMENT.
        encoder_layers: layers whose mean is a piece's vector: -1 (the last), -4..-1, 0,1 (0:
            embeddings).
        encoder_pooling: how a span's pieces become one vector.
        encoder_length: pieces kept of a longer text, around the target; special ones count;
            default: what the model takes (at least 8).
        encoder_batch: texts of a document that go through the model at once (at least 1).
        encoder_device: where the encoder runs; auto: a CUDA device if there is one, else the CPU.
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        use: groups of features; if not given, all for which there is what they need.
        wordlist: word lists, each NAME=FILE:word=COLUMN,value=COLUMN, see
            docs/reference/resources.md; the columns are called NAME.
        wordnet: folder of the database files of WordNet, see docs/reference/wordnet.md.
        vectors: static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`, and what
            docs/reference/resources.md has of options.
        corpus: folder of `lexbeam corpus`: a reference corpus in which words and n-grams are
            counted.
        languages: languages beside its own in which a word's frequency is looked up.
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
        "complexity features",
        {
            "folder": folder,
            "out": out,
            "encoder": encoder,
            "encoder_layers": encoder_layers,
            "encoder_pooling": encoder_pooling,
            "encoder_length": encoder_length,
            "encoder_batch": encoder_batch,
            "encoder_device": encoder_device,
            "cache": cache,
            "use": use,
            "wordlist": wordlist,
            "wordnet": wordnet,
            "vectors": vectors,
            "corpus": corpus,
            "languages": languages,
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


def load(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    layout: Literal["complex", "cwi2018", "tsv"],
    out: str | os.PathLike[str],
    kind: Literal["single", "mwe", "all"] = "all",
    exclude: str | Sequence[str] = (),
    genre: str | None = None,
    language: str | None = None,
    encoding: str | Sequence[str] = ("utf-8",),
    delimiter: str = "",
    quoting: bool = True,
    engine: str | None = None,
    max_reject_share: float | str = 0.05,
    max_line_bytes: int | str = 1048576,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    parts: int | str = 8,
    beam: Sequence[str] = (),
) -> Results:
    """Labelled files and word lists to instances.

    Args:
        inputs: files, folders or globs, compressed or not.
        layout: how the files are laid out.
        out: folder of the published tables.
        kind: load targets of one word or multi-word expressions alone.
        exclude: patterns of files to leave out.
        genre: genre where the file does not say.
        language: language where the row does not say; else of the file's name, of the engine, and
            English for complex.
        encoding: of several the first that takes a line.
        delimiter: of layout tsv; found out if not given.
        quoting: whether quotes mean something in layout tsv; not where cells are separated by tabs
            and a quote is stray.
        engine: annotate the sentences: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG; without
            one there are word forms alone.
        max_reject_share: publish nothing if more than this share of input records is rejected (at
            least 0, at most 1).
        max_line_bytes: longer rows are rejects (at least 1, at most 1125899906842624).
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).
        runner_config: YAML file of runner_configs/, or its name.
        parts: parts (files) of each table of records (at least 1, at most 10000).
        beam: Beam options, as they stand on the command line.

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "complexity load",
        {
            "inputs": inputs,
            "layout": layout,
            "out": out,
            "kind": kind,
            "exclude": exclude,
            "genre": genre,
            "language": language,
            "encoding": encoding,
            "delimiter": delimiter,
            "quoting": quoting,
            "engine": engine,
            "max_reject_share": max_reject_share,
            "max_line_bytes": max_line_bytes,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
            "runner_config": runner_config,
            "parts": parts,
        },
        beam,
    )


def score(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    scorer: str | Sequence[str] = ("gradient-boosting",),
    on: str | os.PathLike[str] | None = None,
    save: str | os.PathLike[str] | None = None,
    model: str | os.PathLike[str] | None = None,
    folds: int | str = 5,
    mwe: str | Sequence[Literal["own", "average", "double", "pooled", "words"]] = ("words",),
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
    svr_gamma: float | str = 0.5,
    svr_weighting: float | str = 0.5,
    trees: int | str = 150,
    leaves: int | str = 127,
    rounds: int | str = 500,
    learning_rate: float | str = 0.03,
    boosting_leaves: int | str = 15,
    members: str
    | Sequence[Literal["frequency", "ridge", "svr", "random-forest", "extra-trees", "gradient-boosting"]] = (
        "ridge",
        "svr",
        "gradient-boosting",
    ),
    weights: Literal["nonnegative", "ridge"] = "nonnegative",
    inner_folds: int | str = 3,
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
        on: instead of folds, predict the instances of this folder, and train on all of DIR.
        save: keep the scorer, trained on all labelled instances, in this folder; one scorer.
        model: train nothing: predict the instances of the folder by a scorer that `save` kept.
        folds: folds of cross-validation, by hash of the case-folded target (at least 2, at most
            1000).
        mwe: expressions: trained on words, which are single words and both parts of expressions; on
            expressions as a whole; doubled, a row for each part; pooled with single words; or the
            average of what single words' scorer says of both parts; systems are called by the
            scorer, and from the second on SCORER/WAY.
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
        svr_weighting: SVR: columns are weighted by this power of their correlation with the labels
            of the training rows; 0: none (at least 0, at most 4).
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
        metric: metrics of numbers, see docs/reference/evaluation.md.
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
            "svr_weighting": svr_weighting,
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


def select(
    corpora: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    *,
    out: str | os.PathLike[str] | None = None,
    patterns: str | Sequence[str] = (),
    proper: bool = False,
    plurals: bool = True,
    language: str | None = None,
    genres: str | Sequence[str] = (),
    min_sentence: int | str = 1,
    max_sentence: int | str | None = None,
    band: str | Sequence[str] = (),
    contexts: int | str = 5,
    quota: int | str | Sequence[int | str] = (),
    seed: int | str = 1,
    cache: str | os.PathLike[str] | None = None,
    resources: str | Sequence[str] = (),
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    parts: int | str = 8,
    beam: Sequence[str] = (),
) -> Results:
    """Targets in their sentences, drawn from corpora.

    Args:
        corpora: folders made by `lexbeam corpus`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `corpora`.
        patterns: patterns of targets: noun, noun-noun, en:adj-noun; if not given, all of the
            corpora's languages.
        proper: proper nouns count as nouns.
        plurals: plural nouns count as nouns; without them, layer xpos is needed.
        language: language of sentences whose language is not known (ISO 639).
        genres: genre of each corpus, in the order of the corpora; if not given, the documents' own.
        min_sentence: shortest sentence, in tokens (at least 1).
        max_sentence: longest sentence, in tokens (at least 1).
        band: only targets each word of which has a value of LIST, a resource, between these, both
            included: zipf=2:5, zipf=:4.5.
        contexts: most instances of a case-folded target in a genre (at least 1).
        quota: most instances of a genre and kind: N, or single=N,mwe=M; if not given, all.
        seed: another seed draws other instances (at least 0).
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        resources: word lists, vectors, WordNet: NAME=FILE:word=COLUMN,value=COLUMN or
            NAME=KIND:..., see docs/reference/resources.md.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).
        runner_config: YAML file of runner_configs/, or its name.
        parts: parts (files) of the table (at least 1, at most 10000).
        beam: Beam options, as they stand on the command line.

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "complexity select",
        {
            "corpora": corpora,
            "out": out,
            "patterns": patterns,
            "proper": proper,
            "plurals": plurals,
            "language": language,
            "genres": genres,
            "min_sentence": min_sentence,
            "max_sentence": max_sentence,
            "band": band,
            "contexts": contexts,
            "quota": quota,
            "seed": seed,
            "cache": cache,
            "resources": resources,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
            "runner_config": runner_config,
            "parts": parts,
        },
        beam,
    )


def split(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    method: str = "balanced",
    shares: str | Sequence[str] = ("train=.85", "trial=.05", "test=.10"),
    seed: int | str = 1,
    one_sentence: bool = False,
    bands: int | str = 256,
    duplicates: Literal["keep", "leave-out"] = "keep",
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
) -> Results:
    """Splits alike in genre and complexity, no token in two.

    Args:
        folder: folder with instances and labels; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        method: paper: as the shared task's paper says, genre by genre; paper-global: the same, a
            token staying in the split of its first genre; balanced: genres and complexities made
            alike by swaps, no token in two splits.
        shares: splits and their shares of the instances.
        seed: other seeds give other splits.
        one_sentence: balanced: no sentence in two splits either; what hangs together by tokens and
            sentences and is too large goes to the largest split.
        bands: balanced: bands of complexity that are told apart, if labels have more values (at
            least 2, at most 4096).
        duplicates: instances that repeat another's target and sentence: split like others, or left
            out of all splits.
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
        "complexity split",
        {
            "folder": folder,
            "out": out,
            "method": method,
            "shares": shares,
            "seed": seed,
            "one_sentence": one_sentence,
            "bands": bands,
            "duplicates": duplicates,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
        },
    )
