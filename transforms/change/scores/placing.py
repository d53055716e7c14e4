"""Scores of several measures or systems made one, by where each stands among those of reference words.

Scores have scales of their own, so what is averaged is a place: the empirical distribution function (RPI-Trust, Gruppi
et al. 2020), the rank, or the z-score. Words that are no reference words get a place among these, too.

>>> scores = np.array([[0.1, 0.2, 0.2, 0.9], [5.0, 7.0, 6.0, np.nan]])
>>> joined(scores, np.array([True, True, True, False]), ecdf).round(3).tolist()
[0.333, 1.0, 0.833, nan]
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

Place = Callable[[Floats, Floats], Floats]  # of scores, among reference scores


def ecdf(scores: Floats, among: Floats) -> Floats:
    """Return the share of reference scores up to each score, 0 to 1."""
    return np.searchsorted(np.sort(among), scores, side="right") / len(among)


def ranks(scores: Floats, among: Floats) -> Floats:
    """Return the share of reference scores below each score and half of those equal to it, 0 to 1.

    Of reference words themselves it is their rank, ties by average rank, less a half, over their number.
    """
    ordered = np.sort(among)
    below, up_to = (np.searchsorted(ordered, scores, side=side) for side in ("left", "right"))
    return np.asarray((below + up_to) / (2 * len(among)), np.float64)


def z_scores(scores: Floats, among: Floats) -> Floats:
    """Return how many sample standard deviations each score lies above the mean of reference scores.

    Where these are all equal, or there is one, nothing is told by: nan.
    """
    if len(among) < 2 or among.min() == among.max():
        return np.full(len(scores), np.nan)
    return np.asarray((scores - among.mean()) / among.std(ddof=1), np.float64)


def joined(scores: Floats, reference: Flags, place: Place) -> Floats:
    """Return for each word the mean of its places in several scores; nan where one of these is missing.

    Args:
        scores: of shape (scores, words), nan for none.
        reference: which words are reference words; those that lack a score do not count.
        place: how a score is placed.
    """
    whole = ~np.isnan(scores).any(axis=0)
    found = np.full(scores.shape[1], np.nan)
    among = whole & reference
    if among.any():
        found[whole] = np.mean([place(row[whole], row[among]) for row in scores], axis=0)
    return found
