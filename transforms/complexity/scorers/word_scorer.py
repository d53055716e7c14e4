"""Words scored by themselves, without tables: how frequent they are, and how complex.

    scorer = word_scorer("models/ridge", FeatureLists(), ["en"], layers=())    # the driver
    word_complexity(words, scorer)                                              # a worker

What a scorer reads, its model says: the groups of features and the languages whose frequencies are compared. Groups
whose values depend on other words than the one described, or on a corpus that has to be counted first, cannot be had
in one pass.

Without a saved scorer, English words get what frequency alone says, by two numbers that scorer `frequency` learned from
the 7,662 single words of CompLex's training set:

    lexbeam complexity load lcp_single_train.tsv --layout complex --out train
    lexbeam complexity features train --use form,frequency
    lexbeam complexity load lcp_single_trial.tsv --layout complex --out trial
    lexbeam complexity features trial --use form,frequency
    lexbeam complexity score train --scorer frequency --on trial --out scored --save model

On the 421 words of the trial set it reaches a Pearson's r of .626 (95 % interval .553 to .689).
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.schemas.complexity import INSTANCES
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.complexity.features.base import READ, FeatureSetting, Floats, numbers
from lexbeam.transforms.complexity.features.groups import GROUPS, FeatureOptions, features_of, schema_of, setting_of
from lexbeam.transforms.complexity.features.groups import columns_of as feature_columns
from lexbeam.transforms.complexity.features.looked_up import FeatureLists
from lexbeam.transforms.complexity.features.word_forms import ZIPF, zipf_of
from lexbeam.transforms.complexity.scorers.design import columns_of, joined_rows, matrices_of, rows_of
from lexbeam.transforms.complexity.scorers.holding_out import SAVED, Case, mode_of
from lexbeam.transforms.complexity.scorers.scorer_models import (
    KIND,
    TASK,
    OpenedScorer,
    checked_predictions,
    kinds_of,
    opened,
)
from lexbeam.transforms.learning.models.keeping import load_model
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

SINGLE = "single"
AT_ONCE = 16_384  # words that are described at a time
_ZIPF = "zipf_"
_ELSEWHERE = {
    "vectors": "compares a word with the mean of all targets",
    "surprisal": "needs counts of a corpus",
    "corpus": "needs counts of a corpus",
    "encoder": "reads each word by a language model, two in a second",
}
_BY_PREFIX = {"vector": "vectors", "encoder_": "encoder", "surprisal": "surprisal", "corpus_": "corpus"}


class WordScorer(NamedTuple):
    """A saved scorer of single words, and the features that it reads."""

    setting: FeatureSetting
    model: OpenedScorer


def word_scorer(folder: str, lists: FeatureLists, languages: Sequence[str], layers: Collection[str]) -> WordScorer:
    """Return a saved scorer with what its features are computed from; resources are compiled.

    Args:
        folder: of the model, as `lexbeam complexity score` saves it.
        lists: the word lists and WordNet that it was trained with.
        languages: those of the words.
        layers: the layers that the words' sentences have.

    Raises:
        LexbeamError: there is no model, or it is damaged, of another task, or of other columns.
        UsageError: it was trained on expressions alone, or reads a feature that words cannot have here.
    """
    model = load_model(folder)
    model.check(kind=KIND, task=TASK)
    names = [column.name for column in model.features]
    lexicon = prepare(LexiconOptions(resources=lists.wordlist, cache=lists.cache))
    list_names = tuple(sorted({held.name for held in lexicon.held}))
    compared = tuple(name.removeprefix(_ZIPF) for name in names if _is_language(name))
    offered = tuple(name for name in GROUPS if name not in _ELSEWHERE)
    bare = FeatureSetting(offered, lexicon, list_names, compared)
    groups = {name: {feature.name for feature in GROUPS[name].columns(bare)} for name in offered}
    use = tuple(name for name, columns in groups.items() if not columns.isdisjoint(names))
    _check_known(folder, names, set().union(*groups.values()))
    if "wordnet" in use and lists.wordnet is None:
        first = next(name for name in names if name in groups["wordnet"])
        raise UsageError(
            f"`complexity_scorer`: the model {folder} reads {first!r}: give `wordnet`, as for its training"
        )
    options = FeatureOptions(
        use=use, wordlist=lists.wordlist, wordnet=lists.wordnet, languages=compared, cache=lists.cache
    )
    setting = setting_of(options, list(languages))
    _check_layers(folder, setting, layers)
    scorer = opened(folder, columns_of(schema_of(setting)))
    if SINGLE not in scorer.modes:
        raise UsageError(
            f"`complexity_scorer`: the model {folder} was trained on expressions alone: give one of single words"
        )
    return WordScorer(setting, scorer)


def _is_language(name: str) -> bool:
    """Return whether a column is the frequency in another language: `zipf_de`, not `zipf_lemma`, `zipf_de_first`."""
    rest = name.removeprefix(_ZIPF)
    return name != rest and 2 <= len(rest) <= 3 and rest.isalpha()


def _check_known(folder: str, names: Sequence[str], known: Collection[str]) -> None:
    for name in names:
        if name.removesuffix("_first").removesuffix("_last") in known or name in known:
            continue
        group = next((group for prefix, group in _BY_PREFIX.items() if name.startswith(prefix)), None)
        if group is None:
            raise UsageError(
                f"`complexity_scorer`: the model {folder} reads {name!r}, which no group of features gives here: if it "
                f"is a word list, give it as for its training, `wordlist` {name}=..."
            )
        raise UsageError(
            f"`complexity_scorer`: the model {folder} reads {name!r}, of group {group}, which {_ELSEWHERE[group]}: "
            f"train one without it, by `use` of `lexbeam complexity features`"
        )


def _check_layers(folder: str, setting: FeatureSetting, layers: Collection[str]) -> None:
    for column in feature_columns(setting):
        layer = column.feature.layer
        if layer and layer not in layers:
            raise UsageError(
                f"`complexity_scorer`: the model {folder} reads {column.name!r}, which needs layer {layer}, and the "
                f"sentences have none: give corpora made with `layers` {layer}, or train one without group "
                f"{column.group}, by `use` of `lexbeam complexity features`"
            )


def word_complexity(words: pa.Table, scorer: WordScorer) -> npt.NDArray[np.float64]:
    """Return the complexity of words as a saved scorer predicts it, 0 to 1.

    No value depends on the other words.

    Args:
        words: columns `READ` of `complexity/instances`, and layers, but for `instance_id` and `kind`: all are single
            words.
        scorer: the scorer.

    Raises:
        LexbeamError: the model has changed, or does not hold what its scorer does.
    """
    model = kinds_of(scorer.model.load())[SINGLE]
    mode = mode_of(Case(scorer.model.scorer, SINGLE, scorer.model.modes[SINGLE], SAVED, ""))
    predicted = [np.zeros(0)]
    with one_thread():
        for start in range(0, words.num_rows, AT_ONCE):
            some = words.slice(start, AT_ONCE)
            rows = rows_of(_design(some, scorer.setting))
            matrices = matrices_of(rows, mode, model.genres)
            predicted.append(checked_predictions(scorer.model.scorer, model.fitted, matrices, scorer.model.folder))
    return np.concatenate(predicted)


def _design(words: pa.Table, setting: FeatureSetting) -> pa.Table:
    """Return the table of a design, in the order of the words: their ids are their numbers."""
    count = words.num_rows
    nothing = pa.nulls(count, pa.string())
    table = (
        words.append_column("instance_id", pa.array([format(number, "08d") for number in range(count)]))
        .append_column("kind", pa.array([SINGLE] * count))
        .append_column("source_id", nothing)
        .append_column("published_split", nothing)
    )
    return joined_rows(features_of(table, setting), table)


LANGUAGE = "en"  # of CompLex
# Complexity where the Zipf frequency is 0, and what each step on that scale takes off it.
BY_FREQUENCY = (0.66673925, -0.09098824)


def complexity_by_frequency(zipf: Floats) -> Floats:
    """Return the complexity of English words as frequency alone predicts it, 0 to 1; NaN where that is not known.

    >>> complexity_by_frequency(np.array([7.0, 3.0])).round(2).tolist()
    [0.03, 0.39]
    """
    intercept, slope = BY_FREQUENCY
    return np.clip(intercept + slope * zipf, 0, 1)


def scored_words(words: Sequence[str], language: str, lists: FeatureLists, model: str | None) -> pa.Table:
    """Return words, in their order, with their Zipf frequency, their complexity, 0 to 1, and their value in each list.

    Args:
        words: the words.
        language: theirs; without a model, complexity is null where it is not English.
        lists: word lists, and the WordNet that the model was trained with.
        model: the folder of a saved scorer; None: frequency alone.

    Raises:
        LexbeamError, UsageError: the model cannot be used, see `word_scorer`; or nothing is known of the language.
    """
    setting = setting_of(FeatureOptions(use=("frequency",), cache=lists.cache), [language])
    if setting.lexicon.find(ZIPF, language) is None and model is None and not lists.wordlist:
        raise UsageError(
            f"`language` {language!r}: wordfreq has no frequencies of it: give a `model` of it, or a `wordlist`"
        )
    zipf = zipf_of(pa.array(words, pa.string()), language, setting)
    if model is not None:
        complexity = word_complexity(_instances(words, language), word_scorer(model, lists, [language], ()))
    else:
        complexity = complexity_by_frequency(zipf if language == LANGUAGE else np.full(len(words), np.nan))
    columns = {"zipf": pa.array(zipf, from_pandas=True), "complexity": pa.array(complexity, from_pandas=True)}
    return pa.table({"word": pa.array(words, pa.string()), **columns, **_values(words, language, lists, columns)})


def _values(
    words: Sequence[str], language: str, lists: FeatureLists, others: Collection[str]
) -> dict[str, pa.DoubleArray]:
    """Return the value of words in each list, by its name; null where it does not have the word."""
    lexicon = prepare(LexiconOptions(resources=lists.wordlist, cache=lists.cache))
    values = {}
    for name in dict.fromkeys(held.name for held in lexicon.held):
        if name in ("word", *others):
            raise UsageError(f"`wordlist`: a list cannot be called {name!r} here, as a column is: give another name")
        known = lexicon.find(name, language)
        found = None if known is None else numbers(known.look_up(pa.array(words, pa.string()))["value"])  # type: ignore[attr-defined]
        values[name] = pa.nulls(len(words), pa.float64()) if found is None else pa.array(found, from_pandas=True)
    return values


def _instances(words: Sequence[str], language: str) -> pa.Table:
    """Return words as they stand in `complexity/instances` if they come from a list."""
    schema = INSTANCES.schema()
    columns = {name: pa.nulls(len(words), schema.field(name).type) for name in READ[2:]}
    columns["token"] = pa.array(words, schema.field("token").type)
    columns["language"] = pa.array([language] * len(words), schema.field("language").type)
    return pa.table(columns)
