"""Evidence for change: how far a score lies beyond what chance gives, word by word.

Chance is what null pairs score, whose documents were dealt out anew (`null_deals`). Only a few can be
afforded, so the scores of all words are pooled, in two steps:

1. *Standardise.* The scores of rare words are higher, and at one count those of words in more
   documents. The logarithm of a null score is regressed on x1 = log of the smaller count, x2 = log
   of the smaller number of documents over what it can be at most, and their squares and product;
   and so is the logarithm of the absolute residual. r = residual / scale.
2. *Moderate.* A word has a level of its own, of which n null runs tell something: with s^2 the
   variance of r within words and t^2 that between words, m = t^2 / (t^2 + s^2 / n) times its mean
   null r, v = s^2 + t^2 s^2 / (n t^2 + s^2), and z = (r - m) / sqrt(v), as in an empirical Bayes
   normal model (Efron and Morris 1975). p is the upper tail of the normal distribution.

Absolute evidence (`p_value`) says that usage differs between the slices, genre and all else
included: if the slices differ as wholes, most words do. Relative evidence (`p_relative`) says that
a word differs more than the vocabulary at large: the median r of each run is subtracted first, the
z of a run are centred by their median and divided by the distance of median and 15.87 % quantile,
and compared with what null runs give that are left out one by one.

How many changed words this finds was tried (`TRIALS`), by uses and by the share of them that had changed.
Documents were dealt out to two slices at random, so that nothing had changed, and pairs of nouns, or verbs, of about
equal frequency swapped a share of their uses in one (docs/tasks/change/evidence.md has commands and tables).
A word counts as found if both p-values, times all words that were tested, are up to .05: so it would have been found
had it changed alone, and has not profited from others that changed with it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import dots, one_thread


class PowerTrial(NamedTuple):
    """What a corpus has shown.

    Attributes:
        texts: what it is made of, for people.
        found: by share swapped and least uses of a class: words found, and words.
    """

    texts: str
    found: Mapping[float, Mapping[int, tuple[int, int]]]


# Words found, and words, by share of uses swapped and least uses in the smaller slice.
TRIALS = (
    PowerTrial(
        "40 English novels",
        {
            1.0: {50: (3, 9), 100: (5, 12), 200: (9, 12), 400: (5, 8), 800: (2, 3)},
            0.5: {50: (0, 14), 100: (0, 9), 200: (0, 11), 400: (3, 12), 800: (1, 4)},
        },
    ),
    PowerTrial(
        "143 speeches of presidents",
        {
            1.0: {50: (6, 7), 100: (6, 6), 200: (9, 10), 400: (8, 8), 800: (2, 2)},
            0.5: {50: (0, 5), 100: (1, 7), 200: (3, 11), 400: (4, 6), 800: (2, 4)},
        },
    ),
)


def uses_needed(trial: PowerTrial, share: float) -> int | None:
    """Return the least uses from which on at least half of the words were found, in every class; None for no class.

    >>> uses_needed(PowerTrial("", {0.5: {50: (1, 8), 100: (4, 8), 200: (3, 8), 400: (5, 8), 800: (8, 8)}}), 0.5)
    400
    """
    needed = None
    for least, (found, words) in sorted(trial.found[share].items(), reverse=True):
        if 2 * found < words:
            break
        needed = least
    return needed


def most_tried(share: float) -> int:
    """Return the least uses of the class with most uses of which this share was swapped."""
    return max(least for trial in TRIALS for least in trial.found[share])


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


LEAST_RUNS = 3
UPPER = 1.6448536269514722  # the normal distribution has 5 % above it
LOWER = 0.15865525393145707  # the share of a normal distribution below its mean by a deviation


class Evidence(NamedTuple):
    """Evidence for each word, nan if there is none, and for the pair.

    Attributes:
        null_mean: mean score of the null runs that score the word.
        null_sd: their sample standard deviation; nan for fewer than two.
        null_runs: how many they are.
        null_high: score whose `p_value` is .05: upper end of the one-sided 95 % interval of chance; the greatest score
            where that lies beyond it, so that no score of the word can be told from chance.
        p_value: of a score as high by chance, for words tested.
        q_value: the same by Benjamini and Hochberg (1995), over the words tested.
        p_relative: as `p_value`, of the difference from the vocabulary at large.
        q_relative: as `q_value`.
        shift: median standardised score of the ranked words, in standard deviations: how far the
            vocabulary at large has moved; nan without ranked words.
    """

    null_mean: Floats
    null_sd: Floats
    null_runs: Ints
    null_high: Floats
    p_value: Floats
    q_value: Floats
    p_relative: Floats
    q_relative: Floats
    shift: float


def evidence_of(real: PairScores, nulls: Sequence[PairScores], tested: Flags, most: float = math.inf) -> Evidence:
    """Return the evidence for a pair of slices.

    Args:
        nulls: scores of null pairs, `LEAST_RUNS` at least.
        tested: words to test if they have a score; q-values are over these.
        most: the greatest score that there can be.

    Raises:
        ValueError: too few null runs.
    """
    if len(nulls) < LEAST_RUNS:
        raise ValueError(f"{len(nulls)} null runs: at least {LEAST_RUNS} are needed")
    null_scores = np.stack([null.scores for null in nulls])
    null_runs, null_mean, null_sd = moments(null_scores)
    tested = tested & ~np.isnan(real.scores)
    empty = np.full(len(tested), np.nan)
    if not tested.any() or not any(fitting(null).any() for null in nulls):
        return Evidence(null_mean, null_sd, null_runs, empty, empty, empty, empty, empty, math.nan)
    standard, null_r, fitted = _standardised(nulls)
    r = standard(real)
    spread = _components(np.where(fitted, null_r, np.nan))
    chance = _moderation(null_r, spread)
    p_value = np.where(tested, _tail(chance.z(r)), np.nan)
    high = np.where(tested, standard.scores(real, chance.high, most), np.nan)
    ranked = tested & real.ranked
    middle = float(np.median(r[ranked])) if ranked.any() else math.nan
    p_relative = _relative(r, null_r, ranked, fitted)
    p_relative = np.where(tested, p_relative, np.nan)
    return Evidence(
        null_mean,
        null_sd,
        null_runs,
        high,
        p_value,
        benjamini_hochberg(p_value),
        p_relative,
        benjamini_hochberg(p_relative),
        middle / math.sqrt(sum(spread)) if sum(spread) > 0 else math.nan,
    )


def upper_end(real: PairScores, nulls: Sequence[PairScores], most: float = math.inf) -> Floats:
    """Return of each word the score whose p would be .05, as `null_high` of `evidence_of`; nan if nothing is ranked."""
    if not any(fitting(null).any() for null in nulls):
        return np.full(len(real.scores), np.nan)
    standard, null_r, fitted = _standardised(nulls)
    return standard.scores(real, _moderation(null_r, _components(np.where(fitted, null_r, np.nan))).high, most)


def _standardised(nulls: Sequence[PairScores]) -> tuple[Standard, Floats, Flags]:
    """Return the standard of null runs, their r, and which of these it is fitted to."""
    standard = Standard.of(nulls)
    return standard, np.stack([standard(null) for null in nulls]), np.stack([fitting(null) for null in nulls])


def benjamini_hochberg(p: Floats) -> Floats:
    """Return q-values, 0 to 1 (Benjamini and Hochberg 1995); nan is left out and stays nan."""
    q = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    scaled = p[order] * len(order) / np.arange(1, len(order) + 1)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q


class _Spread(NamedTuple):
    """Variance of r within words and between them."""

    within: float
    between: float


def _components(r: Floats) -> _Spread:
    """Return the variance components of runs by words, by analysis of variance; nan is missing."""
    number, mean, _ = moments(r)
    several = number > 1
    number, mean = number[several].astype(np.float64), mean[several]
    if not len(number):
        values = r[~np.isnan(r)]
        return _Spread(float(values.var(ddof=1)) if len(values) > 1 else 0.0, 0.0)
    squares = np.nansum((r[:, several] - mean) ** 2)
    within = squares / (number.sum() - len(number))
    if len(number) < 2:
        return _Spread(float(within), 0.0)
    grand = (number * mean).sum() / number.sum()
    among = (number * (mean - grand) ** 2).sum() / (len(number) - 1)
    effective = (number.sum() - (number**2).sum() / number.sum()) / (len(number) - 1)
    return _Spread(float(within), float(max(0.0, (among - within) / effective)))


class _Moderated(NamedTuple):
    """What chance gives each word, in r: its mean and standard deviation."""

    centre: Floats
    deviation: Floats

    @property
    def high(self) -> Floats:
        """The r whose p is .05."""
        return np.asarray(self.centre + UPPER * self.deviation)

    def z(self, r: Floats) -> Floats:
        """Return z of r, nan where nothing varies."""
        varies = self.deviation > 0
        return np.asarray(np.divide(r - self.centre, self.deviation, out=np.full(len(r), np.nan), where=varies))


def _moderation(null_r: Floats, spread: _Spread) -> _Moderated:
    """Return what chance gives each word: step 2 of the module's docstring."""
    number, mean, _ = moments(null_r)
    within, between = spread
    total = number * between + within
    trust = np.zeros(len(number))
    np.divide(number * between, total, out=trust, where=total > 0)
    return _Moderated(trust * np.where(number > 0, mean, 0.0), np.sqrt(within + between * (1.0 - trust)))


