"""Divergence of a word's profiles: how near it stands to pivots, words of stable use, in two unaligned spaces.

After Asgari et al. (2020, EmbLexChange; team Life-Language): a profile is of a word's cosines to pivots, made shares of
1, and two profiles diverge; over several draws of pivots the mean is taken. Spaces need not share dimensions.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from transforms.common.draws.by_content import numbers
from transforms.embeddings.neighbourhoods import NoScoreError, SpacePair
from transforms.embeddings.rows import at_length_one, products

__all__ = ["TooFewPivotsError", "pivot_divergence", "stable_words"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

FREQUENT = 10  # times as many frequent words as pivots, of which the steadier half may be pivots
QUERIES = 1_024  # words at a time


class TooFewPivotsError(NoScoreError):
    """Two spaces share fewer than twice as many words as there are to be pivots."""

    reason = "too_few_pivots"


def stable_words(pair: SpacePair, pivots: int) -> Places:
    """Return the words that may be pivots, numbers among those that are compared, ascending.

    Of the 10 times as many words whose smaller relative frequency is greatest, the half (rounded up) whose relative
    frequencies have the least abs(log2 ratio); ties go to the word that sorts first.

    Raises:
        TooFewPivotsError: these are fewer than `pivots`.
    """
    shares = [
        space.counts[places] / max(space.tokens, 1)
        for space, places in ((pair.earlier, pair.mine), (pair.later, pair.theirs))
    ]
    frequent = pair.frequent(FREQUENT * pivots)
    moves = np.abs(np.log2(shares[0][frequent] / shares[1][frequent]))
    steady = frequent[np.argsort(moves, kind="stable")[: -(-len(frequent) // 2)]]
    if len(steady) < pivots:
        raise TooFewPivotsError(f"{len(pair.mine)} words with a direction in both spaces for {pivots} pivots")
    return np.sort(steady)


def pivot_divergence(pair: SpacePair, *, pivots: int, pivot_draws: int, seed: int) -> Floats:
    """Return the mean Jensen-Shannon divergence of words' profiles, to base 2, 0 to 1.

    A profile is exp(cos) of a word and each pivot, over their sum. A word is no pivot of itself; with fewer than two
    others its divergence is nan. Every draw takes `pivots` of the `stable_words`, each as likely, by the words' texts,
    the seed and the number of the draw.

    Raises:
        TooFewPivotsError: there are not as many.
    """
    from scipy.special import rel_entr

    able = stable_words(pair, pivots)
    names = pa.array([pair.earlier.words[place] for place in pair.mine[able]], pa.string())
    drawn = numbers(names, seed=seed, label="pivots", draws=pivot_draws).argsort(axis=0, kind="stable")[:pivots].T
    sides = [
        (space.vectors, places, at_length_one(space.vectors[places[able]]))
        for space, places in ((pair.earlier, pair.mine), (pair.later, pair.theirs))
    ]
    divergence = np.empty(len(pair.mine))
    for start in range(0, len(divergence), QUERIES):
        words = np.arange(start, min(start + QUERIES, len(divergence)))
        own = words[:, None] == able
        near = [
            np.where(own, 0.0, np.exp(products(at_length_one(vectors[places[words]]), units)))
            for vectors, places, units in sides
        ]
        total = np.zeros(len(words))
        for columns in drawn:
            first, second = (side[:, columns] / side[:, columns].sum(axis=1, keepdims=True) for side in near)
            middle = (first + second) / 2
            total += (rel_entr(first, middle) + rel_entr(second, middle)).sum(axis=1) / 2
            total[len(columns) - own[:, columns].sum(axis=1) < 2] = np.nan
        divergence[words] = total
    return np.asarray(np.clip(divergence / pivot_draws / np.log(2), 0.0, 1.0))
