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

from transforms.common.draws.by_content import content_hashes, numbers
from transforms.common.options.fields import option

__all__ = ["BandOptions", "Drawn", "draw_words"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

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
    cosine: Callable[[Ints, Ints], Floats] | None = None,
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
        cosine: of two arrays of rows, pair by pair; NaN where it is unknown, which no band asks
            of. None: there are no vectors.
    """
    found = np.full((len(answers), k), -1, np.int64)
    logs = np.full((len(answers), k), np.nan)
    tags = np.array(upos, dtype=object)
    hashes = content_hashes(list(words))
    level = np.log(frequency)
    for tag in sorted(set(upos)):
        own = np.flatnonzero(tags == tag)
        own = own[np.lexsort((own, level[own]))]
        asked = np.flatnonzero(tags[answers] == tag) if len(answers) else answers
        width = min(options.near + 1, len(own))
        step = max(1, _CHUNK // width)
        for start in range(0, len(asked), step):
            some = asked[start : start + step]
            window = own[_windows(level[own], level[answers[some]], width)]
            shape = window.shape
            flat = window.ravel()
            of = np.repeat(answers[some], width)
            weights = -np.abs(level[flat] - level[of])
            weights[flat == of] = -np.inf
            if cosine is not None:
                near = cosine(of, flat)
                outside = (near < options.least_similar) | (near > options.most_similar)
                weights[outside] = -np.inf
            drawn = numbers(
                content_hashes(np.repeat(keys[some], width), hashes[flat]), seed=seed, label="cloze/distractors"
            )
            noise = -np.log(-np.log(((drawn >> np.uint64(12)) + 0.5) * 2.0**-52))
            scores = (weights + noise).reshape(shape)
            order = np.lexsort((window, -scores), axis=1)[:, :k]
            weights = weights.reshape(shape)
            with np.errstate(divide="ignore"):
                total = np.log(np.exp(weights).sum(1, keepdims=True))
            taken = np.take_along_axis(weights, order, axis=1)
            there = np.isfinite(taken)
            count = order.shape[1]
            rows = np.take_along_axis(window, order, axis=1)
            found[some, :count] = np.where(there, rows, -1)
            logs[some, :count] = np.where(there, taken - np.where(there, total, 0), np.nan)
    return Drawn(found, logs)


def _windows(levels: Floats, asked: Floats, width: int) -> Ints:
    """Return the `width` places of rising levels around each asked one, as many on both sides."""
    middle = (np.searchsorted(levels, asked, "left") + np.searchsorted(levels, asked, "right")) // 2
    start = np.clip(middle - width // 2, 0, len(levels) - width)
    return start[:, None] + np.arange(width)
