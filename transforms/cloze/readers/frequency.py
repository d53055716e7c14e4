"""Reader `frequency`: distractors without a network, drawn among words like the answer.

A word may be drawn that has the answer's part of speech, that is among the nearest by frequency,
and, where there are vectors, whose cosine with the answer lies in a band: neither a near
synonym nor wholly foreign. Words nearer in frequency are drawn more often: the weight of a word is
exp(-|difference of the natural logarithms of frequencies|). Lists are drawn without putting back,
by Gumbel-top-k (Kool et al. 2019): the weights' logarithms and Gumbel noise, sorted. The noise of a
question and word depends on them and the seed alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.draws.by_content import content_hashes, numbers
from lexbeam.transforms.common.options.fields import option

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Cosine = Callable[[Ints, Ints], Floats]

_CHUNK = 1 << 20  # words looked at together


@dataclass(frozen=True, kw_only=True)
class BandOptions:
    """Which words reader `frequency` draws from."""

    near: int = option(200, help="words nearest to the answer in frequency that are drawn from", least=4)
    least_similar: float = option(
        0.1, help="the least cosine with the answer, where there are vectors", least=-1, most=1
    )
    most_similar: float = option(0.6, help="the greatest one", least=-1, most=1)


class Drawn(NamedTuple):
    """What is drawn for questions.

    Attributes:
        words: rows of candidates, shape (questions, k), -1 where there are no more.
        log_probs: the natural logarithm of each one's chance to be drawn first; NaN where there is
            none. They do not fall with the rank.
    """

    words: Ints
    log_probs: Floats


def draw_words(
    answers: Ints,
    keys: npt.NDArray[np.uint64],
    upos: Sequence[str],
    frequency: Floats,
    words: Sequence[str],
    k: int,
    options: BandOptions,
    *,
    seed: int,
    cosine: Cosine | None = None,
) -> Drawn:
    """Draw words for questions.

    Args:
        answers: the answer of each question, a row of candidates.
        keys: hash of each question, uint64.
        upos: of each candidate.
        frequency: of each candidate, above 0.
        words: the candidates.
        k: words wanted for each question.
        options: which words are drawn from.
        seed: any whole number.
        cosine: of two arrays of rows, pair by pair; NaN where it is unknown, which lies in every band. None:
            there are no vectors.
    """
    drawn = Drawn(np.full((len(answers), k), -1, np.int64), np.full((len(answers), k), np.nan))
    tags = np.array(upos, dtype=object)
    hashes = content_hashes(list(words))
    level = np.log(frequency)
    for tag in sorted(set(upos)):
        tagged = np.flatnonzero(tags == tag)
        tagged = tagged[np.lexsort((tagged, level[tagged]))]
        questions = np.flatnonzero(tags[answers] == tag) if len(answers) else answers
        width = min(options.near + 1, len(tagged))
        step = max(1, _CHUNK // width)
        for start in range(0, len(questions), step):
            rows = questions[start : start + step]
            window = tagged[_windows(level[tagged], level[answers[rows]], width)]
            weights = _weights(window, answers[rows], level, options, cosine)
            noise = _noise(keys[rows], hashes[window], seed)
            order = np.lexsort((window, -(weights + noise)), axis=1)[:, :k]
            with np.errstate(divide="ignore"):
                total = np.log(np.exp(weights).sum(1, keepdims=True))
            taken = np.take_along_axis(weights, order, axis=1)
            there = np.isfinite(taken)
            count = order.shape[1]
            drawn.words[rows, :count] = np.where(there, np.take_along_axis(window, order, axis=1), -1)
            drawn.log_probs[rows, :count] = np.where(there, taken - np.where(there, total, 0), np.nan)
    return drawn


def _weights(window: Ints, answers: Ints, level: Floats, options: BandOptions, cosine: Cosine | None) -> Floats:
    """Return the logarithm of the weight of each word of a window beside an answer, -inf: it is not drawn."""
    words, beside = window.ravel(), np.repeat(answers, window.shape[1])
    weights = -np.abs(level[words] - level[beside])
    weights[words == beside] = -np.inf
    if cosine is not None:
        near = cosine(beside, words)
        weights[(near < options.least_similar) | (near > options.most_similar)] = -np.inf
    return np.asarray(weights.reshape(window.shape))


def _noise(keys: npt.NDArray[np.uint64], hashes: npt.NDArray[np.uint64], seed: int) -> Floats:
    """Return Gumbel noise of each question and word, as their hashes draw it."""
    pairs = content_hashes(np.repeat(keys, hashes.shape[1]), hashes.ravel())
    drawn = numbers(pairs, seed=seed, label="cloze/distractors")
    noise = -np.log(-np.log(((drawn >> np.uint64(12)) + 0.5) * 2.0**-52))
    return np.asarray(noise.reshape(hashes.shape))


def _windows(levels: Floats, centres: Floats, width: int) -> Ints:
    """Return the `width` places of rising levels around each centre, as many on both sides."""
    middle = (np.searchsorted(levels, centres, "left") + np.searchsorted(levels, centres, "right")) // 2
    start = np.clip(middle - width // 2, 0, len(levels) - width)
    return np.asarray(start[:, None] + np.arange(width))
