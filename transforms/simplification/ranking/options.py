"""Options of `lexbeam simplify rank` that a setting may have; see settings.py."""

import math
from dataclasses import dataclass

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option

PHRASES = ("zero", "rarest", "mean")
KEEP_TARGET = ("never", "always", "if-more-frequent", "if-gain:X")


def check_rankers(value: tuple[str, ...]) -> None:
    """Check names of rankers; `frequency:` may be followed by the name of a word list.

    Raises:
        UsageError: a ranker is unknown, or named twice.
    """
    from lexbeam.transforms.simplification.ranking.rankers import RANKERS

    for name in value:
        kind, colon, which = name.partition(":")
        RANKERS.check([kind])
        if colon and (kind != "frequency" or not which):
            raise UsageError(f"{name!r}: a name of a word list stands behind `frequency:` alone")
        if value.count(name) > 1:
            raise UsageError(f"{name!r} is named twice: take one out")


def gain_of(value: str) -> float | None:
    """Return X of `if-gain:X`; None for the other choices.

    Raises:
        UsageError: the value is none of `KEEP_TARGET`.
    """
    kind, colon, number = value.partition(":")
    if value in KEEP_TARGET[:-1]:
        return None
    try:
        gain = float(number) if kind == "if-gain" and colon else math.nan
    except ValueError:
        gain = math.nan
    if not math.isfinite(gain):
        raise UsageError(f"{value!r} is none of {', '.join(KEEP_TARGET)}, with a number X")
    return gain


def _check_ranker(value: str) -> None:
    check_rankers((value,))


@dataclass(frozen=True, kw_only=True)
class RankingOptions:
    """How candidates are ranked, and when the target stays."""

    ranker: tuple[str, ...] = option(
        ("frequency",),
        help="what candidates are ranked by; several rankers make several rankings",
        metavar="RANKER",
        check=check_rankers,
        listed="lexbeam.transforms.simplification.ranking.rankers:RANKERS",
    )
    average_of: tuple[str, ...] = option(
        ("senses", "frequency"),
        help="the rankers whose ranks the ranker average takes the mean of",
        metavar="RANKER",
        check=check_rankers,
    )
    phrases: str = option(
        "zero", help="frequency of a phrase: 0, or the least or the mean of its words'", choices=PHRASES
    )
    keep_target: str = option(
        "never",
        help="when the target stays: never; always; if-more-frequent: if it is more frequent than the first candidate; "
        "if-gain:X: unless the first candidate's score is greater by at least X",
        check=gain_of,
        metavar="never|always|if-more-frequent|if-gain:X",
    )
    min_simpler: float | None = option(
        None,
        help="take only candidates whose score is greater than the target's by at least so much, in the unit of "
        "if-gain:X; the target stays if there is none",
        least=-1e9,
    )
    simpler_by: str | None = option(
        None,
        help="the ranker whose scores `min_simpler` compares; if not given, the one that ranks, or frequency where "
        "that one does not score the target",
        metavar="RANKER",
        check=_check_ranker,
    )
