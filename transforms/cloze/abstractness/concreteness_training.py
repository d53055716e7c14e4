"""A model of concreteness, learned from ratings: these as labels, its quality on folds, and what it predicts.

Ratings are 0 (abstract) to 1 (concrete), a row per word. The values of a list are scaled linearly between the least and
the greatest value of its scale, stated or found. Words are compared in lower case; several values of a word in a list
are averaged, then those of several lists.

Words go to folds by their hash. Predictions for a fold are learned from the others: on these predictions, pooled,
correlation and threshold are measured, and the model gives them for rated words where ratings are not to be used. Then
the estimator is fitted to all rated words, and predicts all words that WordNet and vectors have.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.abstractness.concreteness_estimators import (
    ESTIMATORS,
    NONE,
    ConcretenessTraining,
    Fitted,
    fit,
    predict,
)
from lexbeam.transforms.cloze.abstractness.concreteness_inputs import Arrays, Bools, InputResources, is_phrase
from lexbeam.transforms.cloze.abstractness.concreteness_model import (
    FORMAT,
    KIND,
    TASK,
    CalibratedThreshold,
    DescribedWords,
    cut_at,
    describe,
    fit_inputs,
    model_arrays,
    ngram_part,
    single_words,
    with_wordnet,
    youden,
)
from lexbeam.transforms.cloze.abstractness.concreteness_options import (
    DEFAULT_INPUTS,
    AbstractnessOptions,
    EstimatorOptions,
)
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.evaluation.evaluating import MeasuredMetric, measure
from lexbeam.transforms.learning.models.model import Model
from lexbeam.transforms.lexicon.compiled.word_list import WordList

Floats = npt.NDArray[np.float64]

FEWEST = 20  # rated words that a regressor needs


class Ratings(NamedTuple):
    """Rated words.

    Attributes:
        words: distinct, in lower case, sorted by code points.
        values: 0 (abstract) to 1 (concrete), float64.
        scales: by list, the least and the greatest value of its scale.
    """

    words: list[str]
    values: Floats
    scales: Mapping[str, tuple[float, float]]


def joined_ratings(lists: Mapping[str, WordList]) -> Ratings:
    """Return the ratings of lists as one.

    Args:
        lists: by what messages call them: their file.

    Raises:
        LexbeamError: a list has one value alone, or all have too few words.
    """
    words, values = [], []
    for name, ratings in lists.items():
        low, high = ratings.scale
        if not low < high:
            raise LexbeamError(
                f"{name}: every value in column {ratings.facts['column']!r} is {low:g}: give the "
                "column of the ratings, or their scale by `scale=LOW-HIGH`"
            )
        listed = ratings.listed
        rated, means = _means(
            pc.utf8_lower(listed["word"]).combine_chunks(), (listed["value"].to_numpy() - low) / (high - low)
        )
        words.append(rated)
        values.append(means)
    joined, joined_means = _means(pa.concat_arrays(words), np.concatenate(values))
    count = len(joined)
    if count < FEWEST:
        raise LexbeamError(
            f"{', '.join(lists)}: {count} rated words are too few to learn from, {FEWEST} are "
            "needed: give a longer list, or several"
        )
    names = joined.to_pylist()
    places = sorted(range(count), key=names.__getitem__)
    scales = {name: ratings.scale for name, ratings in lists.items()}
    return Ratings([names[place] for place in places], joined_means[places], scales)


def _means(words: pa.Array, values: Floats) -> tuple[pa.Array, Floats]:
    """Return distinct words and the mean of the values of each."""
    coded = words.cast(pa.large_string()).dictionary_encode()
    codes = coded.indices.to_numpy()
    # Sums of what is sorted do not depend on the order of lists, nor of their rows.
    order = np.lexsort([values, codes])
    sums = np.bincount(codes[order], values[order], len(coded.dictionary))
    return coded.dictionary, sums / np.bincount(codes, minlength=len(coded.dictionary))


log = logging.getLogger("lexbeam")


# What of the options decides a model, beside the bytes of what it was made with.
_USED = ("components", "ngram_words", "ngram_dim", "hypernyms", "gloss_dim", "gloss_least", "vocabulary")


class Learned(NamedTuple):
    """A model, and its quality.

    Attributes:
        model: to be kept.
        words: rated words.
        scales: by file, the least and the greatest value of its ratings.
        known: by input, how many rated words it knows.
        measured: by estimator, Pearson's correlation of pooled predictions with ratings.
        apart: by estimator, the same of words and of phrases; nothing where there are no phrases.
        cuts: how well two thresholds of the predictions separate: that of the ratings, and the calibrated one.
        vocabulary: words whose predictions the model holds.
    """

    model: Model
    words: int
    scales: Mapping[str, tuple[float, float]]
    known: Mapping[str, int]
    measured: Mapping[str, MeasuredMetric]
    apart: Mapping[str, Mapping[str, MeasuredMetric]]
    cuts: tuple[CalibratedThreshold, CalibratedThreshold]
    vocabulary: int


def inputs_of(options: AbstractnessOptions) -> tuple[str, ...]:
    """Return the inputs that options name, or else the default ones."""
    words = options.words
    inputs = words.inputs or (*DEFAULT_INPUTS, *(("vectors",) if words.vectors else ()))
    return tuple(dict.fromkeys(inputs))


def learn(
    ratings: Ratings,
    resources: InputResources,
    options: AbstractnessOptions,
    digests: Mapping[str, str],
    made_from: Mapping[str, str],
    language: str | None = None,
) -> Learned:
    """Return a model learned from ratings.

    Args:
        ratings: rated words.
        resources: what inputs look words up in.
        options: of the command.
        digests: of what the model is made with, by name.
        made_from: by input, what it looks words up in, for messages.
        language: of ratings and resources; None: not known.

    Raises:
        LexbeamError: an input knows no rated word, or a package is missing.
    """
    inputs, how = inputs_of(options), options.learning
    resources = with_wordnet(resources, inputs, options.words)
    described = fit_inputs(ratings.words, inputs, resources, options.words)
    known = {name: int(words.sum()) for name, words in described.known.items()}
    _check_known(known, ratings, made_from)
    training = ConcretenessTraining(ratings.words, described.rows, ratings.values)
    log.info("folds")
    found = {
        name: out_of_fold(training, name, options.folds, how) for name in dict.fromkeys([how.estimator, *how.compare])
    }
    pooled = {name: predictions for name, (predictions, _) in found.items()}
    phrase = np.array([is_phrase(word) for word in ratings.words])
    sorts = {"words": ~phrase, "phrases": phrase} if phrase.any() else {}
    measured = {
        name: _measured(ratings, values, np.ones(len(phrase), bool), options) for name, values in pooled.items()
    }
    apart = {
        name: {sort: _measured(ratings, values, rows, options) for sort, rows in sorts.items()}
        for name, values in pooled.items()
    }
    predicted, below = pooled[how.estimator], options.abstract_below
    cuts = cut_at(ratings.values, predicted, below, below), youden(ratings.values, predicted, below)
    log.info("all words")
    words = vocabulary_of(ratings.words, resources, options.words.vocabulary)
    model = Model(
        kind=KIND,
        task=TASK,
        format=FORMAT,
        content=_content(
            words, described, ratings.values, predicted, resources, (how.estimator, found[how.estimator][1])
        ),
        resources=digests,
        options={**_noted(options, inputs, ratings), "language": language},
        seed=how.seed,
        data=digest([ratings.words, ratings.values.tolist()]),
        metrics=_metrics(measured, apart, how.estimator, cuts, ratings, predicted),
        made_with=("scikit-learn", "scipy", *(("torch",) if how.estimator == "network" else ())),
    )
    return Learned(model, len(predicted), ratings.scales, known, measured, apart, cuts, len(words))


def _measured(ratings: Ratings, values: Floats, rows: Bools, options: AbstractnessOptions) -> MeasuredMetric:
    """Return Pearson's correlation of predictions of some words with their ratings."""
    words = [word for word, one in zip(ratings.words, rows.tolist(), strict=True) if one]
    return measure("pearson", (ratings.values[rows], values[rows]), clusters=words, options=options.bootstrap)


