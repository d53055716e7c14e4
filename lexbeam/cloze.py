# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam cloze ...` as functions."""

import os
from collections.abc import Sequence
from typing import Literal

from lexbeam._calling import act as _act
from lexbeam._calling import publish as _publish
from lexbeam.results import Results

__all__ = ["abstractness", "annotate", "answer", "candidates", "explain", "export", "options", "pairs", "questions"]


def abstractness(
    *,
    ratings: str | Sequence[str],
    out: str | os.PathLike[str],
    overwrite: bool = False,
    of: Literal["lemma", "form"] = "lemma",
    rated: Literal["use", "predict"] = "use",
    abstract_below: float | str = 0.35,
    folds: int | str = 5,
    cache: str | os.PathLike[str] | None = None,
    inputs: str | Sequence[str] = (),
    vectors: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    wordnet: str | os.PathLike[str] | None = None,
    components: int | str = 400,
    ngram_words: int | str = 4,
    ngram_dim: int | str = 150,
    hypernym_words: int | str = 5,
    hypernyms: int | str = 1000,
    gloss_dim: int | str = 200,
    gloss_least: int | str = 3,
    vocabulary: int | str = 400000,
    estimator: str = "mean",
    compare: str | Sequence[str] = (),
    ridge_alpha: float | str = 1.0,
    svr_c: float | str = 0.3,
    svr_epsilon: float | str = 0.05,
    svr_gamma: float | str = 1.0,
    hidden: int | str = 128,
    dropout: float | str = 0.2,
    epochs: int | str = 60,
    patience: int | str = 8,
    batch: int | str = 32,
    learning_rate: float | str = 0.001,
    seed: int | str = 1,
    resamples: int | str = 1000,
    level: float | str = 0.95,
    bootstrap_seed: int | str = 0,
) -> list[str]:
    """How concrete words are, learned from ratings: a model.

    Args:
        ratings: rated words, FILE:word=COLUMN,value=COLUMN and what docs/reference/resources.md has
            of options, such as scale=1-5; the range is read from the file where that is not said;
            several files are joined.
        out: folder of the model.
        overwrite: replace another model in that folder.
        of: by what words of a text are looked up first: their lemma or their form.
        rated: whether rated words have their rating, or the prediction of a fold that did not see
            it.
        abstract_below: words rated below this, 0 to 1, are abstract (ReCAM's) (at least 0.01, at
            most 0.99).
        folds: folds of rated words, by their hash (at least 2, at most 100).
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        inputs: what words are described by; if not given, ngrams, wordnet, glosses, and vectors
            where there are such.
        vectors: static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`; several may be
            given.
        wordnet: folder of the database files of WordNet, see docs/reference/wordnet.md; if not
            given, where Debian has them.
        components: numbers that all inputs of a word are reduced to (at least 1, at most 5000).
        ngram_words: rated words that an n-gram must be in (at least 1).
        ngram_dim: numbers that n-grams are reduced to (at least 1, at most 5000).
        hypernym_words: rated words that must lie below a hypernym (at least 1).
        hypernyms: hypernyms at most, those of the most words (at least 1).
        gloss_dim: numbers of a vector of glosses (at least 1, at most 2000).
        gloss_least: glosses that a word must stand in to have one (at least 1).
        vocabulary: words whose predictions the model holds: those of WordNet, then those of vectors
            in their order; others are predicted from their n-grams (at least 0).
        estimator: ridge, SVR, the mean of both, or the paper's network.
        compare: further estimators to measure on the same folds.
        ridge_alpha: ridge: weight of the penalty (at least 1e-09).
        svr_c: SVR: weight of errors (at least 1e-06).
        svr_epsilon: SVR: error that costs nothing (at least 0).
        svr_gamma: SVR: width of the kernel (at least 1e-06).
        hidden: network: units of each of its two layers (at least 1, at most 10000).
        dropout: network: share of its inputs dropped (at least 0, at most 0.95).
        epochs: network: passes over the words at most (at least 1, at most 10000).
        patience: network: passes without a lesser error on a tenth of the words (at least 1).
        batch: network: words of a step (at least 1).
        learning_rate: network: Adam's step (at least 1e-09, at most 1).
        seed: of folds and of the network (at least 0, at most 2147483647).
        resamples: resamples of the bootstrap; 0: no intervals (at least 0, at most 1000000).
        level: share of the resamples that an interval holds (at least 0.01, at most 0.999).
        bootstrap_seed: seed of the resamples.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act(
        "cloze abstractness",
        {
            "ratings": ratings,
            "out": out,
            "overwrite": overwrite,
            "of": of,
            "rated": rated,
            "abstract_below": abstract_below,
            "folds": folds,
            "cache": cache,
            "inputs": inputs,
            "vectors": vectors,
            "wordnet": wordnet,
            "components": components,
            "ngram_words": ngram_words,
            "ngram_dim": ngram_dim,
            "hypernym_words": hypernym_words,
            "hypernyms": hypernyms,
            "gloss_dim": gloss_dim,
            "gloss_least": gloss_least,
            "vocabulary": vocabulary,
            "estimator": estimator,
            "compare": compare,
            "ridge_alpha": ridge_alpha,
            "svr_c": svr_c,
            "svr_epsilon": svr_epsilon,
            "svr_gamma": svr_gamma,
            "hidden": hidden,
            "dropout": dropout,
            "epochs": epochs,
            "patience": patience,
            "batch": batch,
            "learning_rate": learning_rate,
            "seed": seed,
            "resamples": resamples,
            "level": level,
            "bootstrap_seed": bootstrap_seed,
        },
    )


def annotate(
    folder: str | os.PathLike[str] | None = None,
    *,
    annotations: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str] | None = None,
    write_jsonl: str | os.PathLike[str] | None = None,
    columns: str | Sequence[str] = (),
    first_option: Literal["0", "1"] = "0",
    encoding: str = "utf-8",
    min_accuracy: float | str = 0.4,
    accuracy_of: Literal["question", "annotator"] = "question",
    min_approval: float | str = 0.9,
    unknown_approval: Literal["kept", "dropped"] = "kept",
    min_answers: int | str = 1,
    evidence: bool = True,
    easy: bool = True,
    easy_words: str | Sequence[str] = ("easy", "very easy"),
    rules_of: Literal["question", "answer"] = "question",
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
) -> Results:
    """People's answers to questions, and which are kept.

    Args:
        folder: folder with the questions; none: that of `out`.
        annotations: files, folders or globs: sheets that people filled in, tables and JSON lines
            with an answer a row.
        out: folder of the published tables; if not given, the one of `folder`.
        write_jsonl: write the questions that are kept as the task's files have them; {kind} and
            {split} in the name: a file for each.
        columns: what columns of tables are called, if otherwise, such as annotator_id=worker.
        first_option: the number of the first option in tables: 0, as labels have it, or 1.
        encoding: of files without byte order mark.
        min_accuracy: the accuracy must be above this (at least -1, at most 1).
        accuracy_of: whose accuracy: that of a question, which is dropped, or of an annotator, whose
            answers do not count then.
        min_approval: the annotator's approval rate must be above this (at least -1, at most 1).
        unknown_approval: answers of annotators whose approval rate nobody says.
        min_answers: answers that count which a question needs (at least 1).
        evidence: ask that answers quote both passage and summary.
        easy: ask that who calls a question easy answers it rightly.
        easy_words: what difficulties count as easy.
        rules_of: what breaks the rules of evidence and easy questions: the question is dropped, or
            the answer does not count.
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
        "cloze annotate",
        {
            "folder": folder,
            "annotations": annotations,
            "out": out,
            "write_jsonl": write_jsonl,
            "columns": columns,
            "first_option": first_option,
            "encoding": encoding,
            "min_accuracy": min_accuracy,
            "accuracy_of": accuracy_of,
            "min_approval": min_approval,
            "unknown_approval": unknown_approval,
            "min_answers": min_answers,
            "evidence": evidence,
            "easy": easy,
            "easy_words": easy_words,
            "rules_of": rules_of,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
        },
    )


