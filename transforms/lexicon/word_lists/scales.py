"""Scales of well-known norms, by the name that a person gives a word list.

A list with one of these names must be on one of its scales, unless `scale=` states another:
otherwise the ratings of another study, or the wrong column, would go unnoticed.
"""

from collections.abc import Sequence
from typing import NamedTuple


class RatingScale(NamedTuple):
    """A scale: its least and its greatest value, and its source."""

    low: float
    high: float
    source: str


_MRC = "MRC database (Coltheart 1981)"
_AGES = (RatingScale(0, 25, "years (Kuperman et al. 2012)"), RatingScale(100, 700, _MRC))

SCALES: dict[str, tuple[RatingScale, ...]] = {
    "concreteness": (RatingScale(1, 5, "Brysbaert et al. 2014"),),
    "aoa": _AGES,
    "age_of_acquisition": _AGES,
    "prevalence": (RatingScale(-5, 5, "probits of who knows it, Brysbaert et al. 2019"),),
    # The least familiar word of the MRC database has 43.
    "familiarity": (RatingScale(1, 7, "ratings"), RatingScale(10, 700, _MRC)),
    "imageability": (RatingScale(1, 7, "ratings"), RatingScale(100, 700, _MRC)),
    "mrc_familiarity": (RatingScale(10, 700, _MRC),),
    "mrc_concreteness": (RatingScale(100, 700, _MRC),),
    "mrc_imageability": (RatingScale(100, 700, _MRC),),
    "mrc_aoa": (RatingScale(100, 700, _MRC),),
}


def scale_that_fits(scales: Sequence[RatingScale], low: float, high: float) -> RatingScale | None:
    """Return the first scale that holds values from `low` to `high`; None if no scale does."""
    return next((scale for scale in scales if scale.low <= low and high <= scale.high), None)


def described(scales: Sequence[RatingScale]) -> str:
    """Return scales for a message."""
    return " or ".join(f"{scale.low:g} to {scale.high:g} ({scale.source})" for scale in scales)
