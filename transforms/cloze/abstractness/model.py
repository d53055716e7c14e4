"""A kept model of concreteness, opened: how concrete words are, 0 (abstract) to 1 (concrete).

    model = open_concreteness("models/concreteness")
    concreteness(model, pa.array(["freedom", "table"]))

The model holds its predictions for words that WordNet, vectors or ratings have, so that none of these is needed to
use it; other words are predicted from their character n-grams.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.cloze.abstractness.alike import SpelledWords, spelled_alike
from lexbeam.transforms.cloze.abstractness.calibration import calibrated
from lexbeam.transforms.cloze.abstractness.describing import Describing, describe
from lexbeam.transforms.cloze.abstractness.estimators import ESTIMATORS, predict
from lexbeam.transforms.cloze.abstractness.inputs import Arrays, Bools, Floats, InputResources, is_phrase, parts
from lexbeam.transforms.cloze.abstractness.options import RATED, WORD_FORMS
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.learning.models.formats import pack_texts, unpack_texts
from lexbeam.transforms.learning.models.keeping import load_model
from lexbeam.transforms.learning.models.model import Model
from lexbeam.transforms.lexicon.compiled.casing import coded, lowered, only
from lexbeam.transforms.lexicon.compiled.keys import MISSING, find, keys_of, order_of_keys

KIND, TASK, FORMAT = "regressor", "cloze/abstractness", "safetensors"
_NGRAMS, _FITTED = "ngrams/", "estimator/"


class Concreteness(NamedTuple):
    """An opened model.

    Attributes:
        keys: of the words that it lists, sorted.
        words: these words, in lower case.
        predictions: of each; those of rated words are by a fold that did not see the rating.
        ratings: of each, NaN where it is not rated.
        ngrams: how other words are described; None: they are unknown.
        estimator: what predicts them, an entry of `ESTIMATORS`.
        fitted: its arrays.
        of: `lemma` or `form`: by what words of texts are looked up first.
        rated: `use` or `predict`.
        threshold: of predictions as they are, by Youden's index on those of folds.
        below: words below it are abstract, by ratings and by calibrated predictions.
        digest: of the model.
        language: of the words that it was learned from; None: not known.
        known: the words, ordered, for those spelled like them.
    """

    keys: npt.NDArray[np.uint64]
    words: pa.Array
    predictions: Floats
    ratings: Floats
    ngrams: Describing | None
    estimator: str
    fitted: Arrays
    of: str
    rated: str
    threshold: float
    below: float
    digest: str
    language: str | None
    known: SpelledWords


def concreteness(model: Concreteness, words: pa.Array | pa.ChunkedArray, rated: str | None = None) -> Floats:
    """Return how concrete words are, in any case: float64, 0 (abstract) to 1 (concrete).

    Predictions are calibrated: words are abstract below `model.below`, rated or predicted. A phrase that is not listed
    has the mean of what is known of its words. Another word has the mean of two: what is predicted by its n-grams, and
    the mean of listed words that are spelled like it.

    NaN where nothing is known of a word: it is not listed, the model knows none of its n-grams of 3 characters and
    more, and no listed word begins or ends with such.

    Args:
        model: the model.
        words: words, as texts; null gives NaN.
        rated: whether rated words have their rating (`use`), or what a fold predicts that did not
            see it (`predict`); None: as the model was made.

    Raises:
        UsageError: `rated` is neither.
    """
    rated = model.rated if rated is None else rated
    if rated not in RATED:
        raise UsageError(f"`rated` takes {', '.join(RATED)}, not {rated!r}{nearest(rated, RATED)}")
    distinct, places = coded(words)
    low = lowered(distinct)
    rows = find(model.keys, model.words, low)
    scores = np.full(len(low), np.nan)
    there = rows != MISSING
    values = calibrated(model.predictions, model.threshold, model.below)
    if rated == "use":
        values = np.where(np.isnan(model.ratings), values, model.ratings)
    scores[there] = values[rows[there]]
    left = np.flatnonzero(~there)
    words_left = low.take(pa.array(left)).to_pylist()
    phrase = np.array([is_phrase(word) for word in words_left], bool)
    single = [word for word in words_left if not is_phrase(word)]
    likely = [_by_ngrams(model, single), _by_words(model, [spelled_alike(model.known, word) for word in single], rated)]
    scores[left[~phrase]] = _mean(np.stack(likely))
    of_phrases = [[(part, 1) for part in parts(word)] for word in words_left if is_phrase(word)]
    scores[left[phrase]] = _by_words(model, of_phrases, rated)
    return np.append(scores, np.nan)[places]


def is_listed(model: Concreteness, words: pa.Array | pa.ChunkedArray) -> Bools:
    """Return which words the model lists: of others only their n-grams are known."""
    distinct, places = coded(words)
    there = find(model.keys, model.words, lowered(distinct)) != MISSING
    return np.append(there, False)[places]


def _mean(values: Floats) -> Floats:
    """Return means over the first axis of what is not NaN."""
    known = ~np.isnan(values)
    sums = np.where(known, values, 0.0).sum(axis=0)
    return np.where(known.any(axis=0), sums / np.maximum(known.sum(axis=0), 1), np.nan)


def _by_words(model: Concreteness, lists: list[list[tuple[str, int]]], rated: str) -> Floats:
    """Return the weighted mean concreteness of the words of each list, NaN where none is known."""
    if not any(lists):
        return np.full(len(lists), np.nan)
    values = concreteness(model, pa.array([word for words in lists for word, _ in words], pa.large_string()), rated)
    weights = np.array([weight for words in lists for _, weight in words], np.float64)
    owners = np.repeat(np.arange(len(lists)), [len(words) for words in lists])
    known = ~np.isnan(values)
    total = np.bincount(owners[known], weights[known], len(lists))
    sums = np.bincount(owners[known], (weights * values)[known], len(lists))
    return np.where(total > 0, sums / np.maximum(total, 1.0), np.nan)


def _by_ngrams(model: Concreteness, words: list[str]) -> Floats:
    scores = np.full(len(words), np.nan)
    if model.ngrams is None or not words:
        return scores
    # A row of zeros, the mean of all words, is of one whose n-grams are not known.
    rows, known = describe(model.ngrams, words, InputResources())
    predicted = predict(model.estimator, model.fitted, rows[known])
    scores[known] = calibrated(predicted, model.threshold, model.below)
    return scores


def model_arrays(
    words: list[str], predictions: Floats, ratings: Floats, ngrams: Describing | None, fitted: Arrays
) -> Arrays:
    """Return what a model keeps, arrays by name; `opened_concreteness` reads it.

    Args:
        words: distinct, in lower case.
        predictions: of each.
        ratings: of each, NaN where there is none.
        ngrams: how other words are described, see `ngram_part`.
        fitted: the estimator's arrays.
    """
    order = order_of_keys(pa.array(words, pa.large_string()))
    arrays: Arrays = {
        "words": pack_texts([words[place] for place in order]),
        "predictions": predictions[order],
        "ratings": ratings[order],
    }
    if ngrams is not None:
        arrays |= {f"{_FITTED}{name}": array for name, array in fitted.items()}
        arrays |= {f"{_NGRAMS}{name}": array for name, array in ngrams.fitted["ngrams"].items()}
        arrays[f"{_NGRAMS}centre"] = ngrams.centres["ngrams"]
        arrays[f"{_NGRAMS}scale"] = np.array(ngrams.scales["ngrams"])
        arrays[f"{_NGRAMS}components"] = ngrams.components
    return arrays


def _ngrams_of(content: Arrays) -> Describing | None:
    arrays = {k.removeprefix(_NGRAMS): v for k, v in content.items() if k.startswith(_NGRAMS)}
    if not arrays:
        return None
    centre, scale, components = arrays.pop("centre"), arrays.pop("scale"), arrays.pop("components")
    return Describing(
        ("ngrams",), {"ngrams": arrays}, {"ngrams": centre}, {"ngrams": float(scale)}, components, {"ngrams": 0}
    )


def opened_concreteness(model: Model) -> Concreteness:
    """Return a loaded model, ready for use.

    Raises:
        LexbeamError: it is another model, or lacks something.
    """
    model.check(kind=KIND, task=TASK)
    content, options = model.content, model.options
    estimator, of, rated = (str(options.get(name)) for name in ("estimator", "of", "rated"))
    threshold = model.metrics.get("threshold")
    below = options.get("abstract_below")
    if estimator not in ESTIMATORS or of not in WORD_FORMS or rated not in RATED:
        raise _other(model)
    if threshold is None or below is None or not {"words", "predictions", "ratings"} <= content.keys():
        raise _other(model)
    words = only(pa.array(unpack_texts(content["words"]), pa.large_string()))
    fitted = {k.removeprefix(_FITTED): v for k, v in content.items() if k.startswith(_FITTED)}
    return Concreteness(
        keys_of(words),
        words,
        content["predictions"],
        content["ratings"],
        _ngrams_of(content),
        estimator,
        fitted,
        of,
        rated,
        float(threshold),
        float(below),
        model.digest,
        None if (language := model.options.get("language")) is None else str(language),
        SpelledWords(word for word in words.to_pylist() if not is_phrase(word)),
    )


def _other(model: Model) -> LexbeamError:
    return LexbeamError(
        f"the model {model.place} is not of this version of Lexbeam: make it anew by `lexbeam cloze abstractness`"
    )


def open_concreteness(folder: str) -> Concreteness:
    """Return the model in a folder, as `lexbeam cloze abstractness` kept it.

    Raises:
        LexbeamError: there is none, it is damaged, or of another task.
    """
    return opened_concreteness(load_model(folder))
