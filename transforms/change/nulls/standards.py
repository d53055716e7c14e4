"""Scores of words of any frequency made comparable: step 1 of `evidence`."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import dots, one_thread

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class PairScores(NamedTuple):
    """The scores of a pair of slices, real or null; all arrays are over the same words.

    Attributes:
        scores: float64, nan where a word has none.
        uses: uses in the slice that has fewer.
        documents: documents that use it, in the slice that has fewer.
        ranked: whether rankings take the word.
        slice_documents: documents of the smaller slice.
    """

    scores: Floats
    uses: Ints
    documents: Ints
    ranked: Flags
    slice_documents: int


def moments(scores: Floats) -> tuple[Ints, Floats, Floats]:
    """Return number, mean and sample standard deviation down the columns, without nan."""
    scored = ~np.isnan(scores)
    number = scored.sum(axis=0)
    mean = np.full(scores.shape[1], np.nan)
    np.divide(np.where(scored, scores, 0.0).sum(axis=0), number, out=mean, where=number > 0)
    squares = np.where(scored, (scores - mean) ** 2, 0.0).sum(axis=0)
    sd = np.full(scores.shape[1], np.nan)
    np.divide(squares, number - 1, out=sd, where=number > 1)
    return number.astype(np.int64), mean, np.sqrt(sd)


def fitting(run: PairScores) -> Flags:
    """Return which words of a run standards are fitted to: those ranked that have a score."""
    return run.ranked & ~np.isnan(run.scores)


class Standard(NamedTuple):
    """What makes scores of words of any frequency comparable, fitted to null runs."""

    low: Floats
    high: Floats
    floor: float
    level: Floats
    log_scale: Floats

    @classmethod
    def of(cls, nulls: Sequence[PairScores]) -> "Standard":
        """Fit to the ranked words of null runs."""
        x = np.concatenate([_predictors(null)[fitting(null)] for null in nulls])
        scores = np.concatenate([null.scores[fitting(null)] for null in nulls])
        positive = scores[scores > 0]
        floor = float(positive.min()) if len(positive) else 1.0
        y = np.log(np.maximum(scores, floor))
        terms = _terms(x)
        with one_thread():
            level = np.linalg.lstsq(terms, y, rcond=None)[0]
            residual = np.abs(y - dots(terms, level))
            least = residual[residual > 0].min(initial=1.0)
            log_scale = np.linalg.lstsq(terms, np.log(np.maximum(residual, least)), rcond=None)[0]
        return cls(x.min(axis=0), x.max(axis=0), floor, level, log_scale)

    def __call__(self, run: PairScores) -> Floats:
        """Return r of a run's words."""
        level, scale = self._expected(run)
        return np.asarray((np.log(np.maximum(run.scores, self.floor)) - level) / scale)

    def scores(self, run: PairScores, r: Floats, most: float = math.inf) -> Floats:
        """Return the scores, `most` at most, that these r of a run's words stand for.

        nan beyond all numbers, as few words may give.
        """
        level, scale = self._expected(run)
        with np.errstate(over="ignore"):
            scores = np.minimum(np.exp(level + scale * r), most)
        return np.where(np.isfinite(scores), scores, np.nan)

    def _expected(self, run: PairScores) -> tuple[Floats, Floats]:
        terms = _terms(np.clip(_predictors(run), self.low, self.high))
        return dots(terms, self.level), np.exp(dots(terms, self.log_scale))


def _predictors(run: PairScores) -> Floats:
    uses = np.maximum(run.uses, 1)
    most = np.minimum(uses, max(run.slice_documents, 1))
    return np.column_stack([np.log(uses), np.log(np.maximum(run.documents, 1) / most)])


def _terms(x: Floats) -> Floats:
    first, second = x.T
    return np.column_stack([np.ones(len(x)), first, second, first * first, second * second, first * second])