def _content(
    words: list[str],
    described: DescribedWords,
    ratings: Floats,
    predicted: Floats,
    resources: InputResources,
    estimator: tuple[str, Fitted],
) -> Arrays:
    """Return the arrays of a model.

    Args:
        words: of the model, rated ones first.
        described: the rated words.
        ratings: of these.
        predicted: of these, out of fold.
        resources: what words are looked up in.
        estimator: its name and arrays, fitted to all rated words.
    """
    others = _predicted(described, words[len(predicted) :], resources, *estimator)
    rated = np.concatenate([ratings, np.full(len(others), np.nan)])
    ngrams = ngram_part(described.how) if "ngrams" in described.how.inputs else None
    return model_arrays(words, np.concatenate([predicted, others]), rated, ngrams, estimator[1])


def _check_known(known: Mapping[str, int], ratings: Ratings, made_from: Mapping[str, str]) -> None:
    for name, count in known.items():
        if not count and name != "ngrams":
            lists = ", ".join(ratings.scales)
            raise LexbeamError(
                f"{made_from[name]} has none of the {len(ratings.words)} rated words of {lists} "
                f"({', '.join(map(repr, ratings.words[:3]))}, ...): check the column of the words "
                f"and its language, or leave {name} out of `inputs`"
            )


def out_of_fold(
    training: ConcretenessTraining, name: str, folds: int, options: EstimatorOptions
) -> tuple[Floats, Fitted]:
    """Return what an estimator predicts of each word, learned from the other folds, 0 to 1; and fitted to all words.

    Args:
        training: rated words.
        name: an entry of `ESTIMATORS`.
        folds: how many; the fold of a word is its hash.
        options: of estimators.

    Raises:
        LexbeamError: a package is missing, or all words are in one fold.
    """
    fold = fold_of(training.words, folds, seed=options.seed, label=TASK)
    numbers = np.unique(fold).tolist()
    if len(numbers) == 1:
        raise LexbeamError("all rated words are in one fold: give more of them, or `folds`")
    *without, whole = fit(name, training, options, fold, [*numbers, NONE])
    predicted = np.empty(len(fold))
    for number, fitted in zip(numbers, without, strict=True):
        held = fold == number
        predicted[held] = predict(name, fitted, training.rows[held])
    return predicted, whole


