"""A model of concreteness: words described by its inputs, its threshold, and how concrete it finds words, 0 to 1.

    model = open_concreteness("models/concreteness")
    concreteness(model, pa.array(["freedom", "table"]))     # 0: abstract, 1: concrete

The model holds its predictions for words that WordNet, vectors or ratings have, so that none of these is needed to
use it; other words are predicted from their character n-grams.

Words are described by inputs: blocks of numbers side by side. A block is centred on the rated words that its input
knows and divided by the root of their mean square length, so that blocks weigh alike; a word that the input does not
know is 0 in it, its mean. All blocks side by side, divided by the root of their number, are reduced to their principal
components on the rated words. None of this depends on ratings.

A phrase (*fire engine*) that an input does not know is the mean of its words as far as it knows these; so are the
n-grams of every phrase. A word that WordNet does not have is, to an input that does not know it, the mean of the words
of WordNet that are spelled like it, weighted by the letters they have in common.

Words count as abstract below a predicted concreteness that is found by Youden's index:

>>> gold = np.array([0.1, 0.2, 0.5, 0.9])
>>> cut = youden(gold, np.array([0.3, 0.4, 0.6, 0.7]), 0.35)
>>> cut.threshold, cut.sensitivity, cut.specificity
(0.5, 1.0, 1.0)
"""

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.abstractness.concreteness_estimators import ESTIMATORS, predict
from lexbeam.transforms.cloze.abstractness.concreteness_inputs import (
    INPUTS,
    SMALL,
    Arrays,
    Bools,
    DescribableWords,
    Floats,
    InputBlock,
    InputResources,
    SpelledWords,
    gloss_vectors,
    is_phrase,
    parts,
    spelled_alike,
)
from lexbeam.transforms.cloze.abstractness.concreteness_options import RATED, WORD_FORMS, InputOptions
from lexbeam.transforms.common.arithmetic import one_thread, product
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.machine import endable
from lexbeam.transforms.learning.fitting import with_fixed_signs
from lexbeam.transforms.learning.models.formats import pack_texts, unpack_texts
from lexbeam.transforms.learning.models.keeping import load_model
from lexbeam.transforms.learning.models.model import Model
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, coded, find, keys_of, lowered, only, order_of_keys
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet


class CalibratedThreshold(NamedTuple):
    """A threshold of predictions, and how well it separates.

    Attributes:
        threshold: words predicted below it count as abstract.
        sensitivity: share of the abstract words that are below it; NaN: there are none.
        specificity: share of the others that are not; NaN: there are none.
    """

    threshold: float
    sensitivity: float
    specificity: float


def calibrated(predicted: Floats, threshold: float, below: float) -> Floats:
    """Return predictions on the scale of ratings: `threshold` becomes `below`.

    Both sides are stretched linearly, 0 and 1 stay; so one threshold serves ratings and
    predictions.

    Args:
        predicted: 0 to 1.
        threshold: between 0 and 1.
        below: between 0 and 1.
    """
    return np.interp(predicted, [0.0, threshold, 1.0], [0.0, below, 1.0])


def cut_at(gold: Floats, predicted: Floats, below: float, threshold: float) -> CalibratedThreshold:
    """Return how well a threshold separates abstract words from others.

    Args:
        gold: ratings, 0 to 1.
        predicted: predictions of the same words that were made without their ratings.
        below: words rated below this are abstract.
        threshold: words predicted below this count as abstract.
    """
    abstract, taken = gold < below, predicted < threshold
    sensitivity = float(taken[abstract].mean()) if abstract.any() else np.nan
    specificity = float((~taken[~abstract]).mean()) if not abstract.all() else np.nan
    return CalibratedThreshold(float(threshold), sensitivity, specificity)


def youden(gold: Floats, predicted: Floats, below: float) -> CalibratedThreshold:
    """Return the threshold of the greatest sensitivity + specificity - 1 (Youden 1950).

    It lies half-way between two predictions; of several equally good ones it is the
    nearest to `below`, then the least. Where no threshold separates abstract words from others, it is `below`.
    """
    abstract = gold < below
    if abstract.all() or not abstract.any():
        return cut_at(gold, predicted, below, below)
    values = np.unique(predicted)
    places = np.searchsorted(values, predicted)
    hits = np.cumsum(np.bincount(places[abstract], minlength=len(values))) / abstract.sum()
    errors = np.cumsum(np.bincount(places[~abstract], minlength=len(values))) / (~abstract).sum()
    # Behind each prediction but the last; before the first and behind the last the index is 0.
    between = (values[1:] + values[:-1]) / 2
    index = (hits - errors)[:-1]
    if not len(between) or index.max() <= 0:
        return cut_at(gold, predicted, below, below)
    best = between[index >= index.max() - 1e-12]
    nearest = best[np.argmin(np.abs(best - below))]
    return cut_at(gold, predicted, below, float(nearest))


