"""Words scored by themselves, without tables: how frequent they are, and how complex.

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

import numpy as np
import pyarrow as pa

from lexbeam.schemas.complexity import INSTANCES
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.complexity.features.base import READ, Floats, numbers
from lexbeam.transforms.complexity.features.groups import FeatureOptions, setting_of
from lexbeam.transforms.complexity.features.looked_up import FeatureLists
from lexbeam.transforms.complexity.features.word_forms import ZIPF, zipf_of
from lexbeam.transforms.complexity.scorers.word_scorer import word_complexity, word_scorer
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

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