def _tail(z: Floats) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(-z))


def _relative(r: Floats, null_r: Floats, ranked: Flags, fitted: Flags) -> Floats:
    """Return p of a word's difference from the vocabulary at large."""
    nothing = np.full(len(r), np.nan)
    centred = _centred(r, ranked)
    others = np.stack([_centred(run, fit) for run, fit in zip(null_r, fitted, strict=True)])
    left_out = []
    for number in range(len(others)):
        rest = np.delete(others, number, axis=0)
        spread = _components(np.where(np.delete(fitted, number, axis=0), rest, np.nan))
        u = _scaled(_moderation(rest, spread).z(others[number]), fitted[number])
        left_out.append(u[fitted[number]])
    null_u = np.concatenate(left_out)
    null_u = null_u[~np.isnan(null_u)]
    chance = _moderation(others, _components(np.where(fitted, others, np.nan)))
    u = _scaled(chance.z(centred), ranked)
    if len(null_u) < 2 or not null_u.std(ddof=1) > 0:
        return nothing
    return _tail((u - null_u.mean()) / null_u.std(ddof=1))


def _centred(r: Floats, among: Flags) -> Floats:
    """Return r without the median of a run's ranked words."""
    return np.asarray(r - (np.median(r[among]) if among.any() else np.nan))


def _scaled(z: Floats, among: Flags) -> Floats:
    """Return z from the median of a run's ranked words, in distances to its lower quantile."""
    known = z[among & ~np.isnan(z)]
    if not len(known):
        return np.full(len(z), np.nan)
    middle, lower = np.quantile(known, [0.5, LOWER])
    return np.asarray((z - middle) / (middle - lower)) if middle > lower else np.full(len(z), np.nan)