WORDS_AT_ONCE = 2048
log = logging.getLogger("lexbeam")


class Describing(NamedTuple):
    """How words are described, fitted on rated words.

    Attributes:
        inputs: names.
        fitted: by input, what it needs.
        centres: by block, the mean of its columns.
        scales: by block, what it is divided by.
        components: (columns of all blocks, numbers).
        begins: by block, the row of `components` that its first column has.
    """

    inputs: tuple[str, ...]
    fitted: Mapping[str, Arrays]
    centres: Mapping[str, Floats]
    scales: Mapping[str, float]
    components: Floats
    begins: Mapping[str, int]


class DescribedWords(NamedTuple):
    """Rated words as they are described.

    Attributes:
        how: how words are described.
        rows: (words, components).
        known: by input, which words it knows, in any block.
    """

    how: Describing
    rows: Floats
    known: Mapping[str, Bools]


def with_wordnet(resources: InputResources, inputs: Sequence[str], options: InputOptions) -> InputResources:
    """Return what words are looked up in, with what is made of a WordNet: its words; vectors of glosses, if needed."""
    if resources.wordnet is None:
        return resources
    known = SpelledWords(single_words(resources.wordnet))
    if "glosses" not in inputs:
        return resources._replace(known=known)
    log.info("vectors of glosses")
    vectors = gloss_vectors(resources.wordnet, options.gloss_dim, options.gloss_least)
    return resources._replace(glosses=vectors, known=known)


def single_words(wordnet: WordNet) -> list[str]:
    """Return the words of a WordNet that are no phrases, sorted."""
    senses = wordnet.senses_in(np.arange(len(wordnet))).values
    lemmas = pc.unique(wordnet.lemmas(senses))
    single = lemmas.filter(pc.invert(pc.match_substring(lemmas, "_")))
    return sorted(single.to_pylist())


def fit_inputs(
    words: Sequence[str], inputs: Sequence[str], resources: InputResources, options: InputOptions
) -> DescribedWords:
    """Return rated words as they are described, and how.

    Args:
        words: rated words, distinct.
        inputs: entries of `INPUTS`; `resources` has what they need.
        resources: what words are looked up in.
        options: of inputs.
    """
    single = [word for word in words if not is_phrase(word)] or sorted({part for word in words for part in parts(word)})
    described = DescribableWords.of(single, resources)
    fitted = {name: INPUTS[name].fit(described, resources, options) for name in inputs}
    by_input, known = _blocks(words, inputs, fitted, resources)
    blocks = {name: block for named in by_input.values() for name, block in named.items()}
    centres: dict[str, Floats] = {}
    scales: dict[str, float] = {}
    begins: dict[str, int] = {}
    columns = 0
    for name, block in blocks.items():
        values = block.values[block.known]
        centre = values.mean(axis=0) if len(values) else np.zeros(block.values.shape[1])
        square = float(((values - centre) ** 2).sum(axis=1).mean()) if len(values) else 0.0
        centres[name] = centre
        scales[name] = float(np.sqrt(max(square, SMALL) * len(blocks)))
        begins[name], columns = columns, columns + len(centre)
    whole = Describing(tuple(inputs), fitted, centres, scales, np.eye(0), begins)
    rows = _side_by_side(whole, blocks)
    if not rows.shape[1]:
        raise UsageError(
            f"nothing is known of the rated words by {', '.join(inputs)}: give more `inputs`, or lower `ngram_words`"
        )
    how = whole._replace(components=_principal_components(rows, options.components))
    return DescribedWords(how, product(rows, how.components), known)


def _blocks(
    words: Sequence[str], inputs: Sequence[str], fitted: Mapping[str, Arrays], resources: InputResources
) -> tuple[dict[str, dict[str, InputBlock]], dict[str, Bools]]:
    """Return the blocks of words by input, and which words, or words of phrases, each input knows.

    What an input does not know has the mean of what stands in for it: phrases their words, words those spelled alike.
    """
    of_phrases = {place: [(part, 1) for part in parts(word)] for place, word in enumerate(words) if is_phrase(word)}
    alike = _alike(words, resources)
    others = dict.fromkeys(part for of in (*of_phrases.values(), *alike.values()) for part, _ in of)
    places = {word: len(words) + number for number, word in enumerate(others)}
    described = DescribableWords.of([*words, *places], resources)
    by_input, known = {}, {}
    for name in inputs:
        blocks = INPUTS[name].blocks(fitted[name], described, resources)
        blocks = {of: _filled(block, of_phrases, places, own=name != "ngrams") for of, block in blocks.items()}
        known[name] = _known(blocks)[: len(words)]
        by_input[name] = {of: _filled(block, alike, places, own=True) for of, block in blocks.items()}
    shown = {
        name: {of: InputBlock(block.values[: len(words)], block.known[: len(words)]) for of, block in blocks.items()}
        for name, blocks in by_input.items()
    }
    return shown, known


