# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam simplify ...` as functions."""

import os
from collections.abc import Sequence
from typing import Literal

from lexbeam._calling import act as _act
from lexbeam._calling import publish as _publish
from lexbeam.results import Results

__all__ = ["generate", "instances", "rank", "rewrite", "select", "train_inflector"]


def generate(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    generators: str | Sequence[str] = ("thesaurus",),
    evidence: str | Sequence[str] = (),
    combine: Literal["union", "intersection"] = "union",
    k: int | str = 50,
    order: Literal["score", "frequency", "average"] = "score",
    senses: str = "all",
    sense_votes: Literal["one", "cosine"] = "one",
    sense_pos: Literal["any", "target"] = "any",
    neighbours: int | str = 10,
    neighbours_of: Literal["form", "lemma"] = "form",
    wordnet_relations: str | Sequence[Literal["synonym", "hypernym"]] = ("synonym", "hypernym"),
    wordnet_senses: Literal["tag", "all"] = "tag",
    masked_top: int | str = 80,
    masked_input: Literal["pair", "single"] = "pair",
    masked_rules: str | Sequence[str] = ("subword", "is_target", "accent_variant", "too_short", "prefix_of_target"),
    masked_merge: str = "accents",
    antonyms: Literal["bar", "keep"] = "bar",
    names: Literal["protect", "replace"] = "protect",
    seed: int | str = 1,
    cache: str | os.PathLike[str] | None = None,
    thesaurus: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    vectors: str | os.PathLike[str] | None = None,
    wordnet: str | os.PathLike[str] | None = None,
    model: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    model_device: Literal["auto", "cpu", "cuda"] = "auto",
    inflector: str | os.PathLike[str] | None = None,
    wordlist: str | Sequence[str] = (),
    bar: str | os.PathLike[str] | None = None,
    protect: str | os.PathLike[str] | None = None,
    setting: str = "default",
    settings: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Substitutes of words: thesauri, vectors, masked language models.

    Args:
        folder: folder with instances, of `lexbeam simplify instances`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        generators: what gives candidates.
        evidence: further generators that add to score and votes of candidates which the others
            give, and give none themselves.
        combine: candidates of any generator, or those that all give.
        k: candidates that are kept of an instance, those of the highest rank (at least 1).
        order: what they are ranked by: the score of all generators together, the frequency, or the
            average of the ranks by each generator, frequency and cosine.
        senses: whose words are candidates: of all senses of a thesaurus, the best one by vectors,
            the first, or a random one.
        sense_votes: what a sense counts for its words: one, or, by vectors, the cosine of its words
            and the sentence's.
        sense_pos: senses of any part of speech, or not those that have another one than the target.
        neighbours: nearest words by vectors (at least 1).
        neighbours_of: whether the vectors are of forms or of lemmas.
        wordnet_relations: words of the target's senses: their synonyms, or their hypernyms one
            level up.
        wordnet_senses: senses of the target's part of speech, where it is known, or all.
        masked_top: words of a masked language model that are looked at, the most probable (at least
            1).
        masked_input: whether the sentence stands before the one with the mask (pair), or this one
            alone is read (single).
        masked_rules: why words of a masked language model are dropped; none: for nothing.
        masked_merge: which words of a masked language model become one, their scores added: those
            that differ in accents or capitals alone, or in capitals.
        antonyms: what becomes of antonyms of the target, where WordNet is given.
        names: whether names, capitalised though no sentence begins with them, get candidates.
        seed: of random senses.
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        thesaurus: thesauri: MyThes files, tab files of Open Multilingual Wordnet; behind it
            :format=, encoding=, language=.
        vectors: static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`.
        wordnet: folder of the database files of WordNet, see docs/reference/wordnet.md.
        model: masked language models: folders as save_pretrained writes them.
        model_device: where models run; auto: a CUDA device if there is one, else the CPU.
        inflector: what makes forms of lemmas: a file of `lexbeam simplify train-inflector`, or
            lemminflect for English.
        wordlist: word lists, NAME=FILE:word=COLUMN,value=COLUMN or NAME=wordfreq:LANG; the first
            settles ties.
        bar: words that are no candidates: a text file, one a line.
        protect: words that get no candidates: a text file, one a line.
        setting: name of the setting, where no file of settings is given.
        settings: settings by name, each with the options that it has other than given here; see
            docs/tasks/simplification/README.md.
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
        "simplify generate",
        {
            "folder": folder,
            "out": out,
            "generators": generators,
            "evidence": evidence,
            "combine": combine,
            "k": k,
            "order": order,
            "senses": senses,
            "sense_votes": sense_votes,
            "sense_pos": sense_pos,
            "neighbours": neighbours,
            "neighbours_of": neighbours_of,
            "wordnet_relations": wordnet_relations,
            "wordnet_senses": wordnet_senses,
            "masked_top": masked_top,
            "masked_input": masked_input,
            "masked_rules": masked_rules,
            "masked_merge": masked_merge,
            "antonyms": antonyms,
            "names": names,
            "seed": seed,
            "cache": cache,
            "thesaurus": thesaurus,
            "vectors": vectors,
            "wordnet": wordnet,
            "model": model,
            "model_device": model_device,
            "inflector": inflector,
            "wordlist": wordlist,
            "bar": bar,
            "protect": protect,
            "setting": setting,
            "settings": settings,
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


def instances(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    layout: Literal["auto", "alexsis", "tsar", "benchls", "cwi2018", "text", "complexity"] = "auto",
    language: str | None = None,
    occurrences: Literal["first", "all", "reject"] = "first",
    exclude: str | Sequence[str] = (),
    encoding: str | Sequence[str] = ("utf-8",),
    quoting: bool = False,
    min_native: int | str | None = None,
    phrases: bool = False,
    capitals: bool = False,
    min_complexity: float | str | None = None,
    scorer: str | None = None,
    judgments: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    only_simplifiable: bool = False,
    judgment_column: str = "judgment",
    annotator_column: str = "annotator",
    joint: str = "joint",
    judgment_encoding: str = "utf-8",
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
    """Words to simplify, in their sentences, with people's substitutes.

    Args:
        inputs: files, folders or globs, compressed or not; of layout complexity folders with
            complexity/instances.
        out: folder of the published tables.
        layout: how the files are laid out; auto: told from the first rows of each.
        language: language of the sentences; else of the row (complexity), of the file's name
            (cwi2018), of the engine.
        occurrences: which of several places of a target counts where the row does not say; reject:
            such a row gives no instance.
        exclude: patterns of files to leave out.
        encoding: of several the first that takes a line.
        quoting: whether quotes mean something, in a table of layout text.
        min_native: of cwi2018: words that so many native annotators marked as complex; 5 if not
            given, as in ALEXSIS (at least 0).
        phrases: of cwi2018: take phrases, too.
        capitals: of cwi2018: take words with a capital letter, too.
        min_complexity: words at least so complex, 0 to 1, of cwi2018 and complexity (at least 0, at
            most 1).
        scorer: of complexity: what this scorer predicts counts, not the label.
        judgments: tables with a judgment a row, simplifiable, not or dubious.
        only_simplifiable: leave out what people do not find simplifiable, or have not judged.
        judgment_column: column of judgments.
        annotator_column: column of who judged; may be missing.
        joint: the annotator whose judgments are joint verdicts, which override.
        judgment_encoding: of files without byte order mark.
        engine: annotate the sentences: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG; without
            one there is no lemma, part of speech, or feature.
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
        "simplify instances",
        {
            "inputs": inputs,
            "out": out,
            "layout": layout,
            "language": language,
            "occurrences": occurrences,
            "exclude": exclude,
            "encoding": encoding,
            "quoting": quoting,
            "min_native": min_native,
            "phrases": phrases,
            "capitals": capitals,
            "min_complexity": min_complexity,
            "scorer": scorer,
            "judgments": judgments,
            "only_simplifiable": only_simplifiable,
            "judgment_column": judgment_column,
            "annotator_column": annotator_column,
            "joint": joint,
            "judgment_encoding": judgment_encoding,
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


def rank(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    ranker: str | Sequence[str] = ("frequency",),
    average_of: str | Sequence[str] = ("senses", "frequency"),
    phrases: Literal["zero", "rarest", "mean"] = "zero",
    keep_target: str = "never",
    cache: str | os.PathLike[str] | None = None,
    wordlist: str | Sequence[str] = (),
    vectors: str | os.PathLike[str] | None = None,
    complexity: str | os.PathLike[str] | None = None,
    regressor_scorer: Literal[
        "ridge", "svr", "random-forest", "extra-trees", "gradient-boosting"
    ] = "gradient-boosting",
    settings: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Candidates ranked by simplicity.

    Args:
        folder: folder with candidates, and selections if there are any; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        ranker: what candidates are ranked by: frequency or frequency:NAME (of a word list), senses,
            generation, similarity, regressor, average; several make several rankings.
        average_of: whose ranks ranker average takes the mean of.
        phrases: frequency of a phrase: 0, or the least or the mean of its words'.
        keep_target: never; if-more-frequent: the target stays if it is more frequent than the first
            candidate; if-gain:X: it stays unless the first candidate's score is greater by X at
            least.
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        wordlist: word lists, NAME=FILE:word=COLUMN,value=COLUMN or NAME=wordfreq:LANG; rankers take
            the first where none is named, the regressor all.
        vectors: static vectors for ranker similarity, FILE or DIR:slice=NAME[,seed=N] of `lexbeam
            change`.
        complexity: folder with labelled instances, of `lexbeam complexity load`, for the regressor.
        regressor_scorer: how the regressor learns, see docs/tasks/complexity/score.md.
        settings: settings by name, each with the options that it has other than given here;
            settings that it does not name have those given here.
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
        "simplify rank",
        {
            "folder": folder,
            "out": out,
            "ranker": ranker,
            "average_of": average_of,
            "phrases": phrases,
            "keep_target": keep_target,
            "cache": cache,
            "wordlist": wordlist,
            "vectors": vectors,
            "complexity": complexity,
            "regressor_scorer": regressor_scorer,
            "settings": settings,
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


def rewrite(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Sentences with the chosen words in place.

    Args:
        folder: folder with rankings, of `lexbeam simplify rank`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
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
        "simplify rewrite",
        {
            "folder": folder,
            "out": out,
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
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    filters: str | Sequence[str] = ("morphology",),
    same_pos: str | Sequence[str] = ("VERB=AUX", "NOUN=PROPN"),
    pos_phrases: Literal["pass", "head"] = "pass",
    least_similarity: float | str = 0.2,
    least_ngram: float | str = 0.1,
    cache: str | os.PathLike[str] | None = None,
    inflector: str | os.PathLike[str] | None = None,
    vectors: str | os.PathLike[str] | None = None,
    ngrams: str | Sequence[str] | None = None,
    engine: str | None = None,
    settings: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Candidates filtered by form, part of speech and similarity.

    Args:
        folder: folder with candidates, of `lexbeam simplify generate`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        filters: what candidates must pass, in this order.
        same_pos: parts of speech that filter pos takes for one.
        pos_phrases: phrases in filter pos: passed, with the note pos_unchecked, or judged by their
            head.
        least_similarity: least cosine to the target, of filter similarity; what has no vector
            passes (at least -1, at most 1).
        least_ngram: least fit with the words before and after, of filter ngram (at least 0).
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        inflector: what says the lemmas of forms: a file of `lexbeam simplify train-inflector`;
            without it those that candidates came with.
        vectors: static vectors for filter similarity, FILE or DIR:slice=NAME[,seed=N] of `lexbeam
            change`.
        ngrams: counts of bigrams for filter ngram: FILE:word=COLUMN,value=COLUMN, two words with a
            space in the first.
        engine: what tags sentences for filter pos: spacy:NAME_OR_PATH, stanza:LANG[:DIR],
            builtin:LANG.
        settings: settings by name, each with the options that it has other than given here;
            settings that it does not name have those given here.
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
        "simplify select",
        {
            "folder": folder,
            "out": out,
            "filters": filters,
            "same_pos": same_pos,
            "pos_phrases": pos_phrases,
            "least_similarity": least_similarity,
            "least_ngram": least_ngram,
            "cache": cache,
            "inflector": inflector,
            "vectors": vectors,
            "ngrams": ngrams,
            "engine": engine,
            "settings": settings,
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


def train_inflector(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    language: str,
    out: str | os.PathLike[str],
    format: str | None = None,
    overwrite: bool = False,
) -> list[str]:
    """Form dictionaries to one file that inflects: a model.

    Args:
        inputs: form dictionaries: files, folders or globs, compressed or not.
        language: language of the forms, as es.
        out: file of the model.
        format: format of the dictionaries; if not given, it is told from their first lines.
        overwrite: replace another model.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act(
        "simplify train-inflector",
        {"inputs": inputs, "language": language, "out": out, "format": format, "overwrite": overwrite},
    )
