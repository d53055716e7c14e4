"""A saved scorer put to single words in their sentences: features computed and read at once, without tables between.

    scorer = word_scorer("models/ridge", FeatureLists(), ["en"], layers=())    # the driver
    word_complexity(words, scorer)                                              # a worker

What a scorer reads, its model says: the groups of features and the languages whose frequencies are compared. Groups
whose values depend on other words than the one described, or on a corpus that has to be counted first, cannot be had
in one pass.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.complexity.features.base import FeatureSetting
from lexbeam.transforms.complexity.features.groups import GROUPS, FeatureOptions, features_of, schema_of, setting_of
from lexbeam.transforms.complexity.features.groups import columns_of as feature_columns
from lexbeam.transforms.complexity.features.looked_up import FeatureLists
from lexbeam.transforms.complexity.scorers.design import columns_of, joined_rows, rows_of
from lexbeam.transforms.complexity.scorers.holding_out import SAVED, Case, mode_of
from lexbeam.transforms.complexity.scorers.multiword import matrices_of
from lexbeam.transforms.complexity.scorers.predicting import checked_predictions
from lexbeam.transforms.complexity.scorers.scorer_models import KIND, TASK, OpenedScorer, load_kinds, opened
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
    model = load_kinds(scorer.model)[SINGLE]
    mode = mode_of(Case(scorer.model.scorer, SINGLE, scorer.model.modes[SINGLE], SAVED, ""))
    predicted = [np.zeros(0)]
    with one_thread():
        for start in range(0, words.num_rows, AT_ONCE):
            some = words.slice(start, AT_ONCE)
            rows = rows_of(_design(some, scorer.setting))
            matrices = matrices_of(rows, mode, model.genres)
            predicted.append(checked_predictions(scorer.model.scorer, model.fitted, matrices, scorer.model))
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