def _alike(words: Sequence[str], resources: InputResources) -> dict[int, list[tuple[str, int]]]:
    """Return, by place, the words of WordNet that are spelled like a word that it does not have."""
    if resources.wordnet is None or resources.known is None:
        return {}
    lacking = np.flatnonzero(resources.wordnet.morphy(pa.array(words, pa.large_string())).is_null().to_numpy(False))
    return {
        place: spelled_alike(resources.known, words[place]) for place in lacking.tolist() if not is_phrase(words[place])
    }


def _filled(
    block: InputBlock, others: Mapping[int, list[tuple[str, int]]], places: Mapping[str, int], *, own: bool
) -> InputBlock:
    """Return a block in which words have weighted means of others.

    Args:
        block: of all of these words.
        others: by place of a word, rising, the others and their weights.
        places: those of the others.
        own: whether a word that the block knows stays.
    """
    owners = np.repeat(np.array([*others], np.int64), [len(of) for of in others.values()])
    rows = np.array([places[word] for of in others.values() for word, _ in of], np.int64)
    weights = np.array([weight for of in others.values() for _, weight in of], np.float64)
    there = block.known[rows] & ~(own & block.known[owners])
    owners, rows, weights = owners[there], rows[there], weights[there]
    if not len(owners):
        return block
    made, starts = np.unique(owners, return_index=True)
    values, known = block.values.copy(), block.known.copy()
    sums = np.add.reduceat(block.values[rows] * weights[:, None], starts)
    values[made] = sums / np.add.reduceat(weights, starts)[:, None]
    known[made] = True
    return InputBlock(values, known)


def _known(blocks: Mapping[str, InputBlock]) -> Bools:
    """Return which words are known in any block."""
    return np.asarray(np.logical_or.reduce([block.known for block in blocks.values()]))


def _principal_components(rows: Floats, most: int) -> Floats:
    """Return principal components, the greatest first; rows are not centred again."""
    rank = min(most, *rows.shape)
    # The smaller of rows' and columns' products has the same components.
    wide = rows.shape[1] > rows.shape[0]
    square = _squared(rows.T if wide else rows)
    values, way = endable(_greatest, square, rank, rows=len(rows))
    return with_fixed_signs((rows.T @ (way / np.sqrt(np.maximum(values, SMALL))) if wide else way)[:, ::-1])


def _squared(rows: Floats) -> Floats:
    """Return the product of columns; an interrupt is heeded between pieces of it."""
    square = np.zeros((rows.shape[1], rows.shape[1]))
    with one_thread():
        for start in range(0, len(rows), WORDS_AT_ONCE):
            some = rows[start : start + WORDS_AT_ONCE]
            square += some.T @ some
    return square


def _greatest(square: Floats, rank: int) -> tuple[Floats, Floats]:
    """Return the greatest eigenvalues of a symmetric matrix, rising, and their vectors."""
    from scipy.linalg import eigh

    last = len(square) - 1
    values, vectors = eigh(square, subset_by_index=(last + 1 - rank, last))
    return np.asarray(values), np.asarray(vectors)


def _side_by_side(how: Describing, blocks: Mapping[str, InputBlock]) -> Floats:
    parts = [
        np.where(block.known[:, None], (block.values - how.centres[name]) / how.scales[name], 0.0)
        for name, block in blocks.items()
    ]
    return np.hstack(parts)


def describe(how: Describing, words: Sequence[str], resources: InputResources) -> tuple[Floats, Bools]:
    """Return the numbers of words, (words, components), and which words any input knows."""
    rows = [np.zeros((0, how.components.shape[1]))]
    known = [np.zeros(0, bool)]
    for start in range(0, len(words), WORDS_AT_ONCE):
        by_input, _ = _blocks(words[start : start + WORDS_AT_ONCE], how.inputs, how.fitted, resources)
        blocks = {name: block for named in by_input.values() for name, block in named.items()}
        rows.append(product(_side_by_side(how, blocks), how.components))
        known.append(_known(blocks))
    return np.concatenate(rows), np.concatenate(known)


def ngram_part(how: Describing) -> Describing:
    """Return how words are described by their n-grams alone."""
    begin = how.begins["ngrams"]
    end = begin + len(how.centres["ngrams"])
    return Describing(
        ("ngrams",),
        {"ngrams": how.fitted["ngrams"]},
        {"ngrams": how.centres["ngrams"]},
        {"ngrams": how.scales["ngrams"]},
        how.components[begin:end],
        {"ngrams": 0},
    )


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
