"""Thresholds that turn scores into changed and unchanged: a word above it counts as changed.

Those of targets are over the scores of targets alone, and suppose something of how many of these changed: the mean
about half. Those named `-ranked` are over the ranked words, and mean something different with each alignment: on
Latin, 1 of 40 targets lies above the mean of a whole vocabulary with op, and all 40 with cca. None of them says how
many words chance would call changed; q-values do.

- `mean`: as team UWB (Prazak et al. 2020). `mean-sd`: mean + t sample standard deviations.
- `quantile`: of the scores themselves, linear between two. `gamma`: of the gamma distribution fitted to them by maximum
  likelihood (TemporalTeller, Zhou and Li 2020).
- `mixture`: where two normal distributions, fitted by expectation and maximisation, are equally likely (Cassotti et al.
  2020).

>>> import numpy as np
>>> THRESHOLDS["mean"].cut(np.array([0.1, 0.3, np.nan]))
CutOff(value=0.2, reason=None)
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.registry import Entry, Registry

Floats = npt.NDArray[np.float64]

REGISTRY = "lexbeam.transforms.change.scores.thresholds:THRESHOLDS"
# The words whose scores decide.
TARGETS = "targets"
RANKED = "ranked"
STEPS = 1_000
FLAT = 1e-6  # of the scores' variance: the least that a component has


def mean(scores: Floats) -> float:
    """Return the mean."""
    return float(scores.mean())


def mean_and_deviations(scores: Floats, *, threshold_sd: float = 1.0) -> float:
    """Return the mean + `threshold_sd` sample standard deviations."""
    return float(scores.mean() + threshold_sd * scores.std(ddof=1))


def quantile(scores: Floats, *, threshold_quantile: float = 0.75) -> float:
    """Return a quantile of the scores, linear between two of them."""
    return float(np.quantile(scores, threshold_quantile))


def gamma_quantile(scores: Floats, *, threshold_quantile: float = 0.75) -> float:
    """Return a quantile of the gamma distribution that is most likely to give the scores; nan if one is not above 0.

    Its shape a solves log(a) - digamma(a) = log(mean) - mean of logarithms, by the steps of Minka (2002).
    """
    from scipy.special import digamma, gammaincinv, polygamma

    if scores.min() <= 0:
        return math.nan
    average = scores.mean()
    gap = np.log(average) - np.log(scores).mean()
    if not gap > 0:  # by rounding
        return math.nan
    shape = (3 - gap + math.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    for _ in range(STEPS):
        before = shape
        error = np.log(shape) - digamma(shape) - gap
        shape = 1 / (1 / shape + error / (shape**2 * (1 / shape - polygamma(1, shape))))
        if abs(shape - before) <= 1e-12 * before:
            break
    return float(gammaincinv(shape, threshold_quantile) * average / shape)


def mixture(scores: Floats) -> float:
    """Return the score between the means of two normal distributions at which each is as likely to have given it.

    Both are fitted from the scores up to and above the mean; nan if one is likelier at either mean.
    """
    upper = (scores > scores.mean()).astype(np.float64)
    if not upper.any():  # by rounding
        return math.nan
    least = FLAT * float(scores.var())
    shares = np.stack([1 - upper, upper])
    for _ in range(STEPS):
        weights = shares.sum(axis=1)
        means = shares @ scores / weights
        variances = (shares * (scores - means[:, None]) ** 2).sum(axis=1) / weights + least
        logs = _log_densities(scores[None, :], weights[:, None], means[:, None], variances[:, None])
        before, shares = shares, np.exp(logs - np.logaddexp(logs[0], logs[1]))
        if np.abs(shares - before).max() <= 1e-10 or not shares.sum(axis=1).min() > 0:
            break
    low, high = float(means[0]), float(means[1])

    def lead(score: float) -> float:
        first, second = _log_densities(score, weights, means, variances)
        return float(second - first)

    if not lead(low) < 0 < lead(high):
        return math.nan
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if lead(middle) > 0 else (middle, high)
    return (low + high) / 2


def _log_densities(scores: Any, weights: Floats, means: Floats, variances: Floats) -> Floats:
    """Return logarithms of weighted normal densities, but for what both have in common."""
    return np.asarray(np.log(weights) - 0.5 * (np.log(variances) + (scores - means) ** 2 / variances))


class CutOff(NamedTuple):
    """A threshold, or why there is none: one of `lexbeam.schemas.change.scores.NO_THRESHOLD`."""

    value: float | None
    reason: str | None


@dataclass(frozen=True)
class Threshold(Entry):
    """A threshold.

    Attributes:
        of: from scores to the number above which a word counts as changed; nan for none.
        over: the words whose scores these are, `TARGETS` or `RANKED`.
        uses: options of scores that it is given by keyword; each says in its `of` which thresholds use it.
        least: scores that it needs.
        varied: whether they must not all be equal.
    """

    of: Callable[..., float]
    over: str = TARGETS
    uses: tuple[str, ...] = ()
    least: int = 1
    varied: bool = False

    def cut(self, scores: Floats, parameters: Mapping[str, Any] = MappingProxyType({})) -> CutOff:
        """Return the threshold of some scores, of which those that are nan do not count.

        Args:
            scores: the scores.
            parameters: options by name; those that are missing have the defaults of the function.
        """
        known = scores[~np.isnan(scores)]
        if len(known) < self.least:
            return CutOff(None, "too_few_words")
        if self.varied and known.min() == known.max():
            return CutOff(None, "all_equal")
        value = self.of(known, **{name: parameters[name] for name in self.uses if name in parameters})
        return CutOff(value, None) if math.isfinite(value) else CutOff(None, "undefined")


def _over_both(name: str, of: Callable[..., float], doc: str, **needs: Any) -> dict[str, Threshold]:
    """Return a threshold over targets, and the same over ranked words; `doc` says over what by `{}`."""
    return {
        name: Threshold(of, doc=doc.format("targets"), **needs),
        f"{name}-ranked": Threshold(of, RANKED, doc=doc.format("ranked words"), **needs),
    }


_SD, _QUANTILE = ("threshold_sd",), ("threshold_quantile",)

THRESHOLDS: Registry[Threshold] = Registry(
    {
        **_over_both("mean", mean, "the mean score over the {}"),
        **_over_both(
            "mean-sd", mean_and_deviations, "the mean + some standard deviations over the {}", uses=_SD, least=2
        ),
        **_over_both("quantile", quantile, "a quantile of the scores of the {}", uses=_QUANTILE),
        **_over_both(
            "gamma",
            gamma_quantile,
            "a quantile of the gamma distribution fitted to the scores of the {}",
            uses=_QUANTILE,
            least=2,
            varied=True,
        ),
        **_over_both(
            "mixture",
            mixture,
            "where two normal distributions fitted to the scores of the {} cross",
            least=4,
            varied=True,
        ),
    },
    what="threshold",
    group="lexbeam.thresholds",
)