def vocabulary_of(rated: Sequence[str], resources: InputResources, most: int) -> list[str]:
    """Return the words that a model holds, in lower case: rated ones first, then others.

    Args:
        rated: rated words, which are held however many they are.
        resources: where others are from: words of WordNet that are no phrases, then those of vectors
            in their order.
        most: how many words are held, at most.
    """
    vocabulary = dict.fromkeys(rated)
    if resources.wordnet is not None:
        _add(vocabulary, single_words(resources.wordnet), most)
    for vectors in resources.vectors:
        _add(vocabulary, pc.utf8_lower(vectors.words).to_pylist(), most)
    return list(vocabulary)


def _add(vocabulary: dict[str, None], words: Sequence[str], most: int) -> None:
    for word in words:
        if len(vocabulary) >= most:
            return
        vocabulary.setdefault(word)


def _predicted(
    described: DescribedWords, words: Sequence[str], resources: InputResources, estimator: str, fitted: Arrays
) -> Floats:
    """Return predictions block by block, in little memory."""
    predictions = [np.zeros(0)]
    for start in range(0, len(words), _WORDS):
        rows, _ = describe(described.how, words[start : start + _WORDS], resources)
        predictions.append(predict(estimator, fitted, rows))
    return np.concatenate(predictions)


_WORDS = 1 << 14


def _noted(options: AbstractnessOptions, inputs: Sequence[str], ratings: Ratings) -> dict[str, object]:
    words, how = options.words, options.learning
    return {
        "estimator": how.estimator,
        "inputs": list(inputs),
        "of": options.of,
        "rated": options.rated,
        "abstract_below": options.abstract_below,
        "folds": options.folds,
        "scales": sorted(map(list, ratings.scales.values())),
        **{name: getattr(words, name) for name in _USED},
        **{name: getattr(how, name) for name in ESTIMATORS[how.estimator].uses},
    }


def _metrics(
    measured: Mapping[str, MeasuredMetric],
    apart: Mapping[str, Mapping[str, MeasuredMetric]],
    estimator: str,
    cuts: tuple[CalibratedThreshold, CalibratedThreshold],
    ratings: Ratings,
    predicted: Floats,
) -> dict[str, float | None]:
    chosen, (plain, calibrated) = measured[estimator], cuts
    metrics: dict[str, float | None] = {
        "words": float(len(predicted)),
        "pearson": chosen.value,
        "pearson_low": chosen.low,
        "pearson_high": chosen.high,
        "mae": float(np.abs(ratings.values - predicted).mean()),
        "threshold": calibrated.threshold,
        "sensitivity": _finite(calibrated.sensitivity),
        "specificity": _finite(calibrated.specificity),
        "sensitivity_uncalibrated": _finite(plain.sensitivity),
        "specificity_uncalibrated": _finite(plain.specificity),
    }
    for sort, own in apart[estimator].items():
        metrics[f"pearson_of_{sort}"] = own.value
    for name, other in measured.items():
        if name != estimator:
            metrics[f"pearson_{name}"] = other.value
    return metrics


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