def answer(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    systems: str | Sequence[str] = ("ga5",),
    asked: Literal["questions", "targets"] = "questions",
    by: Literal["article", "split"] = "article",
    folds: int | str = 4,
    splits: str | Sequence[str] = ("train", "dev", "test"),
    cross: bool = True,
    seed: int | str = 1,
    hidden: int | str = 64,
    dim: int | str = 100,
    hops: int | str = 2,
    batch: int | str = 64,
    learning_rate: float | str = 0.004,
    dropout: float | str = 0.4,
    epochs: int | str = 10,
    patience: int | str = 3,
    clip: float | str = 5.0,
    passage_tokens: int | str = 50,
    start: Literal["own", "random"] = "own",
    own_window: int | str = 5,
    own_epochs: int | str = 10,
    own_negative: int | str = 5,
    own_rate: float | str = 0.05,
    own_sample: float | str = 0.0001,
    own_deviation: float | str = 0.3,
    tune_vectors: bool = False,
    min_count: int | str = 2,
    most_words: int | str = 100000,
    vectors: str | os.PathLike[str] | None = None,
    encoder_length: int | str | None = None,
    encoder_device: Literal["auto", "cpu", "cuda"] = "auto",
    resamples: int | str = 1000,
    level: float | str = 0.95,
    bootstrap_seed: int | str = 0,
    cache: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Reading systems that choose among the options of cloze questions.

    Args:
        folder: folder with questions, of `lexbeam cloze questions`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        systems: who answers: ga5, the gated-attention reader over five options, trained here;
            multiple-choice:PATH, a local model of transformers.
        asked: what is asked: questions that were made here, or targets that the files have with
            their options.
        by: systems are trained on other folds of articles than they are asked, or on a split of the
            questions.
        folds: folds of articles (at least 2, at most 1000).
        splits: with `by` split: that which systems are trained on, that which decides when training
            stops, and that which they are asked.
        cross: also ask systems the kinds that they were not trained on.
        seed: of folds and training.
        hidden: length of a GRU's state, of each direction (at least 1, at most 16384).
        dim: length of word embeddings; vectors that are given have their own (at least 1, at most
            16384).
        hops: times that the gated-attention reader reads a passage (at least 1, at most 64).
        batch: questions of a step of training (at least 1, at most 65536).
        learning_rate: that Adam begins with (at least 0).
        dropout: share of inputs and final states dropped (at least 0, at most 0.99).
        epochs: times that training sees the questions, at most (at least 1, at most 10000).
        patience: epochs without a better loss on the articles held out, after which it stops (at
            least 1, at most 10000).
        clip: the greatest norm of a step's gradient (at least 0).
        passage_tokens: words of a passage that are read (at least 1).
        start: what embeddings begin as without `vectors`: own vectors of the texts of the other
            folds, or random numbers.
        own_window: own vectors: words to either side, at most (at least 1, at most 1000).
        own_epochs: own vectors: times that texts are read (at least 1, at most 10000).
        own_negative: own vectors: words drawn for each true one (at least 1, at most 1000).
        own_rate: own vectors: learning rate at the start (at least 0.0001).
        own_sample: own vectors: threshold of random removal of frequent words; 0 for none (at least
            0).
        own_deviation: standard deviation to which own vectors' numbers are scaled (at least 0).
        tune_vectors: train embeddings of passage and summary further that `vectors` initialise;
            those without a vector are then trained, too; own vectors always are.
        min_count: times that a word stands in texts, at least, to have an embedding; options have
            one (at least 1).
        most_words: words of texts with an embedding, at most (at least 1).
        vectors: static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`.
        encoder_length: pieces of passage and question together that models read; what is over is
            cut from the passage's end; default: what the model takes (at least 8).
        encoder_device: where models run; auto: a CUDA device if there is one, else the CPU.
        resamples: resamples of the bootstrap; 0: no intervals (at least 0, at most 1000000).
        level: share of the resamples that an interval holds (at least 0.01, at most 0.999).
        bootstrap_seed: seed of the resamples.
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
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
        "cloze answer",
        {
            "folder": folder,
            "out": out,
            "systems": systems,
            "asked": asked,
            "by": by,
            "folds": folds,
            "splits": splits,
            "cross": cross,
            "seed": seed,
            "hidden": hidden,
            "dim": dim,
            "hops": hops,
            "batch": batch,
            "learning_rate": learning_rate,
            "dropout": dropout,
            "epochs": epochs,
            "patience": patience,
            "clip": clip,
            "passage_tokens": passage_tokens,
            "start": start,
            "own_window": own_window,
            "own_epochs": own_epochs,
            "own_negative": own_negative,
            "own_rate": own_rate,
            "own_sample": own_sample,
            "own_deviation": own_deviation,
            "tune_vectors": tune_vectors,
            "min_count": min_count,
            "most_words": most_words,
            "vectors": vectors,
            "encoder_length": encoder_length,
            "encoder_device": encoder_device,
            "resamples": resamples,
            "level": level,
            "bootstrap_seed": bootstrap_seed,
            "cache": cache,
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


def candidates(
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
    kind: str | Sequence[Literal["imperceptibility", "nonspecificity", "intersection"]] = (
        "imperceptibility",
        "nonspecificity",
    ),
    filters: str | Sequence[Literal["pos", "repeated", "lemma", "synonym", "antonym", "static", "contextual"]] = (),
    evaluate: Literal["all", "until-rejected"] = "all",
    abstractness: str | os.PathLike[str] | None = None,
    concreteness_below: float | str | None = None,
    wordnet: str | os.PathLike[str] | None = None,
    vectors: str | os.PathLike[str] | None = None,
    sense: str = "lesk",
    depth: Literal["max", "min"] = "max",
    depth_below: float | str = 6.0,
    proper_nouns: Literal["noun", "common", "reject"] = "noun",
    relation_match: Literal["surface", "lemma"] = "surface",
    relation_senses: Literal["all", "tag"] = "all",
    static_threshold: str = "0.85",
    contextual_threshold: str = "0.85",
    random_pairs: int | str = 100000,
    seed: int | str = 1,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Words of summaries that may become answers, with every filter's verdict.

    Args:
        folder: folder with pairs, of `lexbeam cloze pairs`; none: that of `out`.
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
        kind: what makes answers abstract: one or several.
        filters: filters beside the kinds' own criteria; if not given, all for which there is what
            they need.
        evaluate: whether every filter is asked of every word, or only until one rejects it.
        abstractness: folder of a model of `lexbeam cloze abstractness`.
        concreteness_below: words from this concreteness on, 0 to 1, are not imperceptible; if not
            given, the threshold that the model was calibrated to (at least 0, at most 1).
        wordnet: folder of the database files of WordNet, see docs/reference/wordnet.md; if not
            given, where Debian has them.
        vectors: static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`, and what
            docs/reference/resources.md has of options, such as centre=yes and remove=3.
        sense: which sense decides how deep a word lies: that of adapted Lesk, the first, or any.
        depth: longest or shortest way to a root of WordNet.
        depth_below: words of this depth, or deeper, are not nonspecific (at least 0).
        proper_nouns: whether proper nouns count as nouns; common: those that WordNet has, and not
            as an instance.
        relation_match: what synonyms and antonyms are compared with: forms of the passage, or
            lemmas as well.
        relation_senses: whose synonyms and antonyms: of all senses, or of those of the word's tag.
        static_threshold: cosine of static vectors from which on a word of the passage is too
            similar, or quantile:Q of random words of this corpus.
        contextual_threshold: likewise of contextual vectors.
        random_pairs: random word pairs that quantiles are taken of (at least 1).
        seed: of random word pairs.
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
        "cloze candidates",
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
            "kind": kind,
            "filters": filters,
            "evaluate": evaluate,
            "abstractness": abstractness,
            "concreteness_below": concreteness_below,
            "wordnet": wordnet,
            "vectors": vectors,
            "sense": sense,
            "depth": depth,
            "depth_below": depth_below,
            "proper_nouns": proper_nouns,
            "relation_match": relation_match,
            "relation_senses": relation_senses,
            "static_threshold": static_threshold,
            "contextual_threshold": contextual_threshold,
            "random_pairs": random_pairs,
            "seed": seed,
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


def explain(
    *,
    passage: str | os.PathLike[str],
    summary: str | os.PathLike[str],
    language: str | None = None,
    engine: str | None = None,
    tsv: bool = False,
    json: bool = False,
    encoder: str | os.PathLike[str] | None = None,
    encoder_layers: str = "-1",
    encoder_pooling: str = "mean",
    encoder_length: int | str | None = None,
    encoder_batch: int | str = 32,
    encoder_device: Literal["auto", "cpu", "cuda"] = "auto",
    cache: str | os.PathLike[str] | None = None,
    kind: str | Sequence[Literal["imperceptibility", "nonspecificity", "intersection"]] = (),
    filters: str | Sequence[Literal["pos", "repeated", "lemma", "synonym", "antonym", "static", "contextual"]] = (),
    evaluate: Literal["all", "until-rejected"] = "all",
    abstractness: str | os.PathLike[str] | None = None,
    concreteness_below: float | str | None = None,
    wordnet: str | os.PathLike[str] | None = None,
    vectors: str | os.PathLike[str] | None = None,
    sense: str = "lesk",
    depth: Literal["max", "min"] = "max",
    depth_below: float | str = 6.0,
    proper_nouns: Literal["noun", "common", "reject"] = "noun",
    relation_match: Literal["surface", "lemma"] = "surface",
    relation_senses: Literal["all", "tag"] = "all",
    static_threshold: str = "0.85",
    contextual_threshold: str = "0.85",
    random_pairs: int | str = 100000,
    seed: int | str = 1,
    min_summary_words: int | str = 2,
    max_summary_words: int | str = 1000,
    min_passage_words: int | str = 1,
    max_passage_words: int | str = 20000,
) -> list[str]:
    """What filters say of each word of one summary, and why.

    Args:
        passage: the passage, a text in UTF-8.
        summary: its summary, likewise.
        language: language of both; if not given, that of the engine, without one en.
        engine: annotate the texts: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG; without one
            there are word forms alone.
        tsv: print a row for each word and kind, tab-separated, and nothing else.
        json: print the same rows as one JSON document, and nothing else.
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
        kind: what makes answers abstract: one or several; if not given, all, as far as there is
            what they need.
        filters: filters beside the kinds' own criteria; if not given, all for which there is what
            they need.
        evaluate: whether every filter is asked of every word, or only until one rejects it.
        abstractness: folder of a model of `lexbeam cloze abstractness`.
        concreteness_below: words from this concreteness on, 0 to 1, are not imperceptible; if not
            given, the threshold that the model was calibrated to (at least 0, at most 1).
        wordnet: folder of the database files of WordNet, see docs/reference/wordnet.md; if not
            given, where Debian has them.
        vectors: static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`, and what
            docs/reference/resources.md has of options, such as centre=yes and remove=3.
        sense: which sense decides how deep a word lies: that of adapted Lesk, the first, or any.
        depth: longest or shortest way to a root of WordNet.
        depth_below: words of this depth, or deeper, are not nonspecific (at least 0).
        proper_nouns: whether proper nouns count as nouns; common: those that WordNet has, and not
            as an instance.
        relation_match: what synonyms and antonyms are compared with: forms of the passage, or
            lemmas as well.
        relation_senses: whose synonyms and antonyms: of all senses, or of those of the word's tag.
        static_threshold: cosine of static vectors from which on a word of the passage is too
            similar, or quantile:Q of random words of this corpus.
        contextual_threshold: likewise of contextual vectors.
        random_pairs: random word pairs that quantiles are taken of (at least 1).
        seed: of random word pairs.
        min_summary_words: shorter summaries are rejects (at least 1).
        max_summary_words: longer summaries are rejects (at least 1).
        min_passage_words: shorter passages are rejects (at least 1).
        max_passage_words: longer passages are rejects (at least 1).

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act(
        "cloze explain",
        {
            "passage": passage,
            "summary": summary,
            "language": language,
            "engine": engine,
            "tsv": tsv,
            "json": json,
            "encoder": encoder,
            "encoder_layers": encoder_layers,
            "encoder_pooling": encoder_pooling,
            "encoder_length": encoder_length,
            "encoder_batch": encoder_batch,
            "encoder_device": encoder_device,
            "cache": cache,
            "kind": kind,
            "filters": filters,
            "evaluate": evaluate,
            "abstractness": abstractness,
            "concreteness_below": concreteness_below,
            "wordnet": wordnet,
            "vectors": vectors,
            "sense": sense,
            "depth": depth,
            "depth_below": depth_below,
            "proper_nouns": proper_nouns,
            "relation_match": relation_match,
            "relation_senses": relation_senses,
            "static_threshold": static_threshold,
            "contextual_threshold": contextual_threshold,
            "random_pairs": random_pairs,
            "seed": seed,
            "min_summary_words": min_summary_words,
            "max_summary_words": max_summary_words,
            "min_passage_words": min_passage_words,
            "max_passage_words": max_passage_words,
        },
    )


def export(
    path: str | os.PathLike[str],
    *,
    to: str | os.PathLike[str],
    annotator: str | Sequence[str] = (),
    kind: str | Sequence[Literal["imperceptibility", "nonspecificity", "intersection"]] = (),
    split: str | Sequence[str] = (),
    most: int | str | None = None,
    seed: int | str = 1,
) -> list[str]:
    """Questions as files in which people answer them.

    Args:
        path: folder of published tables.
        to: file to write, FILE.tsv; with `annotator` FILE.NAME.tsv for each.
        annotator: a file for each of these people, each in another order.
        kind: questions of these kinds alone.
        split: questions of these splits alone.
        most: ask so many questions, drawn by `seed` (at least 1).
        seed: of the order of rows, and of the draw.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act(
        "cloze export",
        {"path": path, "to": to, "annotator": annotator, "kind": kind, "split": split, "most": most, "seed": seed},
    )


def options(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    readers: str | Sequence[Literal["ga", "ar", "ar-gloss", "frequency"]] = ("ga", "ar", "ar-gloss"),
    folds: int | str = 4,
    seed: int | str = 1,
    hidden: int | str = 64,
    dim: int | str = 100,
    hops: int | str = 2,
    batch: int | str = 64,
    learning_rate: float | str = 0.004,
    dropout: float | str = 0.4,
    epochs: int | str = 10,
    patience: int | str = 3,
    clip: float | str = 5.0,
    passage_tokens: int | str = 50,
    start: Literal["own", "random"] = "own",
    own_window: int | str = 5,
    own_epochs: int | str = 10,
    own_negative: int | str = 5,
    own_rate: float | str = 0.05,
    own_sample: float | str = 0.0001,
    own_deviation: float | str = 0.3,
    tune_vectors: bool = False,
    prior: float | str = 0.1,
    further_each: float | str = 2.0,
    further_weight: float | str = 1.0,
    gloss_tokens: int | str = 30,
    asked: Literal["passed", "targets"] = "passed",
    min_answers: int | str = 1,
    min_count: int | str = 2,
    most_words: int | str = 100000,
    train_on: Literal["answers", "summaries", "passages"] = "passages",
    further_most: int | str = 32,
    further_tokens: int | str = 40,
    inflect: bool = True,
    options_in_passage: Literal["allow", "reject"] = "allow",
    similar: float | str = 0.85,
    list_sizes: int | str | Sequence[int | str] = (10, 20, 50),
    near: int | str = 200,
    least_similar: float | str = 0.1,
    most_similar: float | str = 0.6,
    wordnet: str | os.PathLike[str] | None = None,
    vectors: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Words beside the answers of cloze questions.

    Args:
        folder: folder with candidates, of `lexbeam cloze candidates`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        readers: who names words: gated-attention reader, attentive reader, attentive reader with
            glosses; or frequency alone, which needs no torch.
        folds: parts of the articles; a reader is asked the one that it is not trained on (at least
            2).
        seed: of folds, training and draws.
        hidden: length of a GRU's state, of each direction (at least 1, at most 16384).
        dim: length of word embeddings; vectors that are given have their own (at least 1, at most
            16384).
        hops: times that the gated-attention reader reads a passage (at least 1, at most 64).
        batch: questions of a step of training (at least 1, at most 65536).
        learning_rate: that Adam begins with (at least 0).
        dropout: share of inputs and final states dropped (at least 0, at most 0.99).
        epochs: times that training sees the questions, at most (at least 1, at most 10000).
        patience: epochs without a better loss on the articles held out, after which it stops (at
            least 1, at most 10000).
        clip: the greatest norm of a step's gradient (at least 0).
        passage_tokens: words of a passage that are read (at least 1).
        start: what embeddings begin as without `vectors`: own vectors of the texts of the other
            folds, or random numbers.
        own_window: own vectors: words to either side, at most (at least 1, at most 1000).
        own_epochs: own vectors: times that texts are read (at least 1, at most 10000).
        own_negative: own vectors: words drawn for each true one (at least 1, at most 1000).
        own_rate: own vectors: learning rate at the start (at least 0.0001).
        own_sample: own vectors: threshold of random removal of frequent words; 0 for none (at least
            0).
        own_deviation: standard deviation to which own vectors' numbers are scaled (at least 0).
        tune_vectors: train embeddings of passage and summary further that `vectors` initialise;
            those without a vector are then trained, too; own vectors always are.
        prior: scores of words begin with the logarithm of how many questions trained on have them
            for an answer, and this much more; 0: without such a term (at least 0).
        further_each: further questions of an epoch, see `train_on`, for each question (at least 0).
        further_weight: what a further question counts in the loss, where a question counts 1 (at
            least 0).
        gloss_tokens: words of a gloss, at most (at least 1).
        asked: what is asked: candidates that passed all filters, or targets that the files have.
        min_answers: questions whose answer a word is, at least, for readers to name it (at least
            1).
        min_count: times that a word stands in texts, at least, to have an embedding (at least 1).
        most_words: words with an embedding, at most (at least 1).
        train_on: what readers are trained on: questions alone; or also candidate words in
            summaries; or also those in passages, each with its sentence for a summary.
        further_most: further questions of a pair, of summaries and passages, at most (at least 0).
        further_tokens: words of a passage that serve as the summary of a further question, at most
            (at least 2).
        inflect: inflect options as the answer is.
        options_in_passage: whether options may stand in the passage, as answers never do.
        similar: cosine with the answer or a synonym from which on a word is no option, where there
            are vectors (at least -1, at most 1).
        list_sizes: lengths of readers' lists that are looked through, one after the other, until
            there are four options (at least 1).
        near: words nearest to the answer in frequency that are drawn from (at least 4).
        least_similar: the least cosine with the answer, where there are vectors (at least -1, at
            most 1).
        most_similar: the greatest one (at least -1, at most 1).
        wordnet: folder of the database files of WordNet, see docs/reference/wordnet.md; if not
            given, where Debian has them.
        vectors: static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`.
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
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
        "cloze options",
        {
            "folder": folder,
            "out": out,
            "readers": readers,
            "folds": folds,
            "seed": seed,
            "hidden": hidden,
            "dim": dim,
            "hops": hops,
            "batch": batch,
            "learning_rate": learning_rate,
            "dropout": dropout,
            "epochs": epochs,
            "patience": patience,
            "clip": clip,
            "passage_tokens": passage_tokens,
            "start": start,
            "own_window": own_window,
            "own_epochs": own_epochs,
            "own_negative": own_negative,
            "own_rate": own_rate,
            "own_sample": own_sample,
            "own_deviation": own_deviation,
            "tune_vectors": tune_vectors,
            "prior": prior,
            "further_each": further_each,
            "further_weight": further_weight,
            "gloss_tokens": gloss_tokens,
            "asked": asked,
            "min_answers": min_answers,
            "min_count": min_count,
            "most_words": most_words,
            "train_on": train_on,
            "further_most": further_most,
            "further_tokens": further_tokens,
            "inflect": inflect,
            "options_in_passage": options_in_passage,
            "similar": similar,
            "list_sizes": list_sizes,
            "near": near,
            "least_similar": least_similar,
            "most_similar": most_similar,
            "wordnet": wordnet,
            "vectors": vectors,
            "cache": cache,
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


def pairs(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    *,
    layout: Literal["recam", "jsonl", "tsv", "documents", "corpus"],
    out: str | os.PathLike[str],
    kind: Literal["imperceptibility", "nonspecificity", "intersection"] | None = None,
    format: str = "auto",
    exclude: str | Sequence[str] = (),
    encoding: str | Sequence[str] = ("utf-8",),
    control: Literal["reject", "drop"] = "reject",
    marks: Literal["reject", "break"] = "reject",
    fields: str | Sequence[str] = (),
    text_field: str = "text",
    json_path: str = "",
    records: str = "",
    tei_parts: str | Sequence[Literal["body", "front", "back"]] = ("body",),
    delimiter: str = "",
    quoting: bool = True,
    header: bool = True,
    columns: str | Sequence[str] = (),
    lines_hold: Literal["lemmas", "forms", "text"] = "lemmas",
    html: Literal["reject", "main", "all"] = "reject",
    language: str | None = None,
    genre: str | None = None,
    summary: Literal["first-sentence", "first-paragraph"] = "first-sentence",
    skip_paragraphs: int | str = 0,
    keep_rest: bool = False,
    paragraphs: Literal["empty-line", "line"] = "empty-line",
    engine: str | None = None,
    max_reject_share: float | str = 0.05,
    max_record_bytes: int | str = 200000000,
    max_line_bytes: int | str = 33554432,
    max_expansion_ratio: int | str = 200,
    max_expanded_bytes: int | str = 1099511627776,
    min_summary_words: int | str = 2,
    max_summary_words: int | str = 1000,
    min_passage_words: int | str = 1,
    max_passage_words: int | str = 20000,
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
    """Passages with summaries, for cloze questions.

    Args:
        inputs: files, folders or globs, compressed or not; of layout corpus folders that `lexbeam
            corpus` made; none: that of `out`.
        layout: how pairs lie in them: recam, the files of the task; jsonl and tsv, two fields;
            documents, cut into summary and passage; corpus, likewise, with its annotation.
        out: folder of the published tables.
        kind: kind of ReCAM's questions where the file's name does not say.
        format: format of documents.
        exclude: patterns of files to leave out.
        encoding: encoding of text, lines, JSON, CSV and CoNLL-U; of several the first that takes a
            file or line.
        control: what becomes of NUL and halves of surrogate pairs; drop takes all control
            characters but white space.
        marks: what becomes of over 30 combining marks in a row.
        fields: which field gives what: title=headline,author=meta.by.
        text_field: field, column or path that holds the text: text, a.b, speeches[].text.
        json_path: path of the array within a JSON file.
        records: array in JSON or Parquet whose elements are the records: debates[].speeches[].
        tei_parts: parts of a TEI text.
        delimiter: of CSV; found out if not given.
        quoting: whether quotes mean something in CSV.
        header: whether the first row of CSV names the columns.
        columns: names of the columns of CSV without header.
        lines_hold: what `lines` are made of; text is for an engine.
        html: what is read of web pages: their main text, all, or nothing.
        language: language where the record does not say; else that of the engine.
        genre: genre where the record does not say.
        summary: what of a document is the summary.
        skip_paragraphs: paragraphs of a document to leave out before it, such as its headline (at
            least 0).
        keep_rest: whether the rest of the summary's paragraph begins the passage.
        paragraphs: what ends a paragraph of a document.
        engine: annotate the texts: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG; without one
            there are word forms alone.
        max_reject_share: publish nothing if more than this share of input records is rejected (at
            least 0, at most 1).
        max_record_bytes: larger files read whole (text, TEI, JSON object) or JSON elements are
            rejects (at least 1, at most 1125899906842624).
        max_line_bytes: longer lines are rejects: JSON lines, CSV, CoNLL-U, lines (at least 1, at
            most 1125899906842624).
        max_expansion_ratio: what expands more, and to over 16 MiB, is a reject: compressed files,
            archives (at least 1, at most 1125899906842624).
        max_expanded_bytes: what expands to more is a reject: compressed files, archives (at least
            1, at most 1125899906842624).
        min_summary_words: shorter summaries are rejects (at least 1).
        max_summary_words: longer summaries are rejects (at least 1).
        min_passage_words: shorter passages are rejects (at least 1).
        max_passage_words: longer passages are rejects (at least 1).
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
        "cloze pairs",
        {
            "inputs": inputs,
            "layout": layout,
            "out": out,
            "kind": kind,
            "format": format,
            "exclude": exclude,
            "encoding": encoding,
            "control": control,
            "marks": marks,
            "fields": fields,
            "text_field": text_field,
            "json_path": json_path,
            "records": records,
            "tei_parts": tei_parts,
            "delimiter": delimiter,
            "quoting": quoting,
            "header": header,
            "columns": columns,
            "lines_hold": lines_hold,
            "html": html,
            "language": language,
            "genre": genre,
            "summary": summary,
            "skip_paragraphs": skip_paragraphs,
            "keep_rest": keep_rest,
            "paragraphs": paragraphs,
            "engine": engine,
            "max_reject_share": max_reject_share,
            "max_record_bytes": max_record_bytes,
            "max_line_bytes": max_line_bytes,
            "max_expansion_ratio": max_expansion_ratio,
            "max_expanded_bytes": max_expanded_bytes,
            "min_summary_words": min_summary_words,
            "max_summary_words": max_summary_words,
            "min_passage_words": min_passage_words,
            "max_passage_words": max_passage_words,
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


def questions(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    write_jsonl: str | os.PathLike[str] | None = None,
    per_summary: Literal["all", "best"] = "all",
    seed: int | str = 1,
    shares: str | Sequence[str] = ("train=.53", "dev=.14", "test=.33"),
    tolerance: float | str = 0.02,
    score_tolerance: float | str = 0.05,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Cloze questions with five options, in splits, and the task's files.

    Args:
        folder: folder with options, of `lexbeam cloze options`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        write_jsonl: write the questions as the task's files have them, too; {kind} and {split} in
            the name: a file for each.
        per_summary: all candidates of a summary, or the best one for each kind.
        seed: of the order of options, and of splits.
        shares: splits and their shares of the questions.
        tolerance: by so much a share may be off, of a kind or of a part of speech in it, before it
            is told (at least 0, at most 1).
        score_tolerance: so far scores of two splits may be apart (Kolmogorov-Smirnov), before it is
            told (at least 0, at most 1).
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
        "cloze questions",
        {
            "folder": folder,
            "out": out,
            "write_jsonl": write_jsonl,
            "per_summary": per_summary,
            "seed": seed,
            "shares": shares,
            "tolerance": tolerance,
            "score_tolerance": score_tolerance,
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
